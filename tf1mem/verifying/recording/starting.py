"""First values of variables: how the program makes them, and those that it is given in their place."""

from __future__ import annotations

from typing import Any, Mapping

from tf1mem.verifying.recording import graphs
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.recording.notes import read_first

_RANDOM = (
    "RandomStandardNormal",
    "TruncatedNormal",
    "RandomUniform",
    "RandomUniformInt",
    "ParameterizedTruncatedNormal",
)
# Ops that say nothing of how a value is made, and newer names of others.
_SILENT = ("Const", "Identity", "NoOp", "VarHandleOp", "VariableV2")
_CALLED = {"AddV2": "Add", "RealDiv": "Div"}


def made_by(variable: Any, root: str) -> dict[str, Any]:
    """Returns how a variable's first value is made: the ops' types, seeds, constants, and the line of the program."""
    try:
        initial = variable.initializer.inputs[1]
    except Exception:  # Keras's of other libraries have none
        return {}
    ops = graphs.needed([], [initial], [])
    seeds = [[op.get_attr("seed"), op.get_attr("seed2")] for op in ops if op.type in _RANDOM]
    constants = [_constant(op) for op in ops if op.type == "Const"]
    return {
        "ops": [_CALLED.get(op.type, op.type) for op in ops if op.type not in _SILENT],
        "seeds": seeds,
        "constants": [text for text in constants if text],
        "line": graphs.line_of(initial.op, root),
    }


def _constant(op: Any) -> str:
    """Returns a number that a first value is made with, to six digits; "" for shapes and tables."""
    proto = op.get_attr("value")
    if proto.tensor_shape.dim:
        return ""
    numbers = [*proto.float_val, *proto.double_val, *proto.half_val]
    return f"{numbers[0]:.6g}" if numbers else ""


def others(job: Job, first: Mapping[str, dict[str, Any]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values that variables are to start from in place of their own, by the variables' names.

    Args:
        job: It says whose values they are, or that weights move by one unit in the last place.
        first: Figures of the variables, by their names.
        values: Their own first values.
    """
    if job.first:
        return _of_file(job.first, values)
    if job.moved:
        return {
            name: _moved(value, job.moved)
            for name, value in values.items()
            if first[name]["trainable"] and _is_real(value)
        }
    return {}


def _of_file(path: str, values: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    firsts = read_first(path)
    named = pairs(
        {name: each.shape for name, each in values.items()}, {name: each.shape for name, each in firsts.items()}
    )
    return {
        name: firsts[theirs].astype(values[name].dtype)
        for name, theirs in named.items()
        if not np.array_equal(firsts[theirs], values[name])
    }


class FirstValues:
    """First values for variables that are made one by one, as eager programs make them.

    Args:
        job: It says whose values they are, or that weights move by one unit in the last place.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._left: dict[str, Any] | None = None

    def of(self, name: str, value: Any, trainable: bool) -> Any:
        """Returns the value that a variable is to start from; None for its own."""
        if self._job.moved:
            return _moved(value, self._job.moved) if trainable and _is_real(value) else None
        if not self._job.first:
            return None
        if self._left is None:
            self._left = read_first(self._job.first)
        left = self._left
        key = name if name in left else next((each for each in left if left[each].shape == value.shape), None)
        other = None if key is None else left.pop(key)
        return other if other is not None and other.shape == value.shape else None


def pairs(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    """Matches variables: by name, and what is left by shape, in order, where the counts of a shape agree.

    Args:
        mine: A variable's name -> its shape.
        theirs: The other side's variables, likewise.

    Returns:
        A name of `mine` -> one of `theirs`.
    """
    named = {name: name for name in mine if name in theirs and tuple(mine[name]) == tuple(theirs[name])}
    left, over = [name for name in mine if name not in named], [name for name in theirs if name not in named]
    for shape in {tuple(mine[name]) for name in left}:
        a = [name for name in left if tuple(mine[name]) == shape]
        b = [name for name in over if tuple(theirs[name]) == shape]
        if len(a) == len(b):
            named.update(zip(a, b))
    return named


def _moved(value: Any, number: int) -> Any:
    """Returns a weight whose values are moved up or down by one unit in the last place each."""
    import numpy as np

    up = np.random.RandomState(number).rand(*value.shape) < 0.5
    return np.where(
        up, np.nextafter(value, np.asarray(np.inf, value.dtype)), np.nextafter(value, np.asarray(-np.inf, value.dtype))
    )


def _is_real(value: Any) -> bool:
    return bool(value.dtype.kind == "f")
