"""Records the tensors inside loops, branches and functions of a graph, which a Session can't fetch, for `--deep`.

Ops are added to the graph, after all others, in a process that ends after this run. A loop or branch of TensorFlow 1 is
in the graph itself, and gets ops that record its tensors. A loop or branch of TensorFlow 2 is an op that calls
functions: copies of these are added, one for each iteration, and their tensors are fetched.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

from tf1mem.machine.modules import loaded_module
from tf1mem.verifying.recording import graphs

# The most iterations of a loop that are recorded.
ITERATIONS = 50
# Ops that route values into, around and out of a loop or branch.
_ROUTES = ("Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "NextIteration", "LoopCond")
# Ops of TensorFlow 2 that call functions: loops, branches, and calls.
_LOOPS, _BRANCHES = ("While", "StatelessWhile"), ("If", "StatelessIf")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")


class Inside:
    """The ops inside the outermost loops and branches of TensorFlow 1 that a run executes.

    Args:
        graph: The graph, to which ops are added.
        ops: The ops that the run executes.
        keep: Function of a value that returns its figures.

    Attributes:
        targets: The added ops, to run.
        loops: Name of an op in a loop -> the loop's name.
        figures: Name of a tensor -> its figures, one for each time that it is computed, at most `ITERATIONS`.
    """

    def __init__(self, graph: Any, ops: Iterable[Any], keep: Callable[[Any], dict[str, Any]]) -> None:
        self._keep = keep
        self.targets: list[Any] = []
        self.loops: dict[str, str] = {}
        self.figures: dict[str, list[dict[str, Any]]] = {}
        graph._unsafe_unfinalize()
        for op in list(ops):
            context = op._get_control_flow_context()
            if context is None or context.outer_context is not None:
                continue
            if context.IsWhileContext():
                self.loops[op.name] = context.name
            if op.type not in _ROUTES:
                with graph.as_default(), graph.control_dependencies(None):
                    self._add(context, op)

    def _add(self, context: Any, op: Any) -> None:
        """Adds an op to `context`, the loop or branch of `op`, for each tensor that `op` returns."""
        by_python = loaded_module("python.ops.script_ops").py_func
        context.Enter()
        try:
            for tensor in op.outputs:
                if graphs.is_plain(tensor) and not tensor.dtype._is_ref_dtype:
                    self.targets.append(by_python(self._noting(tensor.name), [tensor], [], name="tf1mem_verify"))
        finally:
            context.Exit()

    def _noting(self, name: str) -> Callable[[Any], None]:
        """Returns a function that notes the figures of a tensor's values."""
        figures = self.figures.setdefault(name, [])

        def note(value: Any) -> None:
            if len(figures) < ITERATIONS:
                figures.append(self._keep(value))

        return note

    def as_notes(self) -> dict[str, Any]:
        """Returns the notes, from which `walking.Trace` is made."""
        return {"loops": self.loops, "figures": {name: each for name, each in self.figures.items() if each}}


class CalledFunctions:
    """Copies of the functions that a run's loops, branches and calls of TensorFlow 2 execute.

    Args:
        graph: The graph, to which copies are added.
        ops: The ops that the run executes.
        run: Function of tensors that returns their values.
        keep: Function of a value that returns its figures.
        root: The folder of the program's own files.

    Attributes:
        ops: Name of an op -> a dict: "ops", the notes of the ops that it executes, and "results", the names of the
            tensors that it returns.
        figures: Name of a tensor in a copy -> its figures.
    """

    def __init__(
        self,
        graph: Any,
        ops: Iterable[Any],
        run: Callable[[Sequence[Any]], Sequence[Any]],
        keep: Callable[[Any], dict[str, Any]],
        root: str,
    ) -> None:
        self._graph, self._run, self._root = graph, run, root
        self.ops: dict[str, dict[str, Any]] = {}
        self._tensors: dict[str, Any] = {}
        graph._unsafe_unfinalize()
        for op in list(ops):
            if op.type in _LOOPS:
                self._add(op, "body", list(op.inputs), self._count(op))
            elif op.type in _BRANCHES:
                condition = bool(run([op.inputs[0]])[0])
                self._add(op, "then_branch" if condition else "else_branch", list(op.inputs)[1:], None)
            elif op.type in _CALLS:
                self._add(op, "f", list(op.inputs), None)
        values = run(list(self._tensors.values())) if self._tensors else ()
        self.figures = {name: keep(value) for name, value in zip(self._tensors, values)}

    def _count(self, op: Any) -> int:
        """Returns the number of iterations, at most `ITERATIONS`: TensorFlow counts them in a loop's first output.

        It is 0 if that output isn't a count.
        """
        counter = op.outputs[0]
        is_counter = counter.dtype.base_dtype.name == "int32" and counter.shape.ndims == 0
        return min(int(self._run([counter])[0]), ITERATIONS) if is_counter else 0

    def _add(self, op: Any, attribute: str, inputs: list[Any], count: int | None) -> None:
        """Adds copies of a function, each with the results of the one before as its inputs.

        Functions that change variables are left out, since the copies would change them, too.

        Args:
            op: The op that calls the function.
            attribute: The op's attribute that names it.
            inputs: The tensors that the first copy takes.
            count: The number of copies; None for one, of a function that isn't a loop's.
        """
        function = getattr(self._graph._get_function(op.get_attr(attribute).name), "graph", None)
        if function is None or graphs.changes_variables(function.get_operations()):
            return
        notes, names = [], [each.name for each in inputs]
        for turn in range(1 if count is None else count):
            end = "" if count is None else f"@{turn}"
            prefix = f"tf1mem_verify/{op.name}/{turn}"
            results = self._copy(function, inputs, prefix)
            named = dict(zip((each.name for each in function.inputs), names))
            for each in function.get_operations():
                if each.type == "Placeholder":
                    continue
                noted = graphs.as_notes(each, self._root)
                noted["inputs"] = [named[name] for name in noted["inputs"]]
                outputs = [f"{op.name}/{name}{end}" for name in noted["outputs"]]
                named.update(zip(noted["outputs"], outputs))
                noted.update(name=f"{op.name}/{each.name}{end}", outputs=outputs)
                notes.append(noted)
                for tensor, name in zip(each.outputs, outputs):
                    if graphs.is_plain(tensor):
                        self._tensors[name] = self._graph.get_tensor_by_name(f"{prefix}/{tensor.name}")
            names, inputs = [named[each.name] for each in function.outputs], results
        self.ops[op.name] = {"ops": notes, "results": names}

    def _copy(self, function: Any, inputs: Sequence[Any], prefix: str) -> list[Any]:
        """Copies a function's ops into the graph, and returns the tensors that the copy returns."""
        definition = function.as_graph_def()
        for node in definition.node:
            node.attr.pop("_class", None)  # colocation, perhaps with ops outside of the function
        fed = {mine.name: tensor for mine, tensor in zip(function.inputs, inputs)}
        importer = loaded_module("python.framework.importer")
        with self._graph.as_default(), self._graph.control_dependencies(None):
            importer.import_graph_def(definition, fed, name=prefix)
        return [
            fed[each.name] if each.name in fed else self._graph.get_tensor_by_name(f"{prefix}/{each.name}")
            for each in function.outputs
        ]
