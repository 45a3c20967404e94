"""Counts the ops that calls of TensorFlow's functions make, on TensorFlow 1.15.5 and here, for the table of ops.

Usage, from the root of the repository:

    python -m tests.v1.seeds.counting           on TensorFlow 1.15.5: records; on TensorFlow 2: writes its part of the
                                                table
    python -m tests.v1.seeds.counting --more    on TensorFlow 1.15.5: records the calls that aren't recorded yet
    python -m tests.v1.seeds.counting NAME …    on TensorFlow 2: writes the part of these functions
    python -m tests.v1.seeds.counting --check [NAME …]
                                                on any: prints the calls (of these functions) that count other ops than
                                                on TensorFlow 1.15.5; ends with 1 if a call isn't a known one

The calls are the lines of calls.txt, patterns.txt and surface.txt. The graph of a call contains those of `NAMES` that
the call uses.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections import Counter as Tally
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Tuple

import numpy as np
from packaging.version import Version

from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import installed_version
from tf1mem.v1 import _op_counts, _op_table, _seeds
from tf1mem.v1._exact_counts import Correction, more_ops, rules
from tf1mem.v1._op_table import Rows, table

from .targets import EACH, PUBLIC_CALLS, TARGETS

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded" / "calls.json"
OTHERS = HERE / "recorded" / "others.json"
TENSORFLOW = "1.15.5"

# A call -> the number of ops that it made, the seeds that they drew, and the calls of functions within it.
Made = Dict[str, Tuple[int, List[int], List["Noted"]]]

# Function -> (kind, before, ops) on TensorFlow 2 -> (before, ops) on TensorFlow 1: see `Noted`.
Counts = Dict[str, Dict[Any, Any]]


class Noted(NamedTuple):
    """The ops that a call of a function made.

    Attributes:
        name: The function.
        kind: The kind of its arguments, or its correction by a rule.
        before: The number of these ops that it made before the first seed; None if no seed was drawn.
        ops: The number of its ops, without those of counted functions that it called.
        all_ops: The number of all ops that TensorFlow 1 would have made in it, as far as is known.
        depth: The number of counted functions that were running when it was called.
    """

    name: str
    kind: str | Correction
    before: int | None
    ops: int
    all_ops: int
    depth: int


class _Noting(_op_counts.Counter):
    """A counter that also notes the ops of each call."""

    noted: List[Noted]

    def __init__(self) -> None:
        graphs = loaded_module("python.framework.ops").get_default_graph
        super().__init__(dict.fromkeys(TARGETS, ()), graphs, rules(installed_version()))
        self.noted: list[Noted] = []
        self._last_counts: tuple[Any, int] = (None, 0)  # of the call that has just ended
        self._depth = 0

    def call(self, name: str, kind: str | Correction, graph: Any, function: Any) -> Any:
        outer = list(self._ops(graph).calls)

        def so_far() -> int:
            return self.tf1_ops(graph) - sum(call.correction_before_seed for call in outer)

        start = so_far()
        self._depth += 1
        try:
            returned = super().call(name, kind, graph, function)
        finally:
            self._depth -= 1
        self.noted.append(Noted(name, kind, *self._last_counts, so_far() - start, self._depth))
        return returned

    def correction(self, name: str, kind: str | Correction, before: int | None, call_ops: int) -> int:
        self._last_counts = (before, call_ops)
        return super().correction(name, kind, before, call_ops)


def calls() -> list[str]:
    """Returns the calls to count: written by hand, from patterns, and of every public function."""
    lines = [*_lines("calls.txt"), *(call for line in _lines("patterns.txt") for call in expanded(line))]
    return list(dict.fromkeys([*lines, *_lines("surface.txt")]))


def _lines(name: str) -> list[str]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def expanded(pattern: str) -> list[str]:
    """Returns the calls of a pattern, with each alternative between « and »: "f(«x|u», «1|2»)" is four calls."""
    parts = [part[1:-1].split("|") if part[0] == "«" else [part] for part in re.split("(«[^»]*»)", pattern) if part]
    every = ["".join(chosen) for chosen in itertools.product(*parts)]
    return every if len(every) <= MOST else sorted(Random(0).sample(every, MOST))


def _fed(shape: Any, kind: str = "float32") -> Callable[[Any], Any]:
    """Returns a function that creates a placeholder."""
    return lambda tf: tf.placeholder(getattr(tf, kind), shape)


# Name in a call -> function that creates its value in the graph.
NAMES: Dict[str, Callable[[Any], Any]] = {
    "p": _fed([]),
    "t": _fed([], "bool"),
    "x": _fed([4, 3]),
    "u": _fed([None, 3]),
    "seq": _fed([2, 5, 3]),
    "sequ": _fed([None, None, 3]),
    "img": _fed([2, 8, 8, 3]),
    "imu": _fed([None, 8, 8, 3]),
    "hw": _fed([None, None, 3]),
    "bhw": _fed([None, None, None, 3]),
    "unk": _fed(None),
    "vol": _fed([2, 6, 6, 6, 3]),
    "i": _fed([4], "int32"),
    "iu": _fed([None], "int32"),
    "b": _fed([4], "bool"),
    "st": _fed([4], "string"),
    "sp": lambda tf: tf.SparseTensor([[0, 0]], [1.0], [4, 3]),
    "v": lambda tf: tf.get_variable("v", [3, 2]),
    "rv": lambda tf: tf.get_variable("rv", [3, 2], use_resource=True),
    "kern": lambda tf: tf.get_variable("kern", [3, 3, 3, 4]),
    "D": lambda tf: tf.data.Dataset.range(5),
}
# The most calls of one pattern; from more, so many are drawn.
MOST = 30
# A call that raised an error -> the error.
FAILED: Dict[str, str] = {}
# Calls that use all variables of the graph.
_OF_ALL = re.compile(r"_variables|Saver|_collection|\.saver")


def made_by(tf: Any, counter: Any, call: str) -> tuple[int, list[int]]:
    """Counts the ops that a call makes in a new graph with a seed.

    Args:
        tf: TensorFlow's TF1 API.
        counter: The counter of ops; None for the graph's own count.
        call: The call.

    Returns:
        The number of ops, and the seeds that ops took in it, both from the call's beginning.
    """
    code = compile(call, "calls.txt", "exec")
    named = _named(code) | ({"v", "rv", "kern"} if _OF_ALL.search(call) else set())
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        np.random.seed(1)  # Keras takes the seeds of noise from NumPy's generator
        names = {"tf": tf, "np": np, **{name: make(tf) for name, make in NAMES.items() if name in named}}
        del getattr(counter, "noted", [])[:]
        before, first_op = (counter.tf1_ops(graph) if counter else graph.version), len(graph.get_operations())
        exec(code, names)
        after = counter.tf1_ops(graph) if counter else graph.version
        seeds = [op.get_attr("seed2") - before for op in graph.get_operations()[first_op:] if _has_seed(op)]
    return after - before, seeds


def _named(code: Any) -> set[str]:
    return set(code.co_names).union(*(_named(constant) for constant in code.co_consts if hasattr(constant, "co_names")))


def _has_seed(op: Any, known: dict[str, bool] = {}) -> bool:  # noqa: B006
    if op.type not in known:
        known[op.type] = any(attr.name == "seed2" for attr in op.op_def.attr)
    return known[op.type]


def count(tf: Any, counter: Any, calls_to_count: Iterable[str]) -> Iterator[tuple[str, tuple[int, list[int]]]]:
    """Yields each call that works, with its ops and seeds as `counter` counts them."""
    for call in calls_to_count:
        try:
            result = made_by(tf, counter, call)
        except Exception as error:
            FAILED[call] = f"{type(error).__name__}: {error}".splitlines()[0]
        else:
            yield call, result


def _pairs(tf1_calls: list[Noted], tf2_calls: list[Noted]) -> Iterator[tuple[Noted, Noted]]:
    """Yields pairs of a call on TensorFlow 2 and the same call on TensorFlow 1: of one function, in equal order."""
    for name in {noted.name for noted in tf2_calls}:
        on_tf2 = [noted for noted in tf2_calls if noted.name == name]
        on_tf1 = [noted for noted in tf1_calls if noted.name == name]
        if len(on_tf2) == len(on_tf1):
            yield from zip(on_tf2, on_tf1)


def counted(tf1_calls: Made, tf2_calls: Made) -> Counts:
    """Returns the ops that each function makes on TensorFlow 2, and on TensorFlow 1."""
    tallies: Any = defaultdict(lambda: defaultdict(Tally))
    for call, (*_, noted) in tf2_calls.items():
        for tf2_call, tf1_call in _pairs(tf1_calls[call][-1], noted):
            if not isinstance(tf2_call.kind, Correction):
                tallies[tf2_call.name][tf2_call.kind, tf2_call.before, tf2_call.ops][tf1_call.before, tf1_call.ops] += 1
    known = {noted.name for *_, calls in tf1_calls.values() for noted in calls}
    counts = {name: {key: others.most_common(1)[0][0] for key, others in tallies[name].items()} for name in TARGETS}
    for name in {noted.name for *_, calls in tf2_calls.values() for noted in calls} - known:
        counts[name] = {("", None, None): (None, 0)}
    return counts


def corrected(counts: Counts, tf1_calls: Made, tf2_calls: Made) -> Counts:
    """Corrects the counts by a second run: adds the ops that inner functions made on only one of the TensorFlows.

    The ops before a function's seed can be counted where the function is the whole call: by the only seed that the call
    draws.
    """
    tallies: Any = defaultdict(lambda: defaultdict(Tally))
    tallies_before_seed: Any = defaultdict(lambda: defaultdict(Tally))
    for call, (ops, seeds, noted) in tf2_calls.items():
        if (
            len(seeds) == len(tf1_calls[call][1]) == 1
            and noted
            and noted[-1].before is not None
            and noted[-1].all_ops == ops
        ):
            last = noted[-1]
            tallies_before_seed[last.name][last.kind, last.before, last.ops][tf1_calls[call][1][0] - seeds[0]] += 1
        pairs = _pairs(tf1_calls[call][-1], noted)
        lacking = {id(tf2_call): tf1_call.all_ops - tf2_call.all_ops for tf2_call, tf1_call in pairs}
        for place, tf2_call in enumerate(noted):
            if id(tf2_call) in lacking:
                within = 0
                for other in reversed(noted[:place]):
                    if other.depth <= tf2_call.depth:
                        break
                    within += lacking.get(id(other), 0) if other.depth == tf2_call.depth + 1 else 0
                tallies[tf2_call.name][tf2_call.kind, tf2_call.before, tf2_call.ops][
                    lacking[id(tf2_call)] - within
                ] += 1
    return {
        name: {
            key: (before and before + _usual(tallies_before_seed[name][key]), ops + _usual(tallies[name][key]))
            for key, (before, ops) in of_name.items()
        }
        for name, of_name in counts.items()
    }


def _usual(numbers: Tally[int]) -> int:
    """Returns the most frequent number; 0 if there is none."""
    return numbers.most_common(1)[0][0] if numbers else 0


def row(name: str, of_name: dict[Any, Any]) -> list[dict[str, Any]]:
    """Returns a function's counts as the table has them: objects with the fields of `_op_counts.Count`.

    Args:
        name: The function.
        of_name: The function's entry of `Counts`.
    """
    counts = set()
    for (kind, before, ops), on_tf1 in of_name.items():
        same = {other for (_, *on_tf2), other in of_name.items() if on_tf2 == [before, ops]}
        counts.add(("" if len(same) == 1 else kind, (before, ops), on_tf1))
    deltas = {(pair[0] and (other[0] or 0) - pair[0], pair[1] and other[1] - pair[1]) for _, pair, other in counts}
    if not deltas - {(0, 0), (None, 0)}:
        return []
    if name in EACH:
        # The counts for one variable; those for several variables are multiples of these.
        single: dict[int, int] = {}
        for ops, tf1_ops in sorted((ops, tf1_ops) for _, (_, ops), (_, tf1_ops) in counts):
            if not any(ops % entry == 0 and tf1_ops * entry == single[entry] * ops for entry in single):
                single[ops] = tf1_ops
        return [{"tf1_ops": tf1_ops, "ops": ops, "per_variable": True} for ops, tf1_ops in single.items()]
    kinds = sorted(counts, key=str)[: 1 if len(deltas) == 1 else None]
    return [_fields(kind, on_tf2, on_tf1) for kind, on_tf2, on_tf1 in kinds]


def _fields(kind: str, on_tf2: tuple[int | None, int | None], on_tf1: tuple[int | None, int]) -> dict[str, Any]:
    """Returns a count as an object that leaves out the fields that have their default."""
    (before, ops), (tf1_before, tf1_ops) = on_tf2, on_tf1
    before_seed = {"tf1_ops_before_seed": tf1_before, "ops_before_seed": before}
    return {
        **({"kind": kind} if kind else {}),
        "tf1_ops": tf1_ops,
        "ops": ops,
        **{name: number for name, number in before_seed.items() if number is not None},
    }


def write(version: str, counts: Mapping[str, list[dict[str, Any]]]) -> None:
    """Writes the counts of functions on a TensorFlow into the table; those of other functions and versions stay.

    Args:
        version: TensorFlow's version.
        counts: Function -> its counts, as `row` returns them.
    """
    rows = _op_table.read()  # now, as another process may have written it meanwhile
    ordered = sorted({version, *(number for of_versions in rows.values() for number in of_versions)}, key=Version)
    for name, own_counts in counts.items():
        of_versions: dict[str, list[dict[str, Any]]] = {}
        last: list[dict[str, Any]] = []
        for of_version in ordered:
            last = rows.get(name, {}).get(of_version, last)
            of_versions[of_version] = own_counts if of_version == version else last
        before = dict(zip(ordered[1:], ordered))
        rows[name] = {
            number: of_versions[number]
            for number in ordered
            if (of_versions[number] != of_versions[before[number]] if number in before else of_versions[number])
        }
    _op_table.PATH.write_text(as_json(rows), encoding="utf-8")


def as_json(rows: Rows) -> str:
    """Returns the table's text, with one count per line, so that a changed count is one line of a diff."""
    functions = []
    for name in sorted(rows):
        versions = (f"    {json.dumps(version)}: {_lines_of(counts)}" for version, counts in rows[name].items())
        if rows[name]:
            functions.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(versions) + "\n  }")
    return "{\n" + ",\n".join(functions) + "\n}\n"


