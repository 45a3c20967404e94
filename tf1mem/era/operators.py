"""The operators that a program's files call in place of Python's own: they promote numbers as NumPy 1 did.

`a + b` becomes `add(a, b)`, and `a += b` becomes `a = iadd(a, b)`, by the names of Python's module `operator`. For all
but NumPy's numbers and arrays, such a call is the operator and nothing else.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any, Callable, Iterable

import numpy as np

from tf1mem.era import repair_notes
from tf1mem.era.promotion import CONVERSIONS, NUMPY_TYPES, REPAIR

Operator = Callable[[Any, Any], Any]


def _promoting(operate: Operator) -> Operator:
    """Returns an operator with NumPy 1's promotion."""

    def promoting(left: Any, right: Any) -> Any:
        if type(left) in NUMPY_TYPES or type(right) in NUMPY_TYPES:
            left, right = _promoted(left, right)
        return operate(left, right)

    return promoting


def _promoting_in_place(operate: Operator) -> Operator:
    """Returns an operator with NumPy 1's promotion that changes its left operand, if that is an array."""

    def promoting(left: Any, right: Any) -> Any:
        if type(left) in NUMPY_TYPES or type(right) in NUMPY_TYPES:
            number, right = _promoted(left, right)
            if not isinstance(left, np.ndarray):
                left = number
        return operate(left, right)

    return promoting


def _promoted(left: Any, right: Any) -> Any:
    """Returns `promotion.operands(left, right)`, and records the repair if that is something else."""
    convert = CONVERSIONS.get((type(left), type(right)))
    if convert is None:
        return left, right
    promoted = convert(left, right)
    if promoted[0] is not left or promoted[1] is not right:
        repair_notes.note(REPAIR)
    return promoted


_SMALL = (np.int8, np.uint8, np.int16, np.uint16)
# Types of two scalars whose quotient was a float32; it is a float64 in NumPy 2.
_FLOAT32_QUOTIENTS = frozenset((left, right) for left in _SMALL for right in _SMALL if np.can_cast(right, left))


def _with_float32_quotients(divide: Operator) -> Operator:
    """Returns a division whose quotient of two small integers is a float32, as in NumPy 1."""

    def dividing(left: Any, right: Any) -> Any:
        if (type(left), type(right)) not in _FLOAT32_QUOTIENTS:
            return divide(left, right)
        repair_notes.note(REPAIR)
        return np.float32(left) / np.float32(right)

    return dividing


add = _promoting(operator.add)
sub = _promoting(operator.sub)
mul = _promoting(operator.mul)
truediv = _with_float32_quotients(_promoting(operator.truediv))
floordiv = _promoting(operator.floordiv)
mod = _promoting(operator.mod)
pow = _promoting(operator.pow)
lshift = _promoting(operator.lshift)
rshift = _promoting(operator.rshift)
and_ = _promoting(operator.and_)
or_ = _promoting(operator.or_)
xor = _promoting(operator.xor)

iadd = _promoting_in_place(operator.iadd)
isub = _promoting_in_place(operator.isub)
imul = _promoting_in_place(operator.imul)
itruediv = _with_float32_quotients(_promoting_in_place(operator.itruediv))
ifloordiv = _promoting_in_place(operator.ifloordiv)
imod = _promoting_in_place(operator.imod)
ipow = _promoting_in_place(operator.ipow)
ilshift = _promoting_in_place(operator.ilshift)
irshift = _promoting_in_place(operator.irshift)
iand = _promoting_in_place(operator.iand)
ior = _promoting_in_place(operator.ior)
ixor = _promoting_in_place(operator.ixor)

eq = _promoting(operator.eq)
ne = _promoting(operator.ne)
lt = _promoting(operator.lt)
le = _promoting(operator.le)
gt = _promoting(operator.gt)
ge = _promoting(operator.ge)

divmod = _promoting(builtins.divmod)


def sum(values: Iterable[Any], start: Any = 0) -> Any:
    """Returns the sum of values, added one by one if NumPy's are among them.

    Args:
        values: The values, as the builtin `sum` takes them.
        start: The value to which they are added.
    """
    values = list(values)
    if type(start) not in NUMPY_TYPES and NUMPY_TYPES.isdisjoint(map(type, values)):
        return builtins.sum(values, start)
    for value in values:
        start = add(start, value)
    return start
