"""Counts the ops that calls of TensorFlow's functions make, on TensorFlow 1.15.5 and here: the table of what differs.

Usage, from the root of the repository:

    python -m tests.v1.seeds.counting           on TensorFlow 1.15.5: records; on TensorFlow 2: its part of the table
    python -m tests.v1.seeds.counting --check   on any: says what calls count other ops than TensorFlow 1.15.5's; ends
                                                with 1 if those are others than were known when the table was made

The calls are calls.txt, one in a line; in each graph there are the names of `_names`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter as Tally
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Tuple

import numpy as np
from packaging.version import Version

from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import installed_version
from tf1mem.v1 import _op_counts, _op_table, _seeds
from tf1mem.v1._op_table import ROWS, table

from .targets import TARGETS

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded" / "calls.json"
OTHERS = HERE / "recorded" / "others.json"
TABLE = Path(_op_table.__file__)
KIND = "Dict[str, Dict[str, str]]"
TENSORFLOW = "1.15.5"

# A call -> how many ops it made, and the calls within.
Made = Dict[str, Tuple[int, List["Noted"]]]

# Function -> (kind, before, own) -> (before, own) on TensorFlow 1.
Counts = Dict[str, Dict[Any, Any]]


class Noted(NamedTuple):
    """What a call of a function made.

    Attributes:
        name: The function.
        kind: What it was given.
        before: As in `_op_counts.Count`.
        own: Its ops, but for those that are counted within.
        all: Every op that TensorFlow 1 would have made in it, as far as is known.
        depth: How many others it was called in.
    """

    name: str
    kind: str
    before: int | None
    own: int
    all: int
    depth: int


class _Noting(_op_counts.Counter):
    """A counter that notes what each function makes."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(TARGETS, ()), loaded_module("python.framework.ops").get_default_graph)
        self.noted: list[Noted] = []
        self._made: tuple[Any, int] = (None, 0)
        self._depth = 0

    def call(self, name: str, kind: str, graph: Any, function: Any) -> Any:
        outer = list(self._ops(graph).calls)

        def so_far() -> int:
            return self.made(graph) - sum(call.ahead for call in outer)

        start = so_far()
        self._depth += 1
        try:
            returned = super().call(name, kind, graph, function)
        finally:
            self._depth -= 1
        self.noted.append(Noted(name, kind, *self._made, so_far() - start, self._depth))
        return returned

    def whole(self, name: str, kind: str, before: int | None, own: int) -> int:
        self._made = (before, own)
        return super().whole(name, kind, before, own)


