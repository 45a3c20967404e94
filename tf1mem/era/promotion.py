"""NumPy 1's promotion, for the operators and functions of an old program on NumPy 2.

NumPy 2 promotes by dtypes alone, and lets Python's numbers adapt to them
([NEP 50](https://numpy.org/neps/nep-0050-scalar-promotion.html)). NumPy 1 differed in two cases:

- A Python number that met a NumPy scalar had 64 bits: `np.float32(1) * 2.0` was a float64, `np.uint8(200) + 100` 300.
- A scalar that met an array counted by its value: a float32 array times `np.float64(0.1)` stayed float32, and a uint8
  array plus 300 became uint16.

An array without dimensions counts as a scalar. Both cases come down to another dtype for the scalar: once it has that
dtype, NumPy 2 computes the same. One difference stays: NumPy 1 made signed integers of an integer to the left of %, a
shift or a bitwise operator and an unsigned array to its right.
"""

from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np

# Kinds of dtypes that are promoted, and their ranks: a scalar of a higher rank than the array's counts by its dtype.
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 2}
# Python's numbers -> the scalar types as which NumPy 1 treated them.
_PYTHON: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
# Scalar types that have the same result with a Python number in both NumPys.
_FULL_SIZE = frozenset([np.bool_, np.int64, np.float64, np.complex128])
_SCALARS = frozenset(
    kind for kind in np.sctypeDict.values() if issubclass(kind, (np.number, np.bool_)) and np.dtype(kind).kind in _RANK
)
_ARRAYS = (np.ndarray, np.matrix, np.ma.MaskedArray, np.recarray, np.memmap)
# Types of operands that may need a conversion. Subclasses that a program makes of them do without.
NUMPY_TYPES = frozenset([*_SCALARS, *_ARRAYS])

_SMALL = (np.int8, np.uint8, np.int16, np.uint16)
# Types of two scalars whose quotient was a float32; it is a float64 in NumPy 2.
FLOAT32_QUOTIENTS = frozenset((left, right) for left in _SMALL for right in _SMALL if np.can_cast(right, left))

Operands = Tuple[Any, Any]
# Numbers up to this one, the largest float16, fit into all floating-point dtypes, and those up to the second into all
# dtypes but bool.
_LARGEST_FLOAT16, _LARGEST_INT8 = 65504.0, 127


def operands(left: Any, right: Any) -> Operands:
    """Returns two operands for which NumPy 2 has the result that NumPy 1 had for these; the same if that needs none."""
    convert = _CONVERSIONS.get((type(left), type(right)))
    return (left, right) if convert is None else convert(left, right)


def _of_python_and_scalar(left: Any, right: Any) -> Operands:
    return _as_64_bits(left), right


def _of_scalar_and_python(left: Any, right: Any) -> Operands:
    return left, _as_64_bits(right)


def _of_array_and_number(left: Any, right: Any) -> Operands:
    if left.ndim:
        return left, beside_array(right, left.dtype)
    return (left, _as_64_bits(right)) if type(right) in _PYTHON else (left, right)


def _of_number_and_array(left: Any, right: Any) -> Operands:
    if right.ndim:
        return beside_array(left, right.dtype), right
    return (_as_64_bits(left), right) if type(left) in _PYTHON else (left, right)


def _of_arrays(left: Any, right: Any) -> Operands:
    if bool(left.ndim) == bool(right.ndim):
        return left, right
    return _of_array_and_number(left, right) if left.ndim else _of_number_and_array(left, right)


def _as_64_bits(number: Any) -> Any:
    """Returns a Python number as a NumPy scalar of 64 bits; the number itself if it is larger."""
    try:
        return _PYTHON[type(number)](number)
    except OverflowError:
        return np.uint64(number) if 0 <= number < 2**64 else number


def beside_array(number: Any, dtype: Any) -> Any:
    """Returns a scalar operand whose other operand is an array, in the dtype that NumPy 1 promoted it to.

    Args:
        number: A Python number, a NumPy scalar, or an array without dimensions.
        dtype: The array's dtype.
    """
    rank = _RANK.get(dtype.kind)
    if rank is None:
        return number
    kind = type(number)
    if kind is float:
        # The first is the usual case, and a comparison costs less than what follows. Not a number, the second, fits.
        if -_LARGEST_FLOAT16 <= number <= _LARGEST_FLOAT16 or number != number:  # noqa: PLR0124
            return number
    elif kind is int and (0 if dtype.kind == "u" else -_LARGEST_INT8) <= number <= _LARGEST_INT8:
        return number
    python = _PYTHON.get(kind)
    own = number.dtype if python is None else np.dtype(python)
    if _RANK.get(own.kind, rank) > rank:
        return number  # NumPy 2 has the same result, and below
    target = np.promote_types(dtype, _least(number, dtype))
    today = np.promote_types(dtype, own) if python is None else np.result_type(dtype, kind(0))
    if target == today:
        return number
    if target.kind == "O":
        return np.array(number, object)
    return number.astype(target) if isinstance(number, np.ndarray) else target.type(number)


def _least(number: Any, dtype: Any) -> Any:
    """Returns the smallest dtype that holds a number; a signed one if a positive number meets other dtypes."""
    least = np.min_scalar_type(number)
    if least.kind == "u" and dtype.kind != "u" and number <= np.iinfo(least).max // 2:
        return np.dtype(f"i{least.itemsize}")
    return least


# Types of two operands -> the function that converts them; other types need no conversion.
_CONVERSIONS: dict[tuple[type, type], Callable[[Any, Any], Operands]] = {
    **{(number, scalar): _of_python_and_scalar for number in _PYTHON for scalar in _SCALARS - _FULL_SIZE},
    **{(scalar, number): _of_scalar_and_python for number in _PYTHON for scalar in _SCALARS - _FULL_SIZE},
    **{(array, number): _of_array_and_number for number in (*_PYTHON, *_SCALARS) for array in _ARRAYS},
    **{(number, array): _of_number_and_array for number in (*_PYTHON, *_SCALARS) for array in _ARRAYS},
    **{(array, other): _of_arrays for array in _ARRAYS for other in _ARRAYS},
}
