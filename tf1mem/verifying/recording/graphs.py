"""Reads a TensorFlow graph: the ops that a run needs, those that train, gradients, data, and lines of the program."""

from __future__ import annotations

import os
import re
from typing import Any, Iterable, Iterator, Mapping, NamedTuple

# Ops by which optimizers change variables.
_APPLIES = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]")
# The names that the gradient may have among the inputs of an op that `_APPLIES` matches.
GRADIENTS = ("grad", "delta")
_CHANGES = re.compile(r"(Resource)?Scatter(Nd)?(Add|Sub|Update)|Assign(Add|Sub)?(VariableOp)?$")
_READS = ("ReadVariableOp", "Identity")
_VARIABLES = ("VariableV2", "Variable", "VarHandleOp", "AutoReloadVariable", "TemporaryVariable")
# Ops that return data that was read from outside of the graph.
_DATA = re.compile(
    r"IteratorGetNext|(Queue|Stack|Barrier).*(Dequeue|TakeMany|Pop)|Reader(Read|Next)|(Eager)?PyFunc|ReadFile"
)
# Ops that draw random numbers.
_RANDOM = re.compile(
    r"Random|TruncatedNormal|Multinomial|ParameterizedTruncatedNormal|StatelessRandom|Stateful.*(Normal|Uniform|Binomial)|"
    r".*CandidateSampler"
)
# Ops whose results jump if their inputs change a little.
_JUMPS = re.compile(
    r"Arg(Max|Min)|(Not)?Equal|Approximate|Greater|Less|(In)?TopK|Floor|Ceil|Round|Rint|Sign$|Where|NonMaxSuppression|"
    r"Multinomial|CTC.*Decoder|EditDistance|Unique"
)
# Ops of the last steps of computing a figure such as an accuracy.
_FIGURES = frozenset("Mean Sum Cast Identity Reshape Squeeze RealDiv Div DivNoNan Mul Sub Add AddV2".split())


def needed(
    targets: Iterable[Any], fetches: Iterable[Any], fed: Iterable[Any], added: Mapping[int, list[Any]] | None = None
) -> list[Any]:
    """Returns the ops that a run of the program executes, in the order in which they were created.

    Args:
        targets: Operations to run.
        fetches: Tensors to fetch.
        fed: Tensors that are fed, so that the ops before them aren't needed.
        added: The id of an op -> the ops that it waits for because of this recording alone; see `order.Reads`.
    """
    added = added or {}
    stops = {id(each) for each in fed}
    waiting = [*targets, *(each.op for each in fetches if id(each) not in stops)]
    ops: dict[int, Any] = {}
    while waiting:
        op = waiting.pop()
        if id(op) in ops:
            continue
        ops[id(op)] = op
        waiting += [tensor.op for tensor in op.inputs if id(tensor) not in stops]
        waiting += [each for each in op.control_inputs if each not in added.get(id(op), ())]
    return sorted(ops.values(), key=lambda op: op._id)


def variables_of(graph: Any) -> list[Any]:
    """Returns the variables of a graph's collections, in the order of their names."""
    variables = {}
    for collection in ("variables", "trainable_variables", "local_variables", "model_variables"):
        for variable in graph.get_collection_ref(collection):
            if own_op(variable):
                variables[variable.name] = variable
    return [variables[name] for name in sorted(variables)]


def own_op(variable: Any) -> str:
    """Returns the name of the op that holds a variable's value, or ""."""
    handle = getattr(variable, "handle", None)
    try:
        return str((handle if handle is not None else variable).op.name)
    except Exception:
        return ""


def trainable(graph: Any) -> set[str]:
    """Returns the names of the ops that hold the trainable variables of a graph."""
    return {own_op(each) for each in graph.get_collection_ref("trainable_variables")}


def fed_weights(graph: Any, fed: Iterable[Any]) -> dict[str, Any]:
    """Returns the trainable variables whose values a run is fed, as SciPy's optimizers feed the weights that they try.

    Args:
        graph: The Session's graph.
        fed: The tensors that are fed.

    Returns:
        The variables' names -> the tensors that are fed.
    """
    names = {own_op(each): each.name for each in graph.get_collection_ref("trainable_variables")}
    holders = [(_holder(each.op) if each.op.type in _READS else each.op.name, each) for each in fed]
    return {names[holder]: tensor for holder, tensor in holders if holder in names}


def training_ops(graph: Any, ops: Iterable[Any]) -> list[Any]:
    """Returns the ops among `ops` that train: optimizers' ops, and others that change a trainable variable."""
    weights = trainable(graph)
    return [op for op in changes(graph, ops) if _APPLIES.match(op.type) or _holder(op) in weights]


def changes(graph: Any, ops: Iterable[Any]) -> list[Any]:
    """Returns the ops among `ops` that change a variable, without initializers and ops that restore a checkpoint."""
    starts = {
        getattr(each.initializer, "name", "")
        for each in graph.get_collection_ref("variables")
        if _has_initializer(each)
    }
    return [
        op
        for op in ops
        if _APPLIES.match(op.type)
        or (
            _CHANGES.match(op.type)
            and op.name not in starts
            and not any(each.op.type.startswith("Restore") for each in _sources(op))
        )
    ]


