"""Finds the features of calls that make a different number of ops than on TensorFlow 1.15.5, for the report's table.

Usage, from the root of the repository:

    python -m tests.v1.seeds.differing    on TensorFlow 2, after `counting`: writes its part of the table

recorded/others.json lists the calls that differ. For the function that such a call calls last, alone or in
`tf.gradients`, all recorded calls are made again. A combination of features that only differing calls have makes a row.
A differing call without such a function or such features has no row, so the report doesn't mention it.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Collection, Iterator, NamedTuple

from packaging.version import Version

from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import installed_version
from tf1mem.v1 import _differing_table, _seeds
from tf1mem.v1._differing import OF_GRADIENTS, TableWatch, number_of
from tf1mem.v1._exact_counts import rules
from tf1mem.v1._op_counts import Counter
from tf1mem.v1._op_table import table

from .counting import OTHERS, RECORDED, _read, made_by

TABLE = Path(_differing_table.__file__)
KIND = "Dict[str, Dict[str, List[str]]]"
# The largest number of features in a kind of call.
MOST = 3
# Functions that create a Keras layer -> the layer's name in the table.
_LAYERS = {"layers.batch_normalization": "layer BatchNormalization", "layers.conv2d_transpose": "layer Conv2DTranspose"}
_NOT = re.compile(r"(keras|contrib|layers)\.|gradients$|(.*\.)?[A-Z]")


class Case(NamedTuple):
    """A call of a function within a recorded call.

    Attributes:
        name: The function's name, with the prefix `OF_GRADIENTS` if its gradient was built.
        features: The features of its arguments.
        call: The recorded call.
    """

    name: str
    features: Collection[str]
    call: str


class _Noting(TableWatch):
    """A watch that notes every call."""

    def __init__(self, names: Collection[str], default_graph: Any) -> None:
        every: dict[str, list[list[str]]] = {
            name: [[]] for function in names for name in (function, OF_GRADIENTS + function)
        }
        super().__init__(every, default_graph, lambda *_: None)
        self.cases: list[tuple[str, Collection[str]]] = []
        self._through: list[Any] = []

    def called(self, name: str, features: Collection[str], graph: Any, start: int) -> None:
        self.cases.append((name, features))
        self._through.append((name, features, start, graph.version))

    def gradient_of(self, op: Any) -> None:
        for passed in [passed for passed in self._through if passed[2] < number_of(op) <= passed[3]]:
            self._through.remove(passed)
            self.cases.append((OF_GRADIENTS + passed[0], passed[1]))

    def taken(self) -> list[tuple[str, Collection[str]]]:
        """Returns the cases since the last call."""
        taken, self.cases, self._through = self.cases, [], []
        return taken


def blamed(call: str) -> str | None:
    """Returns the function that a call calls last: "gradients of sign" for "tf.gradients(tf.sign(x), [x])"."""
    last = ast.parse(call).body[-1]
    value = last.value if isinstance(last, ast.Expr) else None
    if isinstance(value, ast.Call) and _dotted(value.func) == "tf.gradients":
        inner = value.args[0]
        name = _function(inner.value if isinstance(inner, ast.Subscript) else inner)
        return name and OF_GRADIENTS + name
    return _function(value)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        above = _dotted(node.value)
        return above and f"{above}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _function(node: ast.AST | None) -> str | None:
    name = _dotted(node.func) if isinstance(node, ast.Call) else ""
    name = name[3:] if name.startswith("tf.") else ""
    return _LAYERS.get(name) or (name if name and not _NOT.match(name) else None)


def kinds(name: str, cases: Collection[Case], differing: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yields the combinations of features that only the differing calls of a function have.

    Args:
        name: The function.
        cases: All cases of the function.
        differing: The recorded calls that differ.
    """
    cases_of_name = [case for case in cases if case.name == name]
    same = [{*case.features} for case in cases_of_name if case.call not in differing]
    features_differing = [
        {*case.features} for case in cases_of_name if case.call in differing and blamed(case.call) == name
    ]
    chosen: list[set[str]] = []
    for features in features_differing:
        if any(kind <= features for kind in chosen):
            continue
        ordered = sorted(features, key=lambda kind: (kind.startswith("!"), bool(re.search(r"\d", kind)), kind))
        some = (set(kind) for count in range(MOST + 1) for kind in itertools.combinations(ordered, count))
        kind = next((kind for kind in some if not any(kind <= other for other in same)), None)
        if kind is not None:
            chosen.append(kind)
            yield tuple(sorted(kind))


def main() -> int:
    """Writes this TensorFlow's part of the table."""
    version = str(installed_version())
    tf = import_module("tf1mem.v1")
    tf.logging.set_verbosity(tf.logging.ERROR)
    _ = tf.Graph, tf.keras.layers.Layer, tf.layers.Layer
    others = [call.rpartition("  # ")[0] for calls in _read(OTHERS).values() for call in calls]
    names = {name.replace(OF_GRADIENTS, "") for name in map(blamed, others) if name}
    graphs = loaded_module("python.framework.ops").get_default_graph
    counter, watch = Counter(table(Version(version)), graphs, rules(Version(version))), _Noting(names, graphs)
    _seeds.count(tf, counter, watch, Version(version))
    leaves = {name.rpartition(".")[2] for name in names if " " not in name} | {"ormaliz", "ranspose", "batch_norm"}
    cases, differing = [], set()
    for call, (ops, seeds, _) in _read(RECORDED).items():
        if any(leaf in call for leaf in leaves):
            watch.taken()
            try:
                result = made_by(tf, counter, call)
            except Exception:
                continue  # This TensorFlow refuses it.
            if [*result] != [ops, seeds]:
                differing.add(call)
            cases += [Case(*noted, call) for noted in watch.taken()]
    every = [*sorted(names), *(OF_GRADIENTS + name for name in sorted(names))]
    rows = {name: [" ".join(kind) for kind in kinds(name, cases, differing)] for name in every}
    write(version, {name: kinds_found for name, kinds_found in rows.items() if kinds_found})
    covered = {case.call for case in cases if any({*kind.split()} <= {*case.features} for kind in rows[case.name])}
    print("\n".join(["no row:", *sorted(differing - covered), "a row, and the same:", *sorted(covered - differing)]))
    return 0


def write(version: str, rows: dict[str, list[str]]) -> None:
    """Writes the rows of a TensorFlow into the table."""
    every = {**runpy.run_path(str(TABLE))["ROWS"], version: rows}
    lines = []
    for of_version in sorted(every, key=Version):
        lines += [f"    {json.dumps(of_version)}: {{"]
        names = every[of_version]
        lines += [f"        {json.dumps(name)}: {json.dumps(names[name])}," for name in sorted(names)]
        lines += ["    },"]
    head = TABLE.read_text("utf-8").partition("\nROWS:")[0]
    TABLE.write_text(head + "\n".join(["", f"ROWS: {KIND} = {{", *lines, "}", ""]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