def _lines_of(counts: list[dict[str, Any]]) -> str:
    return "[" + ",".join(f"\n      {json.dumps(count)}" for count in counts) + ("\n    ]" if counts else "]")


def main(arguments: list[str]) -> int:
    """Records, writes the table, or checks."""
    version = str(installed_version())
    tf = import_module("tensorflow" if version == TENSORFLOW else "tf1mem.v1")
    tf.logging.set_verbosity(tf.logging.ERROR)
    _ = tf.Graph, tf.keras.layers.Layer, tf.layers.Layer  # loaded when they are asked for
    import_module("tensorflow.python.keras.engine.base_layer")  # TensorFlow's own copy of Keras
    if arguments[:1] == ["--check"]:
        return _check(tf, version, arguments[1:])
    counter = _Noting()
    _seeds.count(tf, counter, version=installed_version())
    selected = [call for call in calls() if arguments != ["--more"] or call not in _read(RECORDED)]
    if version != TENSORFLOW:
        selected = [
            call
            for call, (*_, noted) in _read(RECORDED).items()
            if not arguments or {name for name, *_ in noted} & {*arguments}
        ]
    noted = {call: (*result, list(counter.noted)) for call, result in count(tf, counter, selected)}
    if version == TENSORFLOW:
        _write(RECORDED, {**(_read(RECORDED) if arguments else {}), **noted})
    else:
        tabulated = _tabulate(version, tf, counter, noted, arguments or TARGETS)
        others = [other for other in _read(OTHERS).get(version, []) if other.rpartition("  # ")[0] not in tabulated]
        _write(OTHERS, {**_read(OTHERS), version: [*others, *_others(tabulated)]})
    return 0


