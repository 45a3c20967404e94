"""Computes how many ops TensorFlow 1 would have made in a graph: the graph's own ops, plus a correction by function.

The correction of a function is measured (`_op_table.json`), or follows from a rule (`_exact_counts.py`). A call counts
only the ops that its function makes itself. Counted functions that it calls count their own ops. So a layer has one
correction, whatever its initializer.
"""

from __future__ import annotations

import functools
import re
import sys
from typing import Any, Callable, Mapping, NamedTuple, Sequence
from weakref import WeakKeyDictionary

from tf1mem.v1._exact_counts import Correction, Rules

# Packages whose own calls of functions with exact rules are part of the counts of their functions.
_LIBRARIES = ("tensorflow", "tensorflow_core", "tensorflow_estimator", "tf_keras", "keras", "tf1mem")


class Count(NamedTuple):
    """The number of ops that a function makes in one call, here and on TensorFlow 1.

    Attributes:
        ops: Ops that the installed TensorFlow makes; None matches any number, for a function that TensorFlow 1 lacks.
        tf1_ops: Ops that TensorFlow 1 makes in the same call.
        kind: The kind of call that has these numbers, as `kind_of` returns it; "" for every kind.
        ops_before_seed: The part of `ops` that exists before the call draws its first seed; None if it draws none.
        tf1_ops_before_seed: The part of `tf1_ops` that exists before that seed, or None.
        per_variable: True if a call makes these numbers of ops for each of its variables, as an optimizer does.
    """

    ops: int | None
    tf1_ops: int
    kind: str = ""
    ops_before_seed: int | None = None
    tf1_ops_before_seed: int | None = None
    per_variable: bool = False


# Function -> its counts.
Table = Mapping[str, Sequence[Count]]


class _Call:
    """A counted call that has not returned yet.

    Attributes:
        name: The function's name in the table.
        kind: The kind of call, as `kind_of` returns it, or its correction by a rule.
        start: Number of ops in the graph when the call began.
        nested: Number of ops made by counted calls within this one.
        before: Number of ops that the call itself had made when it drew its first seed; None until then.
        correction_before_seed: The part of its correction that was added at that seed.
    """

    def __init__(self, name: str, kind: str | Correction, start: int) -> None:
        self.name = name
        self.kind = kind
        self.start = start
        self.nested = 0
        self.before: int | None = None
        self.correction_before_seed = 0


class _GraphState:
    """The state of one graph: the open calls, outermost first, and the correction so far.

    Attributes:
        calls: Counted calls that have not returned yet.
        correction: Number of ops to add to the graph's own to get TensorFlow 1's; negative if TensorFlow 1 made fewer.
    """

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self.correction = 0

    def leave_out(self, more: int) -> None:
        """Leaves out ops that TensorFlow 1 wouldn't have made, also from the ops of the innermost open call."""
        self.correction -= more
        if self.calls:
            self.calls[-1].nested += more


