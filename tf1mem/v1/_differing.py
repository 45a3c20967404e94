"""Reports calls that make a different number of ops than on TensorFlow 1, and so change the seeds of later ops.

In a graph with a seed, an op without one gets the number of ops before it as its seed. `_differing_table.py` lists the
calls whose number of ops differs. A call is reported only if an op draws a seed after it, which is rare.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Collection, Iterator, List, Mapping, NamedTuple
from weakref import WeakKeyDictionary

from tf1mem.machine.first_start import near, user_frame
from tf1mem.v1._op_counts import letter

# Prefix of a function's name in the table if its gradients, not the function itself, make a different number of ops.
OF_GRADIENTS = "gradients of "


class TableCall(NamedTuple):
    """A call of a function of the table.

    Attributes:
        name: The function's name in the table; `OF_GRADIENTS` comes first if the number of its gradients' ops differs.
        features: The call's arguments, as `features_of` describes them.
        start: Number of ops in the graph when the call began.
        end: Number of ops in the graph when the call ended.
        line: The program's line that made the call, "FILE:LINE"; "" if it isn't known.
    """

    name: str
    features: Collection[str]
    start: int
    end: int
    line: str


class _GraphState:
    """The calls of one graph: `calls` are those whose gradients would differ, `pending` those to report at a seed."""

    def __init__(self) -> None:
        self.calls: List[TableCall] = []
        self.pending: List[TableCall] = []


class TableWatch:
    """Watches the functions of a table in every graph that has a seed.

    Args:
        table: Function's name -> the features of each kind of call that differs. `OF_GRADIENTS` before the name stands
            for calls whose gradients differ.
        default_graph: Returns the graph that ops are added to.
        say: Called with the function's description and the program's line, if a seed is drawn after such a call.

    Attributes:
        table: The argument.
        names: Names of the functions of the table, without `OF_GRADIENTS`.
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
        self._graphs: WeakKeyDictionary[Any, _GraphState] = WeakKeyDictionary()

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function, wrapped so that its calls are noted.

        Args:
            name: The function's name in the table.
            function: TensorFlow's function.
        """
        signature = inspect.signature(function)

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            graph = self._default_graph()
            if graph.seed is None:
                return function(*args, **kwargs)
            start = graph.version
            returned = function(*args, **kwargs)
            arguments = signature.bind(*args, **kwargs).arguments
            self.called(name, features_of(arguments, signature.parameters), graph, start)
            return returned

        return watched

    def called(self, name: str, features: Collection[str], graph: Any, start: int) -> None:
        """Notes a call that has returned, if it differs. The note replaces those of calls that were made within it.

        Args:
            name: The function's name in the table.
            features: The call's arguments, as `features_of` describes them.
            graph: The graph that the call added ops to.
            start: Number of ops in the graph when the call began.
        """
        noted = self._graphs.setdefault(graph, _GraphState())
        for key, calls in ((name, noted.pending), (OF_GRADIENTS + name, noted.calls)):
            if self.differs(key, features):
                calls[:] = [call for call in calls if call.start < start]
                calls.append(TableCall(key, features, start, graph.version, _program_line()))

    def differs(self, name: str, features: Collection[str]) -> bool:
        """Returns True if a call is of a kind that differs.

        Args:
            name: A key of the table.
            features: The call's arguments, as `features_of` describes them.
        """
        return any({*kind} <= {*features} for kind in self.table.get(name, ()))

    def gradient_of(self, op: Any) -> None:
        """Notes that a gradient of an op is built: calls that made the op become pending if their gradients differ."""
        noted = self._graphs.get(op.graph)
        if noted is not None and noted.calls:
            number = number_of(op)
            passed = [call for call in noted.calls if call.start < number <= call.end]
            noted.calls[:] = [call for call in noted.calls if call not in passed]
            noted.pending += passed

    def note(self, name: str) -> None:
        """Notes a call that makes another number of ops than on TensorFlow 1, whatever its arguments are.

        Args:
            name: The function, written as in the table; the table doesn't need to have it.
        """
        graph = self._default_graph()
        if graph.seed is None:
            return
        pending = self._graphs.setdefault(graph, _GraphState()).pending
        if all(call.name != name for call in pending):
            pending.append(TableCall(name, (), graph.version, graph.version, _program_line()))

    def report_pending(self, graph: Any) -> None:
        """Reports the pending calls of a graph, because an op draws a seed now."""
        noted = self._graphs.get(graph)
        if noted is not None:
            for call in noted.pending:
                self._say(readable(call.name), call.line)
            noted.pending.clear()


def number_of(op: Any) -> int:
    """Returns an op's position in its graph, from 1. TensorFlow's own ids start at 1, and since 2.15 at 2."""
    return int(op._id) + 1 - _first_id(op.graph)


def _first_id(graph: Any) -> int:
    if graph not in _FIRST_IDS:
        _FIRST_IDS[graph] = int(graph.get_operations()[0]._id)
    return _FIRST_IDS[graph]


# Graph -> id of its first op.
_FIRST_IDS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def _program_line() -> str:
    filename, line = user_frame()
    return f"{near(filename)}:{line}" if filename else ""


def readable(name: str) -> str:
    """Returns a readable form of a name in the table: "a Dense layer", "tf.scan", "the gradients of tf.scan"."""
    if name.startswith(OF_GRADIENTS):
        return f"the gradients of {readable(name[len(OF_GRADIENTS) :])}"
    if " " not in name:
        return f"tf.{name}"
    layer = name.partition(" ")[2]
    return f"{'an' if layer[0] in 'AEIO' else 'a'} {layer} layer"


def features_of(arguments: Mapping[str, Any], every: Collection[str]) -> set[str]:
    """Returns a call's arguments as strings, such as "renorm=t" for renorm=True, and "!seed" for a missing argument.

    A number has two strings, such as "rate=f" and "rate=0.0"; so has a tensor of a known rank above 0, such as "x=S"
    and "x=rank2".

    Args:
        arguments: Name -> value of each argument of the call.
        every: Names of all arguments that the function has.
    """
    features = {f"!{name}" for name in every if arguments.get(name) is None}
    for name, value in arguments.items():
        if value is not None and name != "name":
            features.update(f"{name}={description}" for description in _described(value))
    return features


def _described(value: Any) -> Iterator[str]:
    """Yields the value's `letter`, and its number or rank; for objects, and for lists of them, only their classes."""
    kind = letter(value)
    if kind == "o":
        yield type(value).__name__
    elif kind in ("S", "D"):
        yield from (kind, f"rank{len(value.shape)}")
    elif kind == "L":
        yield from sorted({type(entry).__name__ for entry in value})
    else:
        yield kind
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield str(float(value))
