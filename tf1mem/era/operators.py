"""The operators that a program's files call in place of Python's own: they promote numbers as NumPy 1 did.

`a + b` becomes `add(a, b)`, and `a += b` becomes `a = iadd(a, b)`, by the names of Python's module `operator`. For all
but NumPy's numbers and arrays, such a call is the operator and nothing else. NumPy itself is not imported here: a
program may set environment variables that count when it is loaded.
"""

from __future__ import annotations

import builtins
import operator
import sys
import warnings
from functools import partial
from typing import Any, Callable, Iterable

from tf1mem.era import repair_notes, targets
from tf1mem.era.repairs import Repair
from tf1mem.era.targets import Item, Member, slice_  # noqa: F401 -- the program's files name them here

# The name of this module in the program's files: one of the builtins, so that no namespace of the program has it.
NAME = "__tf1mem_operators__"
REPAIR = Repair("numpy", "promotion", "NumPy 2.0", "", "operands of two dtypes", "promotes by dtype alone")

Operator = Callable[[Any, Any], Any]

# What `tf1mem.era.promotion` knows of types, as soon as the program has loaded NumPy.
_numpy_types: set[type] = set()
_float32_quotients: set[tuple[type, type]] = set()
_operands: Callable[[Any, Any], tuple[Any, Any]]


def install() -> None:
    """Makes this module known to the program's files, and warnings show the program's lines and not this module's."""
    vars(builtins)[NAME] = sys.modules[__name__]
    show = vars(warnings).get("_showwarnmsg")
    if show is not None and not isinstance(show, partial):
        vars(warnings)["_showwarnmsg"] = partial(_show_at_the_programs_line, show, set())
    if "numpy" in sys.modules:
        know_numpy(sys.modules["numpy"])


def know_numpy(_: Any) -> None:
    """Promotes NumPy's numbers from here on; called when the program has loaded NumPy."""
    global _operands
    from tf1mem.era import promotion

    _operands = promotion.operands
    _float32_quotients.update(promotion.FLOAT32_QUOTIENTS)
    _numpy_types.update(promotion.NUMPY_TYPES)


def _show_at_the_programs_line(show: Callable[[Any], None], shown: set[Any], message: Any) -> None:
    """Shows a warning with the line of the program that called an operator of this module.

    Args:
        show: Shows a warning; Python's own.
        shown: The warnings so far: Python itself would show the first one of this module and no other.
        message: The warning, with `filename` and `lineno`.
    """
    if message.filename == __file__:
        frame = sys._getframe(1)
        ours = (__file__, targets.__file__, warnings.__file__)
        while frame.f_code.co_filename in ours and frame.f_back is not None:
            frame = frame.f_back
        message.filename, message.lineno = frame.f_code.co_filename, frame.f_lineno
        globals().pop("__warningregistry__", None)
        key = str(message.message), message.category, message.filename, message.lineno
        is_always = any(kind == "always" and issubclass(message.category, of) for kind, _, of, *_ in warnings.filters)
        if key in shown and not is_always:
            return
        shown.add(key)
    show(message)


def _promoting(operate: Operator) -> Operator:
    """Returns an operator with NumPy 1's promotion."""

    def promoting(left: Any, right: Any) -> Any:
        if type(left) in _numpy_types or type(right) in _numpy_types:
            left, right = _promoted(left, right)
        return operate(left, right)

    return promoting


def _promoting_in_place(operate: Operator) -> Operator:
    """Returns an operator with NumPy 1's promotion that changes its left operand, if that is an array."""

    def promoting(left: Any, right: Any) -> Any:
        if type(left) in _numpy_types or type(right) in _numpy_types:
            number, right = _promoted(left, right)
            if not isinstance(left, sys.modules["numpy"].ndarray):
                left = number
        return operate(left, right)

    return promoting


def _promoted(left: Any, right: Any) -> Any:
    """Returns `promotion.operands(left, right)`, and records the repair if that is something else."""
    promoted = _operands(left, right)
    if promoted[0] is not left or promoted[1] is not right:
        repair_notes.note(REPAIR)
    return promoted


def _with_float32_quotients(divide: Operator) -> Operator:
    """Returns a division whose quotient of two small integers is a float32, as in NumPy 1."""

    def dividing(left: Any, right: Any) -> Any:
        if (type(left), type(right)) not in _float32_quotients:
            return divide(left, right)
        repair_notes.note(REPAIR)
        float32 = sys.modules["numpy"].float32
        return float32(left) / float32(right)

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


def _sum(values: Iterable[Any], start: Any = 0) -> Any:
    """Returns the sum of values, added one by one unless they are a list without any of NumPy's."""
    is_plain = isinstance(values, range) or (
        isinstance(values, (list, tuple)) and _numpy_types.isdisjoint(map(type, values))
    )
    if is_plain and type(start) not in _numpy_types:
        return sum(values, start)
    for value in values:
        start = add(start, value)
    return start


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    return builtins.pow(base, exp, mod) if mod is not None else pow(base, exp)


# Builtins that compute with operators.
_PROMOTING: dict[Any, Callable[..., Any]] = {
    builtins.divmod: _promoting(builtins.divmod),
    builtins.pow: _pow,
    sum: _sum,
}


def of(function: Any) -> Any:
    """Returns a function of the program; the promoting one if it is Python's own `sum`, `pow` or `divmod`."""
    return _PROMOTING.get(function, function) if type(function) is type(len) else function