class Counter:
    """Counts the ops of every graph that has a seed.

    Args:
        table: Counts of the functions that make a different number of ops than on TensorFlow 1.
        default_graph: Returns the graph that ops are added to.
        rules: Function -> function that is called with the arguments of a call, and returns its correction. A function
            with a rule needs no counts.
    """

    def __init__(self, table: Table, default_graph: Callable[[], Any], rules: Rules | None = None) -> None:
        self.table = table
        self.rules = rules or {}
        self.default_graph = default_graph
        self._is_trying = False
        self._graphs: WeakKeyDictionary[Any, _GraphState] = WeakKeyDictionary()

    def tf1_ops(self, graph: Any) -> int:
        """Returns the number of ops that TensorFlow 1 would have made in a graph by now."""
        return int(graph.version) + self._ops(graph).correction

    def tf1_ops_at_seed(self, graph: Any) -> int:
        """Returns the number of ops that TensorFlow 1 would have made by now, where an op draws a seed.

        The seed depends on the ops that open calls have made before it, so their corrections up to here are added now.
        """
        ops = self._ops(graph)
        begun = [*(call.start for call in ops.calls[1:]), graph.version]
        for call, until in zip(ops.calls, begun):
            if call.before is None:
                call.before = until - call.start - call.nested
                call.correction_before_seed = self.correction_before_seed(call.name, call.kind, call.before)
                ops.correction += call.correction_before_seed
        return self.tf1_ops(graph)

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function, wrapped so that the ops of its calls are counted.

        Args:
            name: The function's name in the table.
            function: TensorFlow's function.
        """

        @functools.wraps(function)
        def counting(*args: Any, **kwargs: Any) -> Any:
            graph = self.default_graph()
            if graph.seed is None:
                return function(*args, **kwargs)
            kind = self.rules[name](*args, **kwargs) if name in self.rules else kind_of(*args, **kwargs)
            return self.call(name, kind, graph, lambda: function(*args, **kwargs))

        return counting

    def around_composed(self, function: Callable[..., Any], tf1_function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function, wrapped so that a call counts the ops of TensorFlow 1's implementation.

        Args:
            function: TensorFlow's function, none of whose ops draws a seed.
            tf1_function: TensorFlow 1's implementation, which is called with the same arguments in a scratch graph.
        """

        @functools.wraps(function)
        def counting(*args: Any, **kwargs: Any) -> Any:
            graph = self.default_graph()
            if graph.seed is None or self._is_trying:
                return function(*args, **kwargs)
            return self.call_of(
                lambda: self._tf1_ops_of(graph, tf1_function, args, kwargs), graph, lambda: function(*args, **kwargs)
            )

        return counting

    def around_exact(
        self, function: Callable[..., Any], more_ops: Callable[..., int], always: bool = False
    ) -> Callable[..., Any]:
        """Returns the function, wrapped so that a call counts TensorFlow 1's ops by a rule and not by the table.

        Args:
            function: TensorFlow's function, none of whose ops draws a seed.
            more_ops: Returns the number of ops that TensorFlow 1 wouldn't have made; called with the number of ops that
                the call made, as far as TensorFlow 1 makes them, too, its result and its arguments.
            always: False if the counts of a counted function include the calls that a library makes within it, so that
                these aren't corrected.
        """

        @functools.wraps(function)
        def counting(*args: Any, **kwargs: Any) -> Any:
            graph = self.default_graph()
            if graph.seed is None:
                return function(*args, **kwargs)
            start = self.tf1_ops(graph)
            returned = function(*args, **kwargs)
            ops = self._ops(graph)
            if always or not ops.calls or not _is_of_library(sys._getframe(1)):
                ops.leave_out(more_ops(self.tf1_ops(graph) - start, returned, *args, **kwargs))
            return returned

        return counting

    def around_op(self, make_op: Callable[..., Any], more_ops: Callable[[str, Mapping[str, Any]], int]) -> Any:
        """Returns TensorFlow's function that makes any op, wrapped so that only constants of TensorFlow 1 count.

        Constants that a counted function makes by itself are part of its counts.

        Args:
            make_op: The function; it takes the op's type and name, and its inputs and attributes by name.
            more_ops: Returns the number of ops that TensorFlow 1 wouldn't have made, from the type and the inputs.
        """

        @functools.wraps(make_op)
        def counting(op_type: str, name: str | None = None, **inputs: Any) -> Any:
            more = 0
            for value in inputs.values():
                if isinstance(value, (list, tuple)) and not value:
                    more = more_ops(op_type, inputs)
                    break
            outputs = make_op(op_type, name, **inputs)
            graph = self.default_graph() if more else None
            if graph is not None and graph.seed is not None:
                ops = self._ops(graph)
                if not ops.calls or not _is_part_of_counts(sys._getframe(1)):
                    ops.leave_out(more)
            return outputs

        return counting

    def _tf1_ops_of(self, graph: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> int | None:
        """Returns the number of ops that TensorFlow 1 would have made by a call; None if it raises an error."""
        scratch = type(graph)() if not hasattr(graph, "outer_graph") else None
        if scratch is None:
            return None
        self._is_trying = True
        try:
            with scratch.as_default():
                scratch.seed = graph.seed
                reads = sum(hasattr(arg, "handle") and hasattr(arg, "initializer") for arg in args)
                args = [_stand_in(arg, scratch) for arg in args]
                start = self.tf1_ops(scratch)
                function(*args, **kwargs)
                return self.tf1_ops(scratch) - start + reads
        except (TypeError, ValueError):
            return None
        finally:
            self._is_trying = False

    def add(self, ops: int) -> None:
        """Counts ops in the default graph that TensorFlow 1 would have made in addition to the graph's own."""
        graph = self.default_graph()
        if graph.seed is not None:
            self._ops(graph).leave_out(-ops)

    def counts(self, name: str) -> bool:
        """Returns True for a function whose calls are counted, by the table or by a rule."""
        return name in self.table or name in self.rules

    def call_of(self, tf1_ops: Callable[[], int | None], graph: Any, function: Callable[[], Any]) -> Any:
        """Calls a function, and counts as many ops for it as TensorFlow 1 would have made.

        Args:
            tf1_ops: Returns that number after the call; None if it isn't known.
            graph: The graph that the function adds ops to.
            function: Calls the function, none of whose ops draws a seed, with its arguments bound.

        Returns:
            The function's result.
        """
        ops, start = self._ops(graph), graph.version
        before = ops.correction
        returned = function()
        number = tf1_ops()
        if number is not None:
            ops.correction = before + number - (graph.version - start)
            if ops.calls:
                ops.calls[-1].nested += graph.version - start
        return returned

    def call(self, name: str, kind: str | Correction, graph: Any, function: Callable[[], Any]) -> Any:
        """Calls a function, and adds its correction to the graph's.

        Args:
            name: The function's name in the table.
            kind: The kind of call, as `kind_of` returns it, or its correction by a rule.
            graph: The graph that it adds ops to.
            function: Calls the function, with its arguments bound.

        Returns:
            The function's result.
        """
        ops = self._ops(graph)
        call = _Call(name, kind, graph.version)
        ops.calls.append(call)
        try:
            return function()
        finally:
            ops.calls.pop()
            ops_made = graph.version - call.start
            ops.correction += (
                self.correction(name, kind, call.before, ops_made - call.nested) - call.correction_before_seed
            )
            if ops.calls:
                ops.calls[-1].nested += ops_made

    def _ops(self, graph: Any) -> _GraphState:
        if graph not in self._graphs:
            self._graphs[graph] = _GraphState()
        return self._graphs[graph]

    def correction_before_seed(self, name: str, kind: str | Correction, before: int) -> int:
        """Returns the correction for the ops of a call before its first seed: TensorFlow 1's number minus that here.

        Args:
            name: The function's name in the table.
            kind: The kind of call, or its correction by a rule.
            before: Number of ops that the call itself has made before its first seed.
        """
        if isinstance(kind, Correction):
            return kind.before_seed
        counts = [
            (count, count.ops_before_seed, count.tf1_ops_before_seed)
            for count in self.table[name]
            if count.ops_before_seed is not None and count.tf1_ops_before_seed is not None
        ]
        if not counts:
            return 0
        _, ops, on_tf1 = min(
            counts,
            key=lambda row: (_kind_distance(row[0].kind, kind), abs(row[1] - before), row[0].kind != kind),
        )
        return on_tf1 - ops

    def correction(self, name: str, kind: str | Correction, before: int | None, call_ops: int) -> int:
        """Returns the correction for all ops of a call, by its rule or by the most similar entry of the table.

        Args:
            name: The function's name in the table.
            kind: The kind of call, or its correction by a rule.
            before: Number of ops that the call itself made before its first seed; None if it drew none.
            call_ops: Number of ops that the call itself made.
        """
        if isinstance(kind, Correction):
            return kind.ops
        counts = self.table[name]
        if not counts:
            return 0
        count = min(
            counts,
            key=lambda count: (
                _kind_distance(count.kind, kind),
                count.ops_before_seed != before,
                abs((count.ops or 0) - call_ops),
                count.kind != kind,
            ),
        )
        if count.per_variable:
            return _for_variables(counts, call_ops)
        return count.tf1_ops - (call_ops if count.ops is None else count.ops)


def _is_of_library(caller: Any) -> bool:
    """Returns True for a stack frame of a package whose slices and transposes are part of its functions' counts."""
    return str(caller.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES


def _is_part_of_counts(caller: Any) -> bool:
    """Returns True if a counted function reached a stack frame by way of libraries alone, not of the program's code.

    A function that AutoGraph has converted, which refers to AutoGraph as ag__, may be a library's: Keras's layers are.
    """
    while caller is not None and (_is_of_library(caller) or "ag__" in caller.f_code.co_freevars):
        if caller.f_code is Counter.call.__code__:
            return True
        caller = caller.f_back
    return False


def _for_variables(counts: Sequence[Count], call_ops: int) -> int:
    """Returns the correction for a call whose counts are per variable.

    Args:
        counts: The function's counts.
        call_ops: Number of ops that the call itself made, for all its variables.
    """
    sizes = [(count.ops or 1, count) for count in counts]
    size, count = next(((size, count) for size, count in sizes if call_ops % size == 0), (0, counts[0]))
    number = call_ops // size if size else round(call_ops * len(sizes) / sum(size for size, _ in sizes))
    return number * (count.tf1_ops - (count.ops or 0))


def _kind_distance(known: str, kind: str) -> int:
    """Returns 0 if counts of the kind `known` hold for `kind`, 1 if `kind` only adds keyword arguments, else 2.

    A function makes as many ops of a variable as of a tensor of its shape, unless the table has counts of variables.
    """
    if known in ("", kind):
        return 0
    of_tensors = re.sub(r"V(?!ALID)", "S", kind)  # "VALID" stands for itself
    return 1 if known in (kind.partition(",")[0], of_tensors) else 2


def _stand_in(value: Any, graph: Any) -> Any:
    """Returns a placeholder of a tensor's dtype and shape in another graph; returns any other value itself."""
    if not hasattr(getattr(value, "shape", None), "is_fully_defined"):
        return value
    attrs: dict[str, Any] = {"dtype": value.dtype.base_dtype, "shape": value.shape}
    return _placeholder(graph, **attrs)


def _placeholder(graph: Any, dtype: Any, shape: Any) -> Any:
    from tf1mem.machine.modules import loaded_module

    with graph.as_default():
        return loaded_module("python.ops.array_ops").placeholder(dtype, shape)


def kind_of(*args: Any, **kwargs: Any) -> str:
    """Returns the kind of a call, such as "SS,axis=i": a letter per argument, on which the number of ops can depend.

    Args:
        args: The call's positional arguments; each becomes a letter (`letter`).
        kwargs: Keyword arguments; each becomes ",NAME=LETTER", in the order of names. `name` is left out.
    """
    named = (f"{name}={letter(value)}" for name, value in sorted(kwargs.items()) if name != "name")
    return ",".join(["".join(map(letter, args)), *named])


def letter(value: Any) -> str:
    """Returns an argument's letter in `kind_of`.

    "n" is None, "t" True, "f" False or a float, "i" an int, "l" a list of numbers, "L" another list, "I" an integer
    dtype, "F" another dtype, "V" a variable, "o" any other object. A string stands for itself, without spaces. A tensor
    is "0" if it is a scalar, "S" if its shape is fully defined, "D" if only its rank is known, else "?".
    """
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