def _check(tf: Any, version: str, names: list[str]) -> int:
    """Prints the calls with unknown differences; on TensorFlow 2 only calls of functions that make other ops there.

    Args:
        tf: TensorFlow's TF1 API.
        version: TensorFlow's version.
        names: Counted functions, or parts of a call's text, which select the calls; empty for all such functions.
    """
    graphs = loaded_module("python.framework.ops").get_default_graph
    known, rows = _read(OTHERS).get(version, []), table(installed_version())
    exact = rules(installed_version())
    counter = _op_counts.Counter({} if version == TENSORFLOW else rows, graphs, exact)
    _seeds.count(tf, counter, version=installed_version())
    uncounted = {**more_ops(installed_version()), **more_ops(installed_version(), keras=True)}
    counted_names = {*(name for name in rows if rows[name]), *exact}
    texts = names or [*(PUBLIC_CALLS[name] for name in uncounted), "tf.gradients("]
    selected = [
        call
        for call, (*_, noted) in _read(RECORDED).items()
        if version == TENSORFLOW
        or any(name in (names or counted_names) for name, *_ in noted)
        or any(text in call for text in texts)
    ]
    differing = _others(dict(count(tf, counter, selected)))
    summary = f"{len(selected)} calls, {len(differing)} count a different number of ops, {len(known)} are known"
    print("\n".join([*differing, summary]))
    return int(bool({*differing} - {*known}))


