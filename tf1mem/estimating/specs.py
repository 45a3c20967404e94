"""The specs of a step's tensors, read from what a caller may give: TensorSpecs, (shape, dtype) pairs, arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator

from tf1mem.errors import SpecError

EXAMPLE = "Give a tf.TensorSpec, a pair such as ((32, 224, 224, 3), 'float32'), or an array"


@dataclass(frozen=True)
class Spec:
    """One tensor that a step takes.

    Attributes:
        shape: Its dimensions; None for one that isn't known, None altogether where not even their number is.
        dtype: TensorFlow's name of its type, such as "float32".
        values: The array, where one was given; else None, and zeros are fed.
    """

    shape: tuple[int | None, ...] | None
    dtype: str
    values: Any = None


def read_spec(tf: Any, given: Any, where: str) -> Any:
    """A spec, or a structure (dict, list, tuple) of them, as `Spec`s in the same structure.

    Args:
        tf: TensorFlow.
        given: What the caller gave.
        where: What to call it in an error: "spec 1".

    Raises:
        SpecError: It is none.
    """
    import numpy as np

    if isinstance(given, Spec):
        return given
    if isinstance(given, dict):
        return {key: read_spec(tf, value, f"{where}[{key!r}]") for key, value in given.items()}
    if _is_pair(tf, given):
        return Spec(_shape(given[0]), _dtype(tf, given[1], where))
    if isinstance(given, (list, tuple)):
        if given and all(isinstance(item, int) or item is None for item in given):
            raise SpecError(f"{where} = {given!r}", "a shape without a dtype", EXAMPLE)
        return _like(given, [read_spec(tf, item, f"{where}[{place}]") for place, item in enumerate(given)])
    if isinstance(given, (bool, int, float)):
        given = np.asarray(given, {bool: np.bool_, int: np.int32, float: np.float32}[type(given)])
    kind = type(given).__name__
    if not hasattr(given, "shape") or not hasattr(given, "dtype") or "Sparse" in kind or "Ragged" in kind:
        raise SpecError(f"{where} = {_short(given)}", "is not a dense tensor's spec", EXAMPLE)
    values = given if isinstance(given, (np.ndarray, np.generic)) else None
    return Spec(_shape(given.shape), _dtype(tf, given.dtype, where), None if values is None else np.asarray(values))


def checked(spec: Spec, where: str) -> Spec:
    """A spec whose dimensions are all known.

    Raises:
        SpecError: One isn't.
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
    """The specs of a structure, in order."""
    if isinstance(structure, Spec):
        yield structure
    else:
        for item in structure.values() if isinstance(structure, dict) else structure:
            yield from leaves(item)


def mapped(structure: Any, change: Callable[[Spec], Any]) -> Any:
    """The structure with something else in the place of each spec."""
    if isinstance(structure, Spec):
        return change(structure)
    if isinstance(structure, dict):
        return {key: mapped(value, change) for key, value in structure.items()}
    return _like(structure, [mapped(item, change) for item in structure])


def _like(given: Any, items: list[Any]) -> Any:
    """A list, tuple or namedtuple of other items."""
    return type(given)(*items) if hasattr(given, "_fields") else type(given)(items)


def _is_pair(tf: Any, given: Any) -> bool:
    if not isinstance(given, (list, tuple)) or len(given) != 2:
        return False
    shape, dtype = given
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
