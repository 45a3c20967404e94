"""Measures a training step under `tf1mem run`: its CPU time on one thread, and the peak of the process's memory.

    python benchmarks/steps.py [NAME …] [--old-python PATH] [--rounds N] [--steps N] [--json FILE]

Programs of tests/programs/untouched/ run in turn by `tf1mem run`, edited by hand to tensorflow.compat.v1, and as they
are on TensorFlow 1.15.5. README.md explains the table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tf1mem.errors import Tf1memError  # noqa: E402
from tf1mem.machine.tensorflow import installed_version  # noqa: E402
from tf1mem.verifying import old  # noqa: E402

ROWS = ROOT / "benchmarks" / "steps.json"
COLUMNS = (
    "program", "TensorFlow",
    "ms a step", "beside compat.v1", "beside 1.15.5", "peak MiB", "beside compat.v1", "beside 1.15.5",
)  # fmt: skip
# The highest expected ratios of `tf1mem run` to compat.v1: of a step's CPU time, and of the peak of memory.
TIME_TARGET, MEMORY_TARGET = 1.02, 1.10
# The ways in which each program runs: by `tf1mem run`, edited by hand, and on TensorFlow 1.15.5.
RUN, HAND, OLD = "run", "compat.v1", "1.15.5"
_BY_RUN = ROOT / "tests" / "programs" / "untouched"
_BY_HAND = ROOT / "benchmarks" / "steps_by_hand"
_TO_COMPAT = ("import tensorflow as tf\n", "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n")
_WARM_UP = 10  # the first lines, between which TensorFlow and NumPy do some work only once
_MIB = 1 << 20


class Program(NamedTuple):
    """A program of tests/programs/untouched/, which prints a line in each step.

    Attributes:
        shape: The kind of model that it trains, for the table.
        edits: The edits by hand besides the import: a text, and its replacement. None if the program is written anew
            in steps_by_hand/, since it uses functions of contrib that TensorFlow 2 has no equal of.
    """

    shape: str
    edits: tuple[tuple[str, str], ...] | None = ()


PROGRAMS = {
    "convolutions": Program("convolutions with batch norm"),
    "slim_net": Program("slim net", None),
    "dynamic_lstm": Program("dynamic LSTM", (("tf.contrib.framework.nest", "tf.nest"),)),
    "block_lstm": Program("block LSTM", None),
    "seq2seq": Program("seq2seq with attention", None),
    "pipeline": Program(
        "tf.data",
        (("dataset.apply(tf.contrib.data.batch_and_drop_remainder(32))", "dataset.batch(32, drop_remainder=True)"),),
    ),
}


class Cost(NamedTuple):
    """The cost of a process.

    Attributes:
        step_s: The CPU time of a step in seconds, the median of the steps.
        peak_bytes: The peak of its memory in bytes.
    """

    step_s: float
    peak_bytes: int


def by_hand(name: str) -> str:
    """Returns the source of a program as a person would edit it for tensorflow.compat.v1.

    Raises:
        ValueError: The program hasn't a text that is to be edited.
    """
    edits = PROGRAMS[name].edits
    if edits is None:
        return (_BY_HAND / f"{name}.py").read_text(encoding="utf-8")
    source = (_BY_RUN / f"{name}.py").read_text(encoding="utf-8")
    for text, replacement in (_TO_COMPAT, *edits):
        if text not in source:
            raise ValueError(f"{name}.py has no {text!r} to edit")
        source = source.replace(text, replacement)
    return source


def cost(python: str, way: str, program: Path, steps: int) -> Cost:
    """Runs a program on one thread, and returns its cost; ends this process if the program fails.

    Args:
        python: The interpreter.
        way: RUN, HAND or OLD.
        program: The program.
        steps: The number of steps.
    """
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
    # TensorFlow 2.16 and later have tf.layers and the cells of TensorFlow 1 with this variable only.
    environment = {**os.environ, **dict.fromkeys(threads, "1"), "TF_USE_LEGACY_KERAS": "1"}
    environment.update(TF_CPP_MIN_LOG_LEVEL="3", PYTHONHASHSEED="0", PYTHONPATH=str(ROOT))
    with TemporaryDirectory() as folder, open(Path(folder) / "output", "w+b") as output:
        times = Path(folder) / "times.json"
        timed = str(ROOT / "benchmarks" / "steps_timed.py")
        command = [python, timed, str(times), "run" if way == RUN else "plain", str(program), str(steps)]
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            output.seek(0)
            sys.exit(f"{program} ({way}) failed:\n" + output.read().decode(errors="replace")[-2000:])
        seconds = json.loads(times.read_text(encoding="utf-8"))[_WARM_UP:]
    return Cost(median(after - before for before, after in zip(seconds, seconds[1:])), used.ru_maxrss << 10)


def measured(name: str, pythons: dict[str, str], rounds: int, steps: int) -> dict[str, Cost]:
    """Runs a program in each way, in turn, and returns the lowest costs: other work of the machine only adds to them.

    Args:
        name: The program.
        pythons: The interpreter of each way.
        rounds: The number of processes of each way.
        steps: The number of steps of each process.
    """
    costs: dict[str, list[Cost]] = {way: [] for way in pythons}
    with TemporaryDirectory() as folder:
        edited = Path(folder) / f"{name}.py"
        edited.write_text(by_hand(name), encoding="utf-8")
        for _ in range(rounds):
            for way, python in pythons.items():
                program = edited if way == HAND else _BY_RUN / f"{name}.py"
                costs[way].append(cost(python, way, program, steps))
    return {way: Cost(*map(min, zip(*seen))) for way, seen in costs.items()}


def rows(kept: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table.

    Args:
        kept: The content of `ROWS`: a program's name -> a way -> its cost, and "tensorflow" -> its version.
    """
    for name, program in PROGRAMS.items():
        if name not in kept:
            continue
        costs = {way: Cost(*kept[name][way]) for way in (RUN, HAND, OLD) if way in kept[name]}
        run = costs[RUN]
        yield (
            f"{program.shape} (`{name}.py`)",
            kept[name]["tensorflow"],
            f"{1000 * run.step_s:.1f}",
            *(f"{run.step_s / costs[way].step_s:.2f}" if way in costs else "–" for way in (HAND, OLD)),
            f"{run.peak_bytes / _MIB:,.0f}",
            *(f"{run.peak_bytes / costs[way].peak_bytes:.2f}" if way in costs else "–" for way in (HAND, OLD)),
        )


