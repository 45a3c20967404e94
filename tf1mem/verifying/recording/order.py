"""Makes ops with a state of their own, such as random ones and variables, run in one order on every TensorFlow.

TensorFlow may run several iterations of a loop at once, and a random op doesn't wait for the iteration before its own:
which iteration gets which numbers differs between versions, and between runs. The same holds for datasets that map
several elements at once, and for a run that reads a variable and changes it when neither waits for the other.
"""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterator

from tf1mem.hooks.wrappers import put_around
from tf1mem.verifying.recording import graphs


def around_loops(module: Any) -> None:
    """Makes while loops run one iteration at a time; `module` is TensorFlow's `control_flow_ops`."""
    put_around(module.WhileContext, "__init__", _around_context)


def _around_context(original: Callable[..., Any]) -> Callable[..., Any]:
    def init(context: Any, *args: Any, **kwargs: Any) -> None:
        original(context, *args, **kwargs)
        context._parallel_iterations = 1

    return init


def around_loops_of_functions(module: Any) -> None:
    """Makes while loops of TensorFlow 2 run one iteration at a time; `module` is TensorFlow's `while_v2`."""
    put_around(module, "while_loop", _around_while)


def _around_while(original: Callable[..., Any]) -> Callable[..., Any]:
    def while_loop(*args: Any, **kwargs: Any) -> Any:
        if "parallel_iterations" in kwargs:
            kwargs["parallel_iterations"] = 1
        return original(*args, **kwargs)

    return while_loop


def around_imports(module: Any) -> None:
    """Makes loops of imported graphs run one iteration at a time; `module` is TensorFlow's `importer`."""
    put_around(module, "import_graph_def", _around_import)


def _around_import(original: Callable[..., Any]) -> Callable[..., Any]:
    def import_graph_def(graph_def: Any, *args: Any, **kwargs: Any) -> Any:
        return original(_with_loops_in_order(graph_def), *args, **kwargs)

    return import_graph_def


def _with_loops_in_order(graph_def: Any) -> Any:
    """Returns a copy of a GraphDef whose loops run one iteration at a time; the GraphDef itself if all do already."""
    if not any(_parallel(node) for node in _nodes(graph_def)):
        return graph_def
    copy = type(graph_def)()
    copy.CopyFrom(graph_def)
    for node in _nodes(copy):
        if _parallel(node):
            node.attr["parallel_iterations"].i = 1
    return copy


def _nodes(graph_def: Any) -> Iterator[Any]:
    """Yields the nodes of a graph and of its functions; none for another object, which TensorFlow refuses."""
    yield from getattr(graph_def, "node", ())
    for function in getattr(getattr(graph_def, "library", None), "function", ()):
        yield from function.node_def


def _parallel(node: Any) -> bool:
    """Returns True for a node of a loop that may run several iterations at once."""
    return "parallel_iterations" in node.attr and node.attr["parallel_iterations"].i != 1


def around_datasets(module: Any) -> None:
    """Makes datasets map one element at a time; `module` is TensorFlow's `dataset_ops`."""
    for name in ("DatasetV1", "DatasetV2"):
        put_around(getattr(module, name), "map", _around_map)


def _around_map(original: Callable[..., Any]) -> Callable[..., Any]:
    def map_elements(dataset: Any, map_func: Any, num_parallel_calls: Any = None, *args: Any, **kwargs: Any) -> Any:
        calls = None if num_parallel_calls is None else 1
        return original(dataset, map_func, calls, *args, **kwargs)

    return map_elements


class Reads:
    """Makes runs read resource variables before they change them, where the program leaves the order open.

    Attributes:
        added: The id of an op that changes a variable -> the reads that it now waits for.
    """

    def __init__(self) -> None:
        self.added: dict[int, list[Any]] = {}
        self._versions: dict[int, int] = {}
        self._latest: dict[int, int] = {}  # the number of the last op that `order` has seen in each graph

    def order(self, graph: Any) -> None:
        """Adds control edges to a graph. Call it before a Session runs: ops that have run can't be changed."""
        if self._versions.get(id(graph)) == graph.version:
            return
        self._versions[id(graph)] = graph.version
        ops = graph.get_operations()
        since = self._latest.get(id(graph), -1)
        self._latest[id(graph)] = max((op._id for op in ops), default=-1)
        reads: dict[str, list[Any]] = {}
        for op in ops:
            if op.type == "ReadVariableOp" and not op.control_inputs and graphs.is_outside_branches(op):
                reads.setdefault(op.inputs[0].op.name, []).append(op)
        initial = {id(op) for op in _initializers(ops)}
        changes = [op for op in graphs.changes(graph, ops) if op._id > since and graphs.is_outside_branches(op)]
        changes = [op for op in changes if op.inputs[0].op.name in reads and id(op) not in initial]
        bits = {id(op): 1 << index for index, op in enumerate(itertools.chain.from_iterable(reads.values()))}
        waited_for = _bits_before(ops, bits) if changes else {}
        for op in changes:
            free = [read for read in reads[op.inputs[0].op.name] if not waited_for[id(op)] & bits[id(read)]]
            if free:
                op._add_control_inputs(free)
                self.added[id(op)] = free

    def of_run(self, ops: list[Any]) -> list[str]:
        """Returns the names of the variables that a run of `ops` reads and changes in an order left open."""
        ids = {id(op) for op in ops}
        return [op.inputs[0].op.name for op in ops if any(id(read) in ids for read in self.added.get(id(op), ()))]


def _initializers(ops: list[Any]) -> list[Any]:
    """Returns the first assignment of each variable, which initializes it and must not wait for a read."""
    first: dict[str, Any] = {}
    for op in ops:
        if op.type == "AssignVariableOp":
            first.setdefault(op.inputs[0].op.name, op)
    return list(first.values())


def _bits_before(ops: list[Any], bits: dict[int, int]) -> dict[int, int]:
    """Returns, for each op by its id, the bits of the ops that it waits for, and its own.

    Args:
        ops: Ops in the order of their creation, so that an op comes after its inputs.
        bits: The id of an op -> its bit, a power of 2; for the ops that matter.
    """
    before: dict[int, int] = {}
    for op in ops:
        mask = bits.get(id(op), 0)
        for source in (*(tensor.op for tensor in op.inputs), *op.control_inputs):
            mask |= before.get(id(source), 0)
        before[id(op)] = mask
    return before
