"""Records the values of the programs on TensorFlow 1.15.5, and checks them on another TensorFlow.

Usage, from the root of the repository:

    python -m tests.v1.contrib.recording [NAMESPACE ...]            on TensorFlow 1.15.5: records
    python -m tests.v1.contrib.recording --check [NAMESPACE ...]    on any: prints differences; ends with 1 if any
    python -m tests.v1.contrib.recording --check --quick            the same, of a fourth of the programs

`nox --install-only --session "on(1.15.5)"` makes that Python: .nox/on-1-15-5/bin/python.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import re
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Iterable, Iterator

from tf1mem.errors import MissingPackageError, MissingSymbolError
from tf1mem.machine.tensorflow import installed_version

from .observing import differences, observe

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded"
TENSORFLOW = "1.15.5"
# Programs that take seconds: CI leaves them out, and three of four others.
SLOW = frozenset(
    [
        "canned.estimators_fit_to_arrays",
        "distributions.masked_autoregressive_flows",
        "factorization.estimators",
        "factorization.initial_centers",
        "image.rotated_images",
        "layers.sizes_given_as_floats",
        "legacy_seq2seq.embedding_attention_seq2seq_with_feed_previous",
        "legacy_seq2seq.embedding_rnn_seq2seq_with_feed_previous",
        "rnn.bidirectional_grid_lstm",
        "rnn.cells_in_a_while_loop",
        "rnn.grid_lstm",
        "rnn.memory",
        "seq2seq.beam_search_with_an_unknown_batch_size",
        "slim.inception_v1",
        "slim.resnets",
        "slim.small_inception_v2",
    ]
)


def namespaces() -> list[str]:
    """Returns the namespaces that have programs."""
    return sorted(path.stem for path in (HERE / "programs").glob("[!_]*.py"))


def names_called() -> set[str]:
    """Returns the names of tf.contrib in the programs' source, such as "rnn.LSTMCell"."""
    text = "".join(path.read_text("utf-8") for path in (HERE / "programs").glob("*.py"))
    paths = re.findall(r"\btf\.contrib\.([\w.]+)", text)
    # Includes the owners: "testing.FakeSummaryWriter.install" also uses the class.
    return {name for path in paths for name in (path, path.rpartition(".")[0])}


def programs(namespace: str) -> dict[str, Any]:
    """Returns the programs of a namespace, by name."""
    module = import_module(f"{__package__}.programs.{namespace}")
    functions = inspect.getmembers(module, inspect.isfunction)
    return {name: program for name, program in functions if program.__module__ == module.__name__ and name[0] != "_"}


def read(namespace: str) -> dict[str, Any]:
    """Returns the record of a namespace's programs."""
    recorded: dict[str, Any] = json.loads((RECORDED / f"{namespace}.json").read_text("utf-8"))
    return recorded


def record(tf: Any, namespace: str) -> None:
    """Runs a namespace's programs, and records their values."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(observe(tf, program), sort_keys=True)}"
        for name, program in programs(namespace).items()
    ]
    (RECORDED / f"{namespace}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def in_ci(namespace: str, names: Iterable[str]) -> list[str]:
    """Returns a tenth of the names of a namespace's programs, at least one, and none of those that take long."""
    return sorted(name for name in names if f"{namespace}.{name}" not in SLOW)[::10]


def check(tf: Any, namespace: str, *, quick: bool) -> Iterator[str]:
    """Lists the differences of a namespace's programs from the record; with `quick`, of those that CI runs."""
    recorded, current = read(namespace), programs(namespace)
    every = sorted({*recorded, *current})
    for name in in_ci(namespace, every) if quick else every:
        if name not in recorded or name not in current:
            yield f"{namespace}.{name}: " + ("not recorded" if name in current else "recorded, and no longer there")
            continue
        try:
            observed = json.loads(json.dumps(observe(tf, current[name])))
        except (MissingSymbolError, MissingPackageError):
            # Without these the newest TensorFlows have no tf.layers, and no estimators.
            if find_spec("tf_keras") is not None and find_spec("tensorflow_estimator") is not None:
                raise
            continue
        except Exception:
            yield f"{namespace}.{name}: " + traceback.format_exc()
            continue
        for line in differences(recorded[name], observed):
            yield f"{namespace}.{name}: {line}"


def main(arguments: list[str]) -> int:
    """Records or checks; returns 1 if something differs."""
    options = [argument for argument in arguments if argument.startswith("-")]
    selected = [argument for argument in arguments if argument not in options] or namespaces()
    unknown = [name for name in selected if name not in namespaces()]
    if unknown or options not in ([], ["--check"], ["--check", "--quick"]):
        raise SystemExit(__doc__)
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    version = str(installed_version())
    tf = import_module("tensorflow" if version == TENSORFLOW else "tf1mem.v1")
    if not options:
        assert version == TENSORFLOW, f"this Python has TensorFlow {version}"
        for namespace in selected:
            record(tf, namespace)
        return 0
    # The objects of graphs stay, so repeated collections would search through all of them in vain.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    quick = "--quick" in options
    lines = [line for namespace in selected for line in check(tf, namespace, quick=quick)]
    of_each = [in_ci(name, programs(name)) if quick else list(programs(name)) for name in selected]
    number = sum(map(len, of_each))
    print("\n".join([*lines, f"{number} programs, {len(lines)} differences"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
