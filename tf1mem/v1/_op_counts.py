"""How many ops TensorFlow 1 would have made in a graph: those that are there, and what some functions differ by.

A call of a function counts what it makes itself; what others make that are called within, and count for themselves, is
theirs. So a layer counts the same whatever initializer it is given.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, NamedTuple, Sequence, Tuple
from weakref import WeakKeyDictionary


class Count(NamedTuple):
    """What a function made in a call here, and what TensorFlow 1's made in the same call.

    Attributes:
        kind: What the call was given, as `kind_of` says it; "" where that makes no difference.
        before: Those of its ops here that came before the first seed was drawn; None where none was.
        own: All of its ops here; None for whatever it makes, where TensorFlow 1 has no such function.
        before_1: As `before`, on TensorFlow 1.
        own_1: As `own`, on TensorFlow 1.
        each: Whether it is so many for each of any number of things, such as an optimizer's variables.
    """

    kind: str
    before: int | None
    own: int | None
    before_1: int | None
    own_1: int
    each: bool = False


# Function -> its counts.
Table = Mapping[str, Sequence[Count]]


class _Call:
    """A call that is going on.

    Attributes:
        name: The function.
        kind: What it was given.
        start: The ops of the graph when it began.
        others: The ops that calls within have made.
        before: As in `Count`, once it is known.
        ahead: What has been added for it already.
    """

    def __init__(self, name: str, kind: str, start: int) -> None:
        self.name = name
        self.kind = kind
        self.start = start
        self.others = 0
        self.before: int | None = None
        self.ahead = 0


class _Ops:
    """What is known of a graph: the calls that are going on, and how many ops TensorFlow 1 would have made more."""

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self.more = 0


class Counter:
    """Counts the ops of every graph that has a seed.

    Args:
        table: What differs.
        default_graph: Returns the graph that ops go to.
    """

    def __init__(self, table: Table, default_graph: Callable[[], Any]) -> None:
        self.table = table
        self.default_graph = default_graph
        self._is_trying = False
        self._graphs: WeakKeyDictionary[Any, _Ops] = WeakKeyDictionary()

    def made(self, graph: Any) -> int:
        """The ops that TensorFlow 1 would have made in a graph by now."""
        return int(graph.version) + self._ops(graph).more

    def drawn(self, graph: Any) -> int:
        """The same, for a seed: what the calls that are going on made before it is told apart."""
        ops = self._ops(graph)
        begun = [*(call.start for call in ops.calls[1:]), graph.version]
        for call, until in zip(ops.calls, begun):
            if call.before is None:
                call.before = until - call.start - call.others
                call.ahead = self.ahead(call.name, call.kind, call.before)
                ops.more += call.ahead
        return self.made(graph)

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does the same, and counts."""

        @functools.wraps(function)
        def counting(*args: Any, **kwargs: Any) -> Any:
            graph = self.default_graph()
            if graph.seed is None:
                return function(*args, **kwargs)
            return self.call(name, kind_of(*args, **kwargs), graph, lambda: function(*args, **kwargs))

        return counting

    def around_composed(self, function: Callable[..., Any], of_1: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does the same, and counts as many ops as another makes of the same.

        Args:
            function: TensorFlow's, which makes no op that draws.
            of_1: Makes what TensorFlow 1 made; it is called in a graph of its own, which is dropped.
        """

        @functools.wraps(function)
        def counting(*args: Any, **kwargs: Any) -> Any:
            graph = self.default_graph()
            if graph.seed is None or self._is_trying:
                return function(*args, **kwargs)
            ops, start = self._ops(graph), graph.version
            more = ops.more
            returned = function(*args, **kwargs)
            made = self._made_by(graph, of_1, args, kwargs)
            if made is not None:
                ops.more = more + made - (graph.version - start)
                if ops.calls:
                    ops.calls[-1].others += graph.version - start
            return returned

        return counting

    def _made_by(self, graph: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> int | None:
        """Returns the number of ops that TensorFlow 1 would have made by a call; None where it refuses the call."""
        scratch = type(graph)() if not hasattr(graph, "outer_graph") else None
        if scratch is None:
            return None
        self._is_trying = True
        try:
            with scratch.as_default():
                scratch.seed = graph.seed
                reads = sum(hasattr(arg, "handle") and hasattr(arg, "initializer") for arg in args)
                args = [_stand_in(arg, scratch) for arg in args]
                start = self.made(scratch)
                function(*args, **kwargs)
                return self.made(scratch) - start + reads
        except (TypeError, ValueError):
            return None
        finally:
            self._is_trying = False

    def call(self, name: str, kind: str, graph: Any, function: Callable[[], Any]) -> Any:
        """Calls a function that makes ops in a graph, and counts them.

        Args:
            name: Its name in the table.
            kind: What it is given.
            graph: The graph.
            function: Calls it.

        Returns:
            What it returns.
        """
        ops = self._ops(graph)
        call = _Call(name, kind, graph.version)
        ops.calls.append(call)
        try:
            return function()
        finally:
            ops.calls.pop()
            made = graph.version - call.start
            ops.more += self.whole(name, kind, call.before, made - call.others) - call.ahead
            if ops.calls:
                ops.calls[-1].others += made

    def _ops(self, graph: Any) -> _Ops:
        if graph not in self._graphs:
            self._graphs[graph] = _Ops()
        return self._graphs[graph]

    def ahead(self, name: str, kind: str, before: int) -> int:
        """How many ops more TensorFlow 1 had made before the first seed was drawn."""
        known = [count for count in self.table[name] if count.before is not None and count.before_1 is not None]
        if not known:
            return 0
        count = min(
            known,
            key=lambda count: (_otherwise(count.kind, kind), abs((count.before or 0) - before), count.kind != kind),
        )
        return (count.before_1 or 0) - (count.before or 0)

    def whole(self, name: str, kind: str, before: int | None, own: int) -> int:
        """How many ops more TensorFlow 1 had made in all; of a call that the table hasn't, what the likest has."""
        if not self.table[name]:
            return 0
        count = min(
            self.table[name],
            key=lambda count: (
                _otherwise(count.kind, kind),
                count.before != before,
                abs((count.own or 0) - own),
                count.kind != kind,
            ),
        )
        if count.each:
            return _for_each(self.table[name], own)
        return count.own_1 - (own if count.own is None else count.own)


def _for_each(counts: Sequence[Count], own: int) -> int:
    """Returns the ops that TensorFlow 1 made more for a number of variables, by a row's ops for each."""
    sizes = [(count.own or 1, count) for count in counts]
    size, count = next(((size, count) for size, count in sizes if own % size == 0), (0, counts[0]))
    number = own // size if size else round(own * len(sizes) / sum(size for size, _ in sizes))
    return number * (count.own_1 - (count.own or 0))


def _otherwise(known: str, kind: str) -> int:
    """Returns the distance of a kind of call from a known one: 0 if equal, 1 if only named parts differ."""
    return 0 if known in ("", kind) else 1 if known == kind.partition(",")[0] else 2


def _stand_in(value: Any, graph: Any) -> Any:
    """A tensor of the same type and shape in another graph; what isn't a tensor or a variable as it is."""
    if not hasattr(getattr(value, "shape", None), "is_fully_defined"):
        return value
    attrs: dict[str, Any] = {"dtype": value.dtype.base_dtype, "shape": value.shape}
    return _placeholder(graph, **attrs)


def _placeholder(graph: Any, dtype: Any, shape: Any) -> Any:
    from tf1mem.machine.modules import loaded_module

    with graph.as_default():
        return loaded_module("python.ops.array_ops").placeholder(dtype, shape)


def kind_of(*args: Any, **kwargs: Any) -> str:
    """What a call is given, as far as the number of its ops can depend on it.

    Args:
        args: Its arguments: a letter for each.
        kwargs: Those with names.
    """
    named = (f"{name}={letter(value)}" for name, value in sorted(kwargs.items()) if name != "name")
    return ",".join(["".join(map(letter, args)), *named])


def letter(value: Any) -> str:
    """Returns what stands for an argument in `kind_of`."""
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)[0].lower() if value is None or isinstance(value, bool) else type(value).__name__[0]
    if isinstance(value, str):
        return value.replace(" ", "")
    if isinstance(value, (list, tuple)):
        return "l" if all(isinstance(part, (int, float)) for part in value) else "L"
    if hasattr(value, "is_integer"):
        return "I" if value.is_integer else "F"
    shape: Any = getattr(value, "shape", None)
    if not hasattr(shape, "is_fully_defined"):
        return "o"
    if hasattr(value, "initializer"):
        return "V"
    rank = len(shape) if shape.ndims is not None else None
    return "?" if rank is None else "0" if rank == 0 else "S" if shape.is_fully_defined() else "D"


def parsed(text: str) -> Tuple[Count, ...]:
    """The counts of a function.

    Args:
        text: "5>3" where TensorFlow 1 made 5 ops and 3 are here; "4/16>3/8" where 4 and 3 came before; "Sil:5>3" of
            calls of that kind alone; "0>*" where TensorFlow 1 has no such function; "6>8x 8>10x" where it made 6 for
            each 8, or 8 for each 10, of any number of things.
    """
    found = []
    for word in text.split():
        kind, _, numbers = word.rpartition(":")
        there, here = (_side(side) for side in numbers.rstrip("x").split(">"))
        found.append(Count(kind, *here, *there, numbers.endswith("x")))
    return tuple(found)


def _side(text: str) -> Tuple[Any, Any]:
    before, _, own = text.rpartition("/")
    return (int(before) if before else None), (None if own == "*" else int(own))
