"""Reads the specs of a step's tensors: TensorSpecs, (shape, dtype) pairs, or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator

from tf1mem.errors import SpecError

EXAMPLE = "Give a tf.TensorSpec, a pair such as ((32, 224, 224, 3), 'float32'), or an array"


@dataclass(frozen=True)
class Spec:
    """The spec of one tensor that a step takes.

    Attributes:
        shape: The dimensions, None for an unknown one; None if even their number isn't known.
        dtype: TensorFlow's name of the dtype, such as "float32".
        values: The array to feed, or None to feed zeros.
    """

    shape: tuple[int | None, ...] | None
    dtype: str
    values: Any = None


def read_spec(tf: Any, value: Any, where: str) -> Any:
    """Converts a spec, or a structure (dict, list, tuple) of specs, to `Spec`s in the same structure.

    Args:
        tf: The `tensorflow` module.
        value: The spec or the structure, as the caller passed it.
        where: The spec's name for errors: "spec 1".

    Raises:
        SpecError: The value isn't a spec.
    """
    import numpy as np

    if isinstance(value, Spec):
        return value
    if isinstance(value, dict):
        return {key: read_spec(tf, item, f"{where}[{key!r}]") for key, item in value.items()}
    if _is_pair(tf, value):
        return Spec(_shape(value[0]), _dtype(tf, value[1], where))
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(item, int) or item is None for item in value):
            raise SpecError(f"{where} = {value!r}", "the shape has no dtype", EXAMPLE)
        return _like(value, [read_spec(tf, item, f"{where}[{place}]") for place, item in enumerate(value)])
    if isinstance(value, (bool, int, float)):
        value = np.asarray(value, {bool: np.bool_, int: np.int32, float: np.float32}[type(value)])
    kind = type(value).__name__
    if not hasattr(value, "shape") or not hasattr(value, "dtype") or "Sparse" in kind or "Ragged" in kind:
        raise SpecError(f"{where} = {_short(value)}", "is not a dense tensor's spec", EXAMPLE)
    array = value if isinstance(value, (np.ndarray, np.generic)) else None
    return Spec(_shape(value.shape), _dtype(tf, value.dtype, where), None if array is None else np.asarray(array))


def checked(spec: Spec, where: str) -> Spec:
    """Returns the spec if all its dimensions are known.

    Raises:
        SpecError: A dimension isn't known, or is negative.
    """
    if spec.shape is None:
        raise SpecError(where, "its shape isn't known", EXAMPLE)
    for place, size in enumerate(spec.shape):
        if size is None:
            known = ", ".join("…" if other is None else str(other) for other in spec.shape)
            example = tuple(32 if other is None else other for other in spec.shape)
            raise SpecError(
                f"{where} of shape ({known})",
                f"dimension {place} is unknown, and memory depends on it",
                f"Give every dimension, the batch too: ({example!r}, {spec.dtype!r})",
            )
        if size < 0:
            raise SpecError(f"{where} of shape {spec.shape}", "a dimension is negative", EXAMPLE)
    return spec


def leaves(structure: Any) -> Iterator[Spec]:
    """Yields the specs of a structure, in order."""
    if isinstance(structure, Spec):
        yield structure
    else:
        for item in structure.values() if isinstance(structure, dict) else structure:
            yield from leaves(item)


def mapped(structure: Any, change: Callable[[Spec], Any]) -> Any:
    """Returns the structure with each spec replaced by `change(spec)`."""
    if isinstance(structure, Spec):
        return change(structure)
    if isinstance(structure, dict):
        return {key: mapped(value, change) for key, value in structure.items()}
    return _like(structure, [mapped(item, change) for item in structure])


def _like(original: Any, items: list[Any]) -> Any:
    """Returns a list, tuple or namedtuple of `original`'s type with other items."""
    return type(original)(*items) if hasattr(original, "_fields") else type(original)(items)


def _is_pair(tf: Any, value: Any) -> bool:
    """Returns True for a pair of a shape and a dtype."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        return False
    shape, dtype = value
    if isinstance(shape, (list, tuple)):
        if not all(size is None or hasattr(size, "__index__") for size in shape):
            return False
    elif not isinstance(shape, tf.TensorShape):
        return False
    return isinstance(dtype, (str, type, tf.DType)) or type(dtype).__module__.startswith("numpy")


def _shape(shape: Any) -> tuple[int | None, ...] | None:
    if hasattr(shape, "as_list"):
        return None if shape.rank is None else tuple(shape.as_list())
    return None if shape is None else tuple(None if size is None else int(size) for size in shape)


def _dtype(tf: Any, dtype: Any, where: str) -> str:
    try:
        name = tf.as_dtype(dtype).base_dtype.name
    except (TypeError, KeyError, ValueError):
        name = "resource"
    if name in ("resource", "variant"):
        raise SpecError(f"{where} of dtype {dtype!r}", "is not a type of tensors", EXAMPLE)
    return str(name)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