def main() -> int:
    """Prints the table; returns 0 even if a target is missed, since times depend on the machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--old-python", metavar="PATH", help="a Python with TensorFlow 1.15.5, as for `tf1mem verify`")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each program and way (3)")
    parser.add_argument("--steps", type=int, default=100, help="steps of each process (100)")
    parser.add_argument("--json", type=Path, help="keeps the costs of each program here, as in steps.json")
    options = parser.parse_args()
    unknown = set(options.names) - set(PROGRAMS)
    if unknown:
        parser.error("no such program: {}".format(", ".join(sorted(unknown))))
    if options.steps < 2 * _WARM_UP or options.rounds < 1:
        parser.error(f"--steps is at least {2 * _WARM_UP}, of which {_WARM_UP} aren't counted, and --rounds at least 1")
    pythons = {RUN: sys.executable, HAND: sys.executable}
    try:
        pythons[OLD] = old.find(options.old_python)
    except Tf1memError as error:
        if options.old_python:
            parser.error(str(error))
        print(f"without TensorFlow 1.15.5: {error}", file=sys.stderr)
    kept: dict[str, Any] = json.loads(options.json.read_text("utf-8")) if options.json and options.json.exists() else {}
    version = str(installed_version())
    print(f"Python {platform.python_version()}")
    print("; ".join(COLUMNS))
    for name in options.names or PROGRAMS:
        costs = measured(name, pythons, options.rounds, options.steps)
        kept[name] = {"tensorflow": version, **costs}
        print("; ".join(next(rows({name: kept[name]}))), flush=True)
        run, hand = costs[RUN], costs[HAND]
        if run.step_s > TIME_TARGET * hand.step_s or run.peak_bytes > MEMORY_TARGET * hand.peak_bytes:
            print(f"  MISSED: at most {TIME_TARGET} times compat.v1's time and {MEMORY_TARGET} times its memory")
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