def _others(counted_calls: Mapping[str, tuple[int, list[int]]]) -> list[str]:
    """Returns the calls that make a different number of ops than on TensorFlow 1.15.5, or draw other numbers."""
    recorded = _read(RECORDED)
    return [
        f"{call}  # {ops - recorded[call][0]:+}" if ops != recorded[call][0] else f"{call}  # within"
        for call, (ops, seeds) in counted_calls.items()
        if [ops, seeds] != recorded[call][:2]
    ]


def _read(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return read


def _write(path: Path, records: dict[str, Any]) -> None:
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in records.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _tabulate(
    version: str, tf: Any, counter: _Noting, noted: Made, names: Iterable[str]
) -> dict[str, tuple[int, list[int]]]:
    """Writes this TensorFlow's counts of functions into the table, and counts the differing calls by it."""
    known = table(Version(version))
    tf1_calls = {
        call: (ops, seeds, [Noted(*noted) for noted in calls]) for call, (ops, seeds, calls) in _read(RECORDED).items()
    }
    tabulated = {call: (ops, seeds) for call, (ops, seeds, _) in noted.items()}
    counts = counted(tf1_calls, noted)
    for _ in range(2):
        rows = {name: row(name, counts[name]) for name in names}
        counter.table = {name: known.get(name, ()) for name in TARGETS}
        counter.table.update({name: tuple(_op_counts.Count(**fields) for fields in rows[name]) for name in names})
        selected = [
            call
            for call, (ops, seeds, within) in noted.items()
            if (ops, seeds) != tf1_calls[call][:2] or any(counter.table[inner.name] for inner in within)
        ]
        noted = {call: (*result, list(counter.noted)) for call, result in count(tf, counter, selected)}
        tabulated.update({call: (ops, seeds) for call, (ops, seeds, _) in noted.items()})
        counts, before = corrected(counts, tf1_calls, noted), counts
    write(version, {name: row(name, before[name]) for name in names})
    return tabulated


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