def calls() -> list[str]:
    """The calls."""
    lines = (HERE / "calls.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _names(tf: Any) -> dict[str, Any]:
    """What a call finds in its graph."""

    def fed(*shape: Any, kind: Any = tf.float32) -> Any:
        return tf.placeholder(kind, shape)

    return {
        "tf": tf,
        "np": np,
        "p": fed(),
        "x": fed(4, 3),
        "u": fed(None, 3),
        "seq": fed(2, 5, 3),
        "sequ": fed(None, None, 3),
        "img": fed(2, 8, 8, 3),
        "imu": fed(None, 8, 8, 3),
        "vol": fed(2, 6, 6, 6, 3),
        "i": fed(4, kind=tf.int32),
        "iu": fed(None, kind=tf.int32),
        "b": fed(4, kind=tf.bool),
        "st": fed(4, kind=tf.string),
        "sp": tf.SparseTensor([[0, 0]], [1.0], [4, 3]),
        "v": tf.get_variable("v", [3, 2]),
        "rv": tf.get_variable("rv", [3, 2], use_resource=True),
        "kern": tf.get_variable("kern", [3, 3, 3, 4]),
        "D": tf.data.Dataset.range(5),
    }


def count(tf: Any, counter: Any, asked: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each call, and how many ops it made as `counter` counts them."""
    for call in asked:
        graph = tf.Graph()
        with graph.as_default():
            tf.set_random_seed(1)
            names = _names(tf)
            del getattr(counter, "noted", [])[:]
            before = counter.made(graph)
            exec(compile(call, "calls.txt", "exec"), names)
            yield call, counter.made(graph) - before


def _pairs(there: list[Noted], here: list[Noted]) -> Iterator[tuple[Noted, Noted]]:
    """The calls of each function that were made in the same place there and here."""
    for name in {noted.name for noted in here}:
        mine = [noted for noted in here if noted.name == name]
        theirs = [noted for noted in there if noted.name == name]
        if len(mine) == len(theirs):
            yield from zip(mine, theirs)


def counted(there: Made, here: Made) -> Counts:
    """What each function makes here, and on TensorFlow 1."""
    seen: Any = defaultdict(lambda: defaultdict(Tally))
    for call, (_, noted) in here.items():
        for mine, theirs in _pairs(there[call][1], noted):
            seen[mine.name][mine.kind, mine.before, mine.own][theirs.before, theirs.own] += 1
    known = {noted.name for _, calls in there.values() for noted in calls}
    found = {name: {one: others.most_common(1)[0][0] for one, others in seen[name].items()} for name in TARGETS}
    for name in {noted.name for _, calls in here.values() for noted in calls} - known:
        found[name] = {("", None, None): (None, 0)}
    return found


def corrected(counts: Counts, there: Made, here: Made) -> Counts:
    """The same, after a count by them: what functions called within made there alone, or here alone, is added."""
    seen: Any = defaultdict(lambda: defaultdict(Tally))
    for call, (_, noted) in here.items():
        lacking = {id(mine): theirs.all - mine.all for mine, theirs in _pairs(there[call][1], noted)}
        for place, mine in enumerate(noted):
            if id(mine) in lacking:
                within = 0
                for other in reversed(noted[:place]):
                    if other.depth <= mine.depth:
                        break
                    within += lacking.get(id(other), 0) if other.depth == mine.depth + 1 else 0
                seen[mine.name][mine.kind, mine.before, mine.own][lacking[id(mine)] - within] += 1
    return {
        name: {
            one: (before, own + (seen[name][one].most_common(1)[0][0] if seen[name][one] else 0))
            for one, (before, own) in of_name.items()
        }
        for name, of_name in counts.items()
    }


def row(of_name: dict[Any, Any]) -> str:
    """A function's row of the table."""
    found = set()
    for (kind, before, own), there in of_name.items():
        same = {other for (_, *one), other in of_name.items() if one == [before, own]}
        found.add(("" if len(same) == 1 else kind, (before, own), there))
    deltas = {(one[0] and (other[0] or 0) - one[0], one[1] and other[1] - one[1]) for _, one, other in found}
    if not deltas - {(0, 0), (None, 0)}:
        return ""
    kept = sorted(found, key=str)[: 1 if len(deltas) == 1 else None]
    return " ".join(f"{kind and kind + ':'}{_side(*other)}>{_side(*one)}" for kind, one, other in kept)


def _side(before: int | None, own: int | None) -> str:
    text = "*" if own is None else str(own)
    return text if before is None else f"{before}/{text}"


def write(version: str, found: dict[str, str]) -> None:
    """Writes what the functions differ by on a TensorFlow into the table."""
    for name in {*found, *ROWS}:
        of_versions = {**ROWS.get(name, {}), version: found.get(name, "")}
        ordered = sorted(of_versions, key=Version)
        before = dict(zip(ordered[1:], ordered))
        ROWS[name] = {
            one: of_versions[one]
            for one in ordered
            if (of_versions[one] != of_versions[before[one]] if one in before else of_versions[one])
        }
    lines = [f"    {json.dumps(name)}: {json.dumps(ROWS[name])}," for name in sorted(ROWS) if ROWS[name]]
    head = TABLE.read_text("utf-8").partition("\nROWS:")[0]
    TABLE.write_text(head + "\n".join(["", f"ROWS: {KIND} = {{", *lines, "}", ""]), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Records, or makes the table, or checks."""
    version = str(installed_version())
    tf = import_module("tensorflow" if version == TENSORFLOW else "tf1mem.v1")
    tf.logging.set_verbosity(tf.logging.ERROR)
    _ = tf.Graph, tf.keras.layers.Layer, tf.layers.Layer  # loaded when they are asked for
    if arguments == ["--check"]:
        return _check(tf, version)
    counter = _Noting()
    _seeds.count(tf, counter)
    noted = {call: (ops, list(counter.noted)) for call, ops in count(tf, counter, calls())}
    if version == TENSORFLOW:
        _write(RECORDED, noted)
    else:
        _write(OTHERS, {**_read(OTHERS), version: _others(_tabulate(tf, version, counter, noted))})
    return 0


def _check(tf: Any, version: str) -> int:
    """Says which calls count otherwise than is known; on TensorFlow 2 of those that a row counts in."""
    graphs = loaded_module("python.framework.ops").get_default_graph
    known, rows = _read(OTHERS).get(version, []), table(installed_version())
    counter = _op_counts.Counter({} if version == TENSORFLOW else rows, graphs)
    _seeds.count(tf, counter)
    asked = [
        call
        for call, (_, noted) in _read(RECORDED).items()
        if version == TENSORFLOW or any(rows.get(name) for name, *_ in noted)
    ]
    found = _others(dict(count(tf, counter, asked)))
    print("\n".join([*found, f"{len(asked)} calls, {len(found)} count another number of ops, {len(known)} are known"]))
    return int(found != known)


def _others(made: dict[str, int]) -> list[str]:
    """The calls that count another number of ops than TensorFlow 1.15.5 made, and how many more."""
    there = _read(RECORDED)
    return [f"{call}  # {ops - there[call][0]:+}" for call, ops in made.items() if ops != there[call][0]]


def _read(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return read


def _write(path: Path, kept: dict[str, Any]) -> None:
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in kept.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _tabulate(tf: Any, version: str, counter: _Noting, noted: Made) -> dict[str, int]:
    """Writes what differs on this TensorFlow into the table, and counts by it what differed."""
    there = {call: (ops, [Noted(*one) for one in calls]) for call, (ops, calls) in _read(RECORDED).items()}
    counts = counted(there, noted)
    for _ in range(2):
        rows = {name: row(of_name) for name, of_name in counts.items()}
        counter.table = {name: _op_counts.parsed(rows[name]) for name in TARGETS}
        asked = [
            call
            for call, (ops, within) in noted.items()
            if ops != there[call][0] or any(rows[one.name] for one in within)
        ]
        noted = {call: (ops, list(counter.noted)) for call, ops in count(tf, counter, asked)}
        counts, before = corrected(counts, there, noted), counts
    write(version, {name: row(of_name) for name, of_name in before.items()})
    return {call: ops for call, (ops, _) in noted.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