def is_outside_branches(op: Any) -> bool:
    """Returns True for an op in no branch of a cond and no body of a while loop."""
    return op._get_control_flow_context() is None


def changes_variables(ops: Iterable[Any]) -> bool:
    """Returns True if one of the ops changes a variable."""
    return any(_APPLIES.match(op.type) or _CHANGES.match(op.type) for op in ops)


def _has_initializer(variable: Any) -> bool:
    try:
        return variable.initializer is not None
    except Exception:
        return False


def _holder(op: Any) -> str:
    return str(op.inputs[0].op.name) if len(op.inputs) else ""


def _sources(op: Any) -> Iterator[Any]:
    """Yields an assigned value, and the tensors that it is an unchanged copy of."""
    waiting = list(op.inputs)[1:]
    while waiting:
        tensor = waiting.pop()
        yield tensor
        if tensor.op.type in ("Identity", "Reshape"):
            waiting.append(tensor.op.inputs[0])


class Gradient(NamedTuple):
    """A gradient that a graph computes.

    Attributes:
        values: The tensor; of a sparse gradient, that of its rows.
        rows: For a sparse gradient: the tensor of the numbers of the variable's rows, one for each row of `values`.
    """

    values: Any
    rows: Any = None


def gradients(ops: Iterable[Any]) -> dict[str, Gradient]:
    """Returns the gradients that the optimizers' ops take: name of the variable -> gradient."""
    named = {}
    for op in ops:
        if _APPLIES.match(op.type):
            inputs = {argument.name: tensor for argument, tensor in zip(op.op_def.input_arg, op.inputs)}
            for name in GRADIENTS:
                if name in inputs:
                    named[_holder(op)] = Gradient(inputs[name], inputs.get("indices"))
    return named


def pure_gradients(xs: Any, tensors: Iterable[Any]) -> dict[str, Gradient]:
    """Returns the gradients that were added to a graph for variables: name of the variable -> gradient.

    Args:
        xs: The tensors that the gradients are for: variables, and others, which are left out.
        tensors: The gradients; None where there is none.
    """
    named = {}
    for x, gradient in zip(xs if isinstance(xs, (list, tuple)) else [xs], tensors):
        name = own_op(x)
        tensor = getattr(gradient, "values", gradient)
        if tensor is None or not name or not tensor.graph.is_fetchable(tensor) or _in_loop(tensor.op):
            continue
        is_in_function = getattr(x, "graph", None) is not tensor.graph
        if is_in_function:
            continue
        if tensor.graph.get_operation_by_name(name).type in _VARIABLES:
            named[name] = Gradient(tensor, getattr(gradient, "indices", None))
    return named


def data(ops: Iterable[Any], fed: Iterable[Any]) -> list[Any]:
    """Returns the tensors that bring data into a graph without feeding."""
    stops = {id(each) for each in fed}
    return [
        tensor
        for op in ops
        if _DATA.match(op.type) and not _in_loop(op)
        for tensor in op.outputs
        if id(tensor) not in stops and is_plain(tensor)
    ]


def is_free(tensor: Any, names: set[str], fed: Iterable[Any]) -> bool:
    """Returns True if a run can fetch a tensor, too, without more feeds, and without taking more data.

    Args:
        tensor: The tensor to fetch.
        names: The names of the ops that the run executes.
        fed: Tensors that are fed.
    """
    more = [op for op in needed([], [tensor], fed) if op.name not in names]
    return not any(op.type.startswith("Placeholder") or _DATA.match(op.type) for op in more)


def is_data(kind: str) -> bool:
    """Returns True for the type of an op that returns data from outside of the graph."""
    return _DATA.match(kind) is not None


def is_random(kind: str) -> bool:
    """Returns True for the type of an op that draws random numbers."""
    return _RANDOM.match(kind) is not None


def is_new_each_run(tensor: Any) -> bool:
    """Returns True for a tensor of data or random numbers: its next value is another one, unless it is fed."""
    # Iterators return a sparse tensor as a handle, which can't be fed.
    kind = tensor.op.type
    is_new = is_data(kind) or is_random(kind) or kind == "DeserializeSparse"
    return is_new and bool(tensor.graph.is_feedable(tensor))


def jumps(tensor: Any) -> bool:
    """Returns True for a tensor that jumps if its inputs change a little, as an accuracy does."""
    waiting, seen = [tensor.op], set()
    while waiting:
        op = waiting.pop()
        if id(op) in seen:
            continue
        seen.add(id(op))
        if _JUMPS.match(op.type):
            return True
        if op.type in _FIGURES:
            waiting += [each.op for each in op.inputs]
    return False


def is_plain(tensor: Any) -> bool:
    """Returns True for a tensor of numbers or text, and False for one of handles."""
    kind = tensor.dtype.base_dtype
    return bool(kind.is_floating or kind.is_integer or kind.is_bool or kind.is_complex or kind.name == "string")


