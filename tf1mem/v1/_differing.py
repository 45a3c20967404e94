"""Calls that are known to make another number of ops than on TensorFlow 1: what is drawn after them is another, too.

`_differing_table.py` lists them. A call is said once something has been drawn after it: mostly nothing is.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Collection, Iterator, List, Mapping, NamedTuple
from weakref import WeakKeyDictionary

from tf1mem.machine.first_start import near, user_frame
from tf1mem.v1._op_counts import letter

# What a name of the table begins with where it is not the function itself, but its gradients that make others.
OF_GRADIENTS = "gradients of "


class Called(NamedTuple):
    """A call of a function of the table.

    Attributes:
        name: The function.
        features: What it was given, as `features_of` says it.
        start: The ops of the graph when it began.
        end: Those when it ended.
        line: The program's line.
    """

    name: str
    features: Collection[str]
    start: int
    end: int
    line: str


class _Graph:
    """Record of a graph: calls whose gradients would differ, and lines to say once something is drawn."""

    def __init__(self) -> None:
        self.calls: List[Called] = []
        self.pending: List[Called] = []


class Watch:
    """Watches the functions of a table in every graph that has a seed.

    Args:
        table: Function -> the features of each kind of call that differs; with `OF_GRADIENTS` before it, of each whose
            gradients do.
        default_graph: Returns the graph that ops go to.
        say: Called with what differs and the line, once something is drawn after it.
    """

    def __init__(
        self,
        table: Mapping[str, Collection[Collection[str]]],
        default_graph: Callable[[], Any],
        say: Callable[[str, str], None],
    ) -> None:
        self.table = table
        self.names = {name[len(OF_GRADIENTS) :] if name.startswith(OF_GRADIENTS) else name for name in table}
        self._default_graph = default_graph
        self._say = say
        self._graphs: WeakKeyDictionary[Any, _Graph] = WeakKeyDictionary()

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does the same, and is watched."""
        signature = inspect.signature(function)

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            graph = self._default_graph()
            if graph.seed is None:
                return function(*args, **kwargs)
            start = graph.version
            returned = function(*args, **kwargs)
            given = signature.bind(*args, **kwargs).arguments
            self.called(name, features_of(given, signature.parameters), graph, start)
            return returned

        return watched

    def called(self, name: str, features: Collection[str], graph: Any, start: int) -> None:
        """Notes a call that has ended, in the place of those within it.

        Args:
            name: Its name in the table.
            features: What it was given.
            graph: The graph.
            start: The ops of the graph when it began.
        """
        noted = self._graphs.setdefault(graph, _Graph())
        for key, calls in ((name, noted.pending), (OF_GRADIENTS + name, noted.calls)):
            if self.differs(key, features):
                calls[:] = [call for call in calls if call.start < start]
                calls.append(Called(key, features, start, graph.version, _program_line()))

    def differs(self, name: str, features: Collection[str]) -> bool:
        """Returns True if a call is of a kind that differs."""
        return any({*kind} <= {*features} for kind in self.table.get(name, ()))

    def gradient_of(self, op: Any) -> None:
        """Notes that gradients go through an op."""
        noted = self._graphs.get(op.graph)
        if noted is not None and noted.calls:
            number = number_of(op)
            passed = [call for call in noted.calls if call.start < number <= call.end]
            noted.calls[:] = [call for call in noted.calls if call not in passed]
            noted.pending += passed

    def drawn(self, graph: Any) -> None:
        """Says which calls differed in a graph before what is being drawn."""
        noted = self._graphs.get(graph)
        if noted is not None:
            for call in noted.pending:
                self._say(said(call.name), call.line)
            noted.pending.clear()


def number_of(op: Any) -> int:
    """Returns which op of its graph an op is, from 1: TensorFlow's ids begin with 1, and with 2 since 2.15."""
    return int(op._id) + 1 - _first_id(op.graph)


def _first_id(graph: Any) -> int:
    if graph not in _FIRST_IDS:
        _FIRST_IDS[graph] = int(graph.get_operations()[0]._id)
    return _FIRST_IDS[graph]


_FIRST_IDS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def _program_line() -> str:
    filename, line = user_frame()
    return f"{near(filename)}:{line}" if filename else ""


def said(name: str) -> str:
    """A name of the table, for people."""
    if name.startswith(OF_GRADIENTS):
        return f"the gradients of {said(name[len(OF_GRADIENTS) :])}"
    return f"a {name.partition(' ')[2]} layer" if " " in name else f"tf.{name}"


def features_of(given: Mapping[str, Any], every: Collection[str]) -> set[str]:
    """Returns a call's arguments as texts: "renorm=t", with the value of a number; "!seed" for one that isn't.

    Args:
        given: Its arguments, by their names.
        every: The names of all that it can have.
    """
    features = {f"!{name}" for name in every if given.get(name) is None}
    for name, value in given.items():
        if value is not None and name != "name":
            features.update(f"{name}={one}" for one in _described(value))
    return features


def _described(value: Any) -> Iterator[str]:
    kind = letter(value)
    if kind == "o":
        yield type(value).__name__
    elif kind in ("S", "D"):
        yield from (kind, f"rank{len(value.shape)}")
    elif kind == "L":
        yield from sorted({type(one).__name__ for one in value})
    else:
        yield kind
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield str(float(value))
