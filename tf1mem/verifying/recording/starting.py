"""Initial values of variables: notes on how the program computes them, and the values that replace them."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from tf1mem.verifying.array_records import PART
from tf1mem.verifying.recording import graphs
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.recording.notes import read_first, read_weights

# Ops whose seeds decide an initial value.
_RANDOM = (
    "RandomStandardNormal",
    "TruncatedNormal",
    "RandomUniform",
    "RandomUniformInt",
    "ParameterizedTruncatedNormal",
)
# Op types that say nothing about how a value is computed; and newer op types -> their older names.
_SILENT = ("Const", "Identity", "NoOp", "VarHandleOp", "VariableV2")
_CALLED = {"AddV2": "Add", "RealDiv": "Div"}


def made_by(variable: Any, root: str) -> dict[str, Any]:
    """Returns notes on the computation of a variable's initial value.

    Args:
        variable: The variable, of a graph.
        root: The folder of the program's own files.

    Returns:
        A dict for JSON: "ops", the types of the ops; "seeds", a pair of each random op; "constants", scalars as text;
        and "line", the program's line. It is empty if the variable has no initializer op.
    """
    try:
        initial = variable.initializer.inputs[1]
    except Exception:  # variables of some versions of Keras have no initializer op
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
    """Returns a scalar constant of an initializer, to six digits; "" for shapes and tables."""
    proto = op.get_attr("value")
    if proto.tensor_shape.dim:
        return ""
    numbers = [*proto.float_val, *proto.double_val, *proto.half_val]
    return f"{numbers[0]:.6g}" if numbers else ""


def replacement(job: Job, first: Mapping[str, dict[str, Any]]) -> Callable[[str, Any], Any] | None:
    """Returns a function from a variable's name and own initial value to the value that replaces it.

    Args:
        job: The job, which names a file with the values, or has the seed for moving weights.
        first: Name of a variable -> its notes, of which "shape" and "trainable" are read.

    Returns:
        The function, which returns None for a variable that keeps its value. None if all variables keep theirs.
    """
    import numpy as np

    if job.moved:
        return lambda name, value: _moved(value, job.moved) if first[name]["trainable"] and _is_real(value) else None
    if not job.first_values:
        return None
    recorded = read_first(job.first_values)
    named = pairs(
        {name: each["shape"] for name, each in first.items()}, {name: each.shape for name, each in recorded.items()}
    )

    def from_file(name: str, value: Any) -> Any:
        other = recorded[named[name]] if name in named else value
        return None if np.array_equal(other, value) else other.astype(value.dtype)

    return from_file


def moved(job: Job, step: int, fed: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the weights that a run is fed, moved by one unit in the last place.

    They are moved at every step: an optimizer outside of TensorFlow keeps the weights itself, so a move at the first
    step wouldn't last.

    Args:
        job: The process's job.
        step: The number of the step, which decides the directions.
        fed: Name of a variable -> the value that it is fed.

    Returns:
        Name of a variable -> its moved value, for floats only; an empty dict if the job moves no weights.
    """
    import numpy as np

    arrays = {name: np.asarray(value) for name, value in fed.items()} if job.moved else {}
    return {name: _moved(value, job.moved + 1000 * step) for name, value in arrays.items() if _is_real(value)}


class FirstValues:
    """Initial values for variables that are created one by one, as in eager programs.

    Args:
        job: The job, which names a file with the values, or has the seed for moving weights.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._left: dict[str, Any] | None = None
        self._weights: list[str] = []

    def of(self, name: str, value: Any, trainable: bool) -> Any:
        """Returns the value that replaces a variable's own initial value, or None to keep it.

        From a file it is the value of the same name. A trainable variable without one gets the file's next weight of
        its shape, in the order of the weights.

        Args:
            name: The variable's name.
            value: The variable's own initial value, an array.
            trainable: True if the variable is trainable.
        """
        if self._job.moved:
            return _moved(value, self._job.moved) if trainable and _is_real(value) else None
        if not self._job.first_values:
            return None
        if self._left is None:
            self._left, self._weights = read_first(self._job.first_values), read_weights(self._job.first_values)
        left = self._left
        alike = (each for each in self._weights if each in left and left[each].shape == value.shape)
        key = name if name in left else next(alike, None) if trainable else None
        other = None if key is None else left.pop(key)
        return other if other is not None and other.shape == value.shape else None


def pairs(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, str]:
    """Matches variables by name and shape; the remaining ones of a shape in order, if both sides have equally many.

    Args:
        mine: Name of one side's variable -> its shape.
        theirs: Name of the other side's variable -> its shape.

    Returns:
        Name in `mine` -> name in `theirs`, of the variables with a match.
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
    """Returns a weight with each value moved up or down by one unit in the last place.

    Args:
        value: The weight, an array of floats.
        number: The seed of the directions.
    """
    import numpy as np

    random, flat = np.random.RandomState(number), value.ravel()
    moved = np.empty_like(flat)
    for start in range(0, flat.size, PART):
        part = flat[start : start + PART]
        ends = np.where(random.rand(part.size) < 0.5, np.inf, -np.inf).astype(value.dtype)
        np.nextafter(part, ends, out=moved[start : start + PART])
    return moved.reshape(value.shape)


def _is_real(value: Any) -> bool:
    return bool(value.dtype.kind == "f")