def is_handle(tensor: Any) -> bool:
    """Returns True for a text that names an iterator: it has other bytes in every process."""
    takers = [op.type for op in tensor.consumers()]
    is_taken = bool(takers) and all(kind.startswith("IteratorFromStringHandle") for kind in takers)
    return is_taken or tensor.op.type == "IteratorToStringHandle"


def intermediate(graph: Any, ops: list[Any], fed: Iterable[Any]) -> list[Any]:
    """Returns the tensors that a run computes before it trains, except those that can't be fetched.

    Tensors in loops are left out, and tensors that depend on an optimizer's op.

    Args:
        graph: The Session's graph.
        ops: The ops that the run needs, in the order in which they were made.
        fed: Tensors that are fed.
    """
    tensors = []
    early = before_training(graph, ops, fed)
    unfetchable = _may_be_absent(early) | _in_frames(early)
    for op in early:
        if id(op) in unfetchable or _in_loop(op) or op.type in ("Placeholder", *_VARIABLES) or _reads(op):
            continue
        for tensor in op.outputs:
            is_compared = is_plain(tensor) and not is_handle(tensor)
            if is_compared and not tensor.dtype._is_ref_dtype and graph.is_fetchable(tensor):
                tensors.append(tensor)
    return tensors


def before_training(graph: Any, ops: list[Any], fed: Iterable[Any]) -> list[Any]:
    """Returns the ops of a run that don't depend on an optimizer's op; the arguments are those of `intermediate`."""
    stops = {id(each) for each in fed}
    late = {id(op) for op in training_ops(graph, ops)}
    early = []
    for op in ops:
        before = [*op.control_inputs, *(each.op for each in op.inputs if id(each) not in stops)]
        if id(op) in late or any(id(each) in late for each in before):
            late.add(id(op))
        else:
            early.append(op)
    return early


def _may_be_absent(ops: list[Any]) -> set[int]:
    """Returns the ids of the ops that compute nothing if a branch isn't taken, such as the ops of its gradients."""
    absent: set[int] = set()
    for op in ops:
        before = [*op.control_inputs, *(each.op for each in op.inputs)]
        if op.type in ("Switch", "RefSwitch") or (
            op.type not in ("Merge", "RefMerge", "Exit", "RefExit") and any(id(each) in absent for each in before)
        ):
            absent.add(id(op))
    return absent


def _in_frames(ops: list[Any]) -> set[int]:
    """Returns the ids of the ops between a loop's Enter and Exit: a graph that was imported may not know its loops."""
    depths: dict[int, int] = {}
    for op in ops:
        before = [*op.control_inputs, *(each.op for each in op.inputs)]
        depth = max((depths.get(id(each), 0) for each in before), default=0)
        depths[id(op)] = depth + (op.type in ("Enter", "RefEnter")) - (op.type in ("Exit", "RefExit"))
    return {id_ for id_, depth in depths.items() if depth > 0}


def _reads(op: Any) -> bool:
    """Returns True for an op that reads a variable: in a training run it may read before or after the change."""
    return op.type == "ReadVariableOp" or (op.type == "Identity" and bool(op.inputs[0].dtype._is_ref_dtype))


def _in_loop(op: Any) -> bool:
    """Returns True for an op of control flow, or in a loop or a branch."""
    context = op._get_control_flow_context()
    return context is not None or op.type in (
        "Switch",
        "RefSwitch",
        "Merge",
        "Enter",
        "Exit",
        "NextIteration",
        "LoopCond",
    )


def line_of(op: Any, root: str) -> str:
    """Returns the line of the program's own files that created an op, "model.py:12", or "".

    Args:
        op: A tf.Operation.
        root: The folder of the program's own files.
    """
    try:
        frames = list(op.traceback)
    except Exception:
        return ""
    for frame in reversed(frames):
        path, line = frame[0], frame[1]
        if path.startswith(root + os.sep) and "site-packages" not in path:
            return f"{os.path.relpath(path, root)}:{line}"
    return ""


def as_notes(op: Any, root: str) -> dict[str, Any]:
    """Returns the notes of an op, from which `walking.Op` is made.

    Args:
        op: A tf.Operation.
        root: The folder of the program's own files.
    """
    return {
        "name": op.name,
        "type": op.type,
        "inputs": [each.name for each in op.inputs],
        "outputs": [each.name for each in op.outputs],
        "line": line_of(op, root),
        "attributes": attributes(op),
        "arguments": arguments(op),
    }


# Attributes that don't change the computation: names, and descriptions of the outputs.
_SILENT = ("_class", "_output_shapes", "shape", "shared_name", "container", "_gradient_op_type", "value")


def arguments(op: Any) -> list[str]:
    """Returns the names of an op's inputs, such as "lr"; [] if one of them is a list."""
    names = [each.name for each in op.op_def.input_arg]
    return names if len(names) == len(op.inputs) else []


def attributes(op: Any) -> dict[str, str]:
    """Returns the attributes of an op that say what it computes, as text."""
    texts = {}
    for name in op.node_def.attr:
        if not name.startswith("_") and name not in _SILENT:
            texts[name] = " ".join(str(op.node_def.attr[name]).split())[:200]
    return texts
