"""Observes what a program computes: values, gradients, variables and collections."""

from __future__ import annotations

import zlib
from typing import Any, Callable, Iterator

import numpy as np

from .values import numbers

# Collections in which TensorFlow describes a graph that it builds; another version may build it differently.
_INTERNAL = ("cond_context", "while_context")
_LISTED = 48  # numbers of an array that are kept one by one
_TOLERANCE = 1e-5


def observe(tf: Any, program: Callable[[Any], Any]) -> dict[str, Any]:
    """Runs a program in a new graph.

    A variable that a random op would initialize gets numbers that depend on its name.

    Args:
        tf: TensorFlow, or tf1mem.v1.
        program: See tests/v1/contrib/programs.

    Returns:
        The computed values, for JSON.
    """
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        returned = program(tf)
        differentiated = (
            [] if callable(returned) else [tensor for tensor in _tensors(returned) if tensor.dtype.is_floating]
        )
        gradients = _gradients(tf, differentiated, tf.trainable_variables()) if differentiated else {}
        initializers = [tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()]
        with tf.Session() as sess:
            sess.run(initializers)
            for initializers, drawn in _drawn(tf.global_variables() + tf.local_variables()):
                sess.run(initializers, drawn)
            if callable(returned):
                values = _kept(returned(sess), {})
            else:
                tensors = list(_tensors([returned, gradients]))
                computed = dict(zip(map(id, tensors), sess.run(tensors))) if tensors else {}
                values, gradients = _kept(returned, computed), _kept(gradients, computed)
        return {
            "values": values,
            "gradients": gradients,
            "variables": {
                variable.op.name: [variable.dtype.base_dtype.name, *_sizes(variable)]
                for variable in tf.global_variables() + tf.local_variables()
            },
            "collections": {
                str(key): _entries(graph.get_collection(key))
                for key in graph.get_all_collection_keys()
                if isinstance(key, str) and not key.endswith(_INTERNAL) and graph.get_collection(key)
            },
        }


def _drawn(variables: list[Any]) -> Iterator[tuple[list[Any], dict[Any, Any]]]:
    """Yields initializers of variables and the numbers to feed them; in few steps, as each step costs time."""
    initializers: list[Any] = []
    fed: dict[str, Any] = {}
    for variable in variables:
        value = variable.initializer.inputs[1]
        if not _is_random(value.op):
            continue
        if value.name in fed:  # Two variables of one value get numbers of their own.
            yield initializers, fed
            initializers, fed = [], {}
        drawn = numbers(*value.shape.as_list(), seed=zlib.crc32(variable.op.name.encode())) / 2
        initializers.append(variable.initializer)
        fed[value.name] = drawn.astype(value.dtype.as_numpy_dtype)
    yield initializers, fed


def _sizes(variable: Any) -> list[Any]:
    shape = variable.shape
    return ["any"] if shape.ndims is None else shape.as_list()


def _entries(collection: list[Any]) -> Any:
    """Returns the names of the variables in a collection, and the number of its other entries."""
    names = [entry.op.name for entry in collection if hasattr(entry, "initializer") and hasattr(entry, "op")]
    return sorted(names) if len(names) == len(collection) else len(collection)


def _gradients(tf: Any, outputs: list[Any], variables: list[Any]) -> Any:
    try:
        gradients = tf.gradients([tf.reduce_sum(output) for output in outputs], variables) if variables else []
    except LookupError:
        return "an op without a gradient"
    return {
        variable.op.name: tf.convert_to_tensor(gradient)
        for variable, gradient in zip(variables, gradients)
        if gradient is not None
    }


def _is_random(op: Any) -> bool:
    """Returns True if an op, or any op that it depends on, is random."""
    visited, ahead = set(), [op]
    while ahead:
        op_ahead = ahead.pop()
        if any(word in op_ahead.type for word in ("Random", "TruncatedNormal", "Multinomial")):
            return True
        if op_ahead not in visited:
            visited.add(op_ahead)
            ahead.extend(value.op for value in op_ahead.inputs)
    return False


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """Returns the named parts of a composite value; None for any other value."""
    if isinstance(value, dict):
        return sorted((str(key), part) for key, part in value.items())
    if hasattr(value, "_fields"):
        return list(zip(value._fields, value))
    if hasattr(value, "dense_shape"):  # SparseTensor, SparseTensorValue, IndexedSlices
        names = ("indices", "values", "dense_shape")
        return [(name, getattr(value, name)) for name in names if getattr(value, name) is not None]
    return None


def _tensors(value: Any) -> Iterator[Any]:
    parts = _parts(value)
    if parts is not None:
        for _, part in parts:
            yield from _tensors(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)
    elif _is_tensor(value):
        yield value


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "graph") and hasattr(value, "dtype")


def _kept(value: Any, computed: dict[int, Any]) -> Any:
    """Returns a value for JSON."""
    parts = _parts(value)
    if parts is not None:
        return {name: _kept(part, computed) for name, part in parts}
    if isinstance(value, (list, tuple)):
        return [_kept(part, computed) for part in value]
    if _is_tensor(value):
        return _array(computed[id(value)])
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(value)
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, type):
        return value.__name__
    if hasattr(value, "as_list"):
        return None if value.ndims is None else value.as_list()
    raise TypeError(f"a program returned {value!r}: return tensors, numbers, text, lists and dicts of them")


def _array(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        return [_kept(part, {}) for part in array.tolist()] if array.ndim else _kept(array.item(), {})
    if array.dtype.kind not in "fbiu":
        array = array.astype(np.float32)  # bfloat16
    if array.size <= _LISTED:
        return _rounded(array.tolist())
    flat = array.astype(np.float64).ravel()
    return {
        "shape": list(array.shape),
        "first": _rounded(flat[:8].tolist()),
        "sum": _rounded(flat.sum()),
        "sum of absolutes": _rounded(np.abs(flat).sum()),
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


def differences(recorded: Any, observed: Any, where: str = "", scale: float = 1.0) -> Iterator[str]:
    """Lists the differences from a record. Numbers differ by more than 1e-5, absolute or, for large ones, relative."""
    if isinstance(recorded, dict) and isinstance(observed, dict):
        if {"sum", "sum of absolutes"} <= {*recorded}:
            scale = max(scale, abs(recorded["sum of absolutes"]))
        for key in sorted({*recorded, *observed}):
            path = f"{where}.{key}" if where else key
            if key not in observed or key not in recorded:
                value = observed.get(key, recorded.get(key))
                yield f"{path} is {'new' if key in observed else 'missing'}: {value}"
            else:
                yield from differences(recorded[key], observed[key], path, scale)
    elif isinstance(recorded, list) and isinstance(observed, list) and len(recorded) == len(observed):
        for number, (recorded_item, seen_item) in enumerate(zip(recorded, observed)):
            yield from differences(recorded_item, seen_item, f"{where}[{number}]", scale)
    elif not _same(recorded, observed, scale):
        yield f"{where} was {recorded}, is {observed}"


def _same(recorded: Any, observed: Any, scale: float) -> bool:
    numeric = (int, float)
    if isinstance(recorded, bool) or isinstance(observed, bool) or not isinstance(recorded, numeric):
        return type(recorded) is type(observed) and bool(recorded == observed)
    if not isinstance(observed, numeric):
        return False
    return (
        recorded == observed
        or abs(recorded - observed) <= _TOLERANCE * max(scale, abs(recorded))
        or recorded != recorded != observed
    )
