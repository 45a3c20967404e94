"""Repairs for NumPy: names and behaviour that it had up to 1.18 and has lost since."""

from __future__ import annotations

import ast
import builtins
import math
import sys
import types
from functools import lru_cache, partial
from typing import Any, Callable, Iterable

from tf1mem.era import trust
from tf1mem.era.repairs import ELEMENT, FORMAT, Repair, changed, gone, methods, shown

NINF, PZERO, NZERO = -float("inf"), 0.0, -0.0


def asscalar(a: Any) -> Any:
    """Returns the only element of an array, as a Python scalar."""
    return a.item()


def alen(a: Any) -> int:
    """Returns the length of an array; 1 for a scalar."""
    try:
        return len(a)
    except TypeError:
        return 1


def asfarray(a: Any, dtype: Any = float) -> Any:
    """Returns an array of floating-point numbers."""
    import numpy as np

    return np.asarray(a, dtype=dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Returns a boolean array: True for each element of the first that is in the second, both flattened."""
    import numpy as np

    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def msort(a: Any) -> Any:
    """Returns an array sorted along its first axis."""
    import numpy as np

    return np.sort(a, axis=0)


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """Returns the scalar type of an object, or of a type's name."""
    import numpy as np

    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    if isinstance(rep, np.ndarray):
        return rep.dtype.type
    try:
        return np.dtype(rep).type
    except (TypeError, ValueError):
        return default


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """Returns `issubclass(arg1, arg2)`; False if one of them isn't a class."""
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def sctype2char(sctype: Any) -> str:
    """Returns the character code of a scalar type."""
    import numpy as np

    return str(np.dtype(obj2sctype(sctype)).char)


def disp(mesg: Any, device: Any = None, linefeed: bool = True) -> None:
    """Writes a message and flushes the stream."""
    import sys

    stream = sys.stdout if device is None else device
    stream.write(f"{mesg}\n" if linefeed else f"{mesg}")
    stream.flush()


def fast_copy_and_transpose(a: Any) -> Any:
    """Returns a transposed copy."""
    import numpy as np

    return np.array(np.transpose(a), order="C", ndmin=2)


def find_common_type(array_types: Any, scalar_types: Any) -> Any:
    """Returns the common dtype of arrays and scalars; the scalars' counts only if it is of a higher kind."""
    import numpy as np

    array = np.result_type(*map(np.dtype, array_types)) if array_types else None
    scalar = np.result_type(*map(np.dtype, scalar_types)) if scalar_types else None
    if array is None or scalar is None:
        return scalar if array is None else array
    kinds = "buifcmMSUVO"
    return scalar if kinds.index(scalar.kind) > kinds.index(array.kind) and "u" not in scalar.kind else array


def issctype(rep: Any) -> bool:
    """Returns True for a scalar type, or for a dtype."""
    import numpy as np

    scalar_type = obj2sctype(rep) if isinstance(rep, (type, np.dtype)) else None
    return scalar_type is not None and scalar_type is not np.object_


class _Sizes(dict):  # type: ignore[type-arg]
    """The mapping `np.nbytes`: the size in bytes of each scalar type."""

    def __missing__(self, key: Any) -> int:
        import numpy as np

        return int(np.dtype(key).itemsize)


class _Cast(dict):  # type: ignore[type-arg]
    """The mapping `np.cast`: `np.cast[type](values)` converts values to a type."""

    def __missing__(self, key: Any) -> Callable[[Any], Any]:
        import numpy as np

        return lambda x: np.asarray(x).astype(key)


def __getattr__(name: str) -> Any:
    if name == "cast":
        return _Cast()
    if name == "nbytes":
        return _Sizes()
    if name == "sctypes":
        import numpy as np

        return {
            "int": [np.int8, np.int16, np.int32, np.int64],
            "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
            "float": [np.float16, np.float32, np.float64, np.longdouble],
            "complex": [np.complex64, np.complex128, np.clongdouble],
            "others": [bool, object, bytes, str, np.void],
        }
    raise AttributeError(name)


def _tostring(array: Any, order: Any = "C") -> bytes:
    data: bytes = array.tobytes(order)
    return data


def _itemset(array: Any, *args: Any) -> None:
    *index, value = args
    if not index:
        if array.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        array.flat[0] = value
    elif len(index) == 1 and not isinstance(index[0], tuple):
        array.flat[index[0]] = value
    else:
        array[index[0] if len(index) == 1 else tuple(index)] = value


def _newbyteorder(array: Any, new_order: str = "S") -> Any:
    return array.view(array.dtype.newbyteorder(new_order))


def _ptp(array: Any, *args: Any, **kwargs: Any) -> Any:
    import numpy as np

    return np.ptp(array, *args, **kwargs)


Note = Callable[[], None]  # records that the repair was needed


def _ragged(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of rows; rows that differ in length become an array of objects."""
    try:
        return original(*args, **kwargs)
    except ValueError as error:
        if "inhomogeneous" in str(error) and "dtype" not in kwargs and len(args) == 1:
            note()
            return original(*args, dtype=object, **kwargs)
        raise


def _rows_at(position: int) -> Callable[..., Any]:
    """Returns a repair of a function that takes an array: ragged rows at that position become an array of objects."""

    def repaired(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except ValueError as error:
            if "inhomogeneous" not in str(error) or len(args) <= position:
                raise
        import numpy as np

        note()
        rows = np.array(args[position], dtype=object)
        return original(*args[:position], rows, *args[position + 1 :], **kwargs)

    return repaired


def _array(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return _ragged(note, original, *args, **kwargs)
    except ValueError:
        if kwargs.get("copy") is not False:  # copy=False used to mean: no copy if none is needed
            raise
    note()
    return original(*args, **{**kwargs, "copy": None})


def _stacked(note: Note, original: Any, arrays: Any, *args: Any, **kwargs: Any) -> Any:
    if hasattr(arrays, "__getitem__") or not hasattr(arrays, "__iter__"):
        return original(arrays, *args, **kwargs)
    note()
    return original(list(arrays), *args, **kwargs)


def _of_generator(note: Note, original: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(a, types.GeneratorType):
        return original(a, *args, **kwargs)
    note()
    return builtins.sum(a)


def _cross(note: Note, original: Any, a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return original(a, b, *args, **kwargs)
    except ValueError:
        return _cross_of_planes(note, original, a, b, *args, **kwargs)


def _cross_of_planes(  # noqa: PLR0917
    note: Note, original: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Returns the cross product of vectors, in which a missing third component is 0; a scalar if both lack it."""
    import numpy as np

    if axis is not None:
        axisa = axisb = axisc = axis
    vectors = [np.moveaxis(np.asarray(a), axisa, -1), np.moveaxis(np.asarray(b), axisb, -1)]
    sizes = [vector.shape[-1] for vector in vectors]
    in_space = [
        np.concatenate([vector, np.zeros_like(vector[..., :1])], axis=-1) if size == 2 else vector
        for vector, size in zip(vectors, sizes)
    ]
    product = original(*in_space)
    note()
    return product[..., 2] if sizes == [2, 2] else np.moveaxis(product, -1, axisc)


def _renamed(old: str, new: str) -> Callable[..., Any]:
    """Returns a repair of a function that has another name for an argument."""

    def repaired(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
        if old not in kwargs:
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)  # a NumPy that still has the old name may lack the new one
        except TypeError:
            kwargs[new] = kwargs.pop(old)
        result = original(*args, **kwargs)
        note()
        return result

    return repaired


def _histogram(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    if "normed" in kwargs:
        note()
        kwargs["density"] = kwargs.pop("normed") or kwargs.get("density")
    return original(*args, **kwargs)


def _corrcoef(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    note()
    # bias and ddof had no effect.
    effective = {name: value for name, value in kwargs.items() if name not in ("bias", "ddof")}
    return original(*args, **effective)


def _unique(note: Note, original: Any, ar: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the result of `np.unique`, with a flat inverse, as before NumPy 2."""
    result = original(ar, *args, **kwargs)
    if not kwargs.get("return_inverse") or kwargs.get("axis") is not None or args:
        return result
    position = 2 if kwargs.get("return_index") else 1
    if result[position].ndim < 2:
        return result
    note()
    return (*result[:position], result[position].reshape(-1), *result[position + 1 :])


def _listed(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a function's arrays as a list, as before NumPy 2; a single array stays one."""
    arrays = original(*args, **kwargs)
    if not isinstance(arrays, tuple):
        return arrays
    note()
    return list(arrays)


def _issubdtype(note: Note, original: Any, arg1: Any, arg2: Any) -> Any:
    """Answers as up to NumPy 1.18: float means np.floating, int np.signedinteger, bool and object np.generic."""
    import numpy as np

    answer = original(arg1, arg2)
    if isinstance(arg2, np.dtype) or issubclass_(arg2, np.generic):
        return answer
    above: Any = np.dtype(arg2).type.mro()[1]
    if original(arg1, above if issubclass(above, np.generic) else arg2) == answer:
        return answer
    note()
    return not answer


def _can_cast(note: Note, original: Any, from_: Any, to: Any, casting: str = "safe") -> Any:
    """Answers by a number's value, as before NumPy 2: 1 can become an int8, 300 can't."""
    import numpy as np

    is_number = isinstance(from_, (builtins.bool, builtins.int, builtins.float, builtins.complex, np.generic))
    if not is_number and not (isinstance(from_, np.ndarray) and not from_.ndim):
        return original(from_, to, casting)
    least = np.asarray(from_).dtype if casting in ("no", "equiv") else np.min_scalar_type(from_)
    types = [least]
    if least.kind == "u" and casting in ("safe", "same_kind") and from_ <= np.iinfo(least).max // 2:
        types.append(np.dtype(f"i{least.itemsize}"))
    answer = any(original(dtype, to, casting) for dtype in types)
    try:
        is_as_today = original(getattr(from_, "dtype", from_), to, casting) == answer
    except TypeError:  # NumPy 2 refuses Python's numbers
        is_as_today = False
    if not is_as_today:
        note()
    return answer


def _promoted(note: Note, original: Any, x1: Any, x2: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of two operands, with NumPy 1's promotion."""
    from tf1mem.era.promotion import operands

    left, right = operands(x1, x2)
    if left is not x1 or right is not x2:
        note()
    return original(left, right, *args, **kwargs)


def _where(note: Note, original: Any, condition: Any, *args: Any) -> Any:
    return _promoted(note, partial(original, condition), *args) if len(args) == 2 else original(condition, *args)


def _clip(note: Note, original: Any, a: Any, a_min: Any = None, a_max: Any = None, *args: Any, **kwargs: Any) -> Any:
    from tf1mem.era.promotion import operands

    bounds = [operands(a, bound)[1] for bound in (a_min, a_max)]
    clipped = a if getattr(a, "ndim", 0) else operands(a, next((b for b in (a_min, a_max) if b is not None), a))[0]
    if clipped is not a or bounds[0] is not a_min or bounds[1] is not a_max:
        note()
    return original(clipped, *bounds, *args, **kwargs)


def _spaced(note: Note, original: Any, start: Any, stop: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of an interval, whose ends of 16 and 32 bits count as Python's numbers."""
    import numpy as np

    ends = [float(end) if isinstance(end, (np.float16, np.float32)) else end for end in (start, stop)]
    if ends[0] is not start or ends[1] is not stop:
        note()
    return original(*ends, *args, **kwargs)


def _select(note: Note, original: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    import numpy as np

    from tf1mem.era.promotion import beside_array

    numbers = [value if type(value) in (int, float, complex) else np.asarray(value) for value in choicelist]
    dtypes = {value.dtype.kind for value in map(np.asarray, [*numbers, default])}
    promoted = default
    if dtypes <= set("biufc") and not np.ndim(default) and any(map(np.ndim, numbers)):
        promoted = beside_array(default, np.result_type(*numbers))
    if promoted is not default:
        note()
    return original(condlist, choicelist, promoted)


class _Elements:
    """Sets elements of arrays to arrays of one element."""

    def __init__(self, note: Note) -> None:
        self._note = note

    def without_dimensions(self, value: Any, target: Any) -> Any:
        """Returns an array of one element, without its dimensions if `target` is an array of numbers.

        Args:
            value: The array of one element.
            target: The object whose element is set to it.
        """
        import numpy as np

        kinds = "biufc"
        if not isinstance(target, np.ndarray) or target.dtype.kind not in kinds or value.dtype.kind not in kinds:
            return value
        self._note()
        return value.reshape(())

    def of(self, array: Any) -> _Array:
        """Returns a stand-in for an array."""
        return _Array(self._note, array)


class _Array:
    """An array whose elements can be set to arrays of one element."""

    __slots__ = ("_array", "_note")

    def __init__(self, note: Note, array: Any) -> None:
        self._note = note
        self._array = array

    def __getitem__(self, index: Any) -> Any:
        return self._array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            self._array[index] = value
        except ValueError as error:
            import numpy as np

            if "array element with a sequence" not in str(error) or not _is_one(np, value):
                raise
            self._array[index] = value.item()
            self._note()


def _fromstring(note: Note, original: Any, string: Any, dtype: Any = float, count: int = -1, **kwargs: Any) -> Any:
    try:
        return original(string, dtype, count, **kwargs)
    except ValueError as error:
        if "binary mode" not in str(error):
            raise
    import numpy as np

    note()
    return np.frombuffer(string.encode() if isinstance(string, str) else string, dtype, count).copy()


def _load(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    """Loads arrays; pickled objects only if the user trusts the data."""
    file: Any = args[0] if args else kwargs.get("file")
    start = file.tell() if hasattr(file, "tell") and hasattr(file, "seek") else None
    try:
        loaded = original(*args, **kwargs)
    except ValueError as error:
        if len(args) > 2 or "allow_pickle" in kwargs:
            raise
        _refuse_untrusted(error, note)
        if start is not None:
            file.seek(start)
        return original(*args, **kwargs, allow_pickle=True)
    if hasattr(loaded, "allow_pickle") and "allow_pickle" not in kwargs:
        loaded.__class__ = _archive(type(loaded), note)
    return loaded


def _archive(of_numpy: Any, note: Note) -> Any:
    """Returns a class of .npz archives: they read an array on access, and show only then that it holds pickles."""

    class NpzFile(of_numpy):  # type: ignore[misc]
        def __getitem__(self, key: Any) -> Any:
            try:
                return super().__getitem__(key)
            except ValueError as error:
                _refuse_untrusted(error, note)
                self.allow_pickle = True
                return super().__getitem__(key)

    return NpzFile


def _refuse_untrusted(error: ValueError, note: Note) -> None:
    """Returns if NumPy refused pickles and they may be loaded; raises the error otherwise."""
    if "allow_pickle" not in str(error):
        raise error
    if not trust.trusts_data:
        raise trust.refused("np.load of pickled objects") from None
    note()


def _number(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function of a number; an array of one element counts as one."""
    try:
        return original(*args, **kwargs)
    except TypeError:
        import numpy as np

        if len(args) != 1 or kwargs or not isinstance(args[0], np.ndarray) or args[0].size != 1:
            raise
    note()
    return original(args[0].item())


def _formatted(note: Note, text: str, values: Any) -> Any:
    """Returns the values of `text % values`, with arrays of one element as numbers where the format needs them."""
    np = sys.modules.get("numpy")
    if np is None or not any(_is_one(np, value) for value in _values_of(values)):
        return values
    try:
        text % values
    except TypeError:
        numbers = _with_numbers(np, values)
        text % numbers  # an error of another kind stays the program's
        note()
        return numbers
    return values


def _is_one(np: Any, value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.size == 1 and value.ndim > 0


def _values_of(values: Any) -> Iterable[Any]:
    if isinstance(values, dict):
        return values.values()
    return values if isinstance(values, tuple) else (values,)


def _with_numbers(np: Any, values: Any) -> Any:
    def number(value: Any) -> Any:
        return value.view(_number_kind()) if _is_one(np, value) else value

    if isinstance(values, dict):
        return {key: number(value) for key, value in values.items()}
    return tuple(map(number, values)) if isinstance(values, tuple) else number(values)


@lru_cache(maxsize=None)
def _number_kind() -> Any:
    """Returns the class of arrays that %d and %f see as numbers, %s and %r as arrays."""
    import numpy as np

    class Number(np.ndarray):  # type: ignore[type-arg]
        def __float__(self) -> float:
            return float(self.item())

        def __int__(self) -> int:
            return int(self.item())

        def __repr__(self) -> str:
            return repr(self.view(np.ndarray))

    return Number


def _has_starred(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in call.args)


def _passes(call: ast.Call, name: str, position: int) -> bool:
    """Returns True if a call passes an argument, or may do so by `*` or `**`."""
    is_named = any(keyword.arg in (name, None) for keyword in call.keywords)
    return _has_starred(call) or len(call.args) > position or is_named


def _may_be_ragged(call: ast.Call) -> bool:
    if any(keyword.arg == "copy" for keyword in call.keywords):
        return True
    if _passes(call, "dtype", 1) or not call.args:
        return False
    return getattr(call.args[0], "elts", None) is None or _may_have_rows(call.args[0])


def _may_have_rows_at(position: int) -> Callable[[ast.Call], bool]:
    def is_in_need(call: ast.Call) -> bool:
        if _has_starred(call):
            return True
        return len(call.args) > position and _may_have_rows(call.args[position])

    return is_in_need


def _may_have_rows(values: Any) -> bool:
    elements = getattr(values, "elts", None)
    if elements is None:
        return _is_open(values)
    return any(getattr(element, "elts", None) is not None or _is_open(element) for element in elements)


def _is_open(value: ast.expr) -> bool:
    """Returns True for an expression whose value, by its syntax, may be an array."""
    return not isinstance(value, (ast.Constant, ast.UnaryOp)) and type(value).__name__ != "Num"


def _may_be_generator(call: ast.Call) -> bool:
    return bool(call.args) and not isinstance(call.args[0], (ast.List, ast.Tuple, ast.ListComp))


def _has(*names: str) -> Callable[[ast.Call], bool]:
    """Returns a test for calls that pass one of the keyword arguments, or may do so by `**`."""
    return lambda call: any(keyword.arg in (*names, None) for keyword in call.keywords)


def _may_be_sum(call: ast.Call) -> bool:
    return _may_be_generator(call) and (isinstance(call.args[0], (ast.GeneratorExp, ast.Name)))


def _may_be_array(call: ast.Call) -> bool:
    if len(call.args) != 1 or call.keywords:
        return False
    value: Any = call.args[0]
    return not isinstance(value, ast.JoinedStr) and _is_open(value) and not _is_of_text(getattr(value, "func", None))


def _is_of_text(function: Any) -> bool:
    """Returns True if a function's name says that it returns a number or text."""
    return getattr(function, "id", getattr(function, "attr", None)) in _GIVE_NO_ARRAYS


_GIVE_NO_ARRAYS = frozenset(
    "clock get getenv group hex id input int float join len ord pop raw_input read readline replace repr round split "
    "str strip time".split()
)


def _is_old_load(call: ast.Call) -> bool:
    return not _passes(call, "allow_pickle", 2)


def _is_binary(call: ast.Call) -> bool:
    return not _passes(call, "sep", 3)


def _takes_two(call: ast.Call) -> bool:
    return _has_starred(call) or len(call.args) + len(call.keywords) > 1


# Functions of two operands that NumPy promotes.
_OF_TWO = (
    "add subtract multiply divide true_divide floor_divide power float_power mod remainder fmod divmod maximum minimum "
    "fmax fmin hypot arctan2 copysign heaviside logaddexp logaddexp2 "
    "equal not_equal less less_equal greater greater_equal "
    "bitwise_and bitwise_or bitwise_xor left_shift right_shift"
).split()
# Repairs of functions that promote a scalar by its dtype.
_PROMOTING: Callable[..., Iterable[Repair]] = partial(
    changed, "numpy", "NumPy 2.0", "promotes by dtype alone", "of a scalar", _takes_two
)

REPAIRS = (
    *gone(
        "numpy",
        "NumPy 1.24",
        "int=builtins.int float=builtins.float complex=builtins.complex object=builtins.object str=builtins.str "
        "unicode=builtins.str typeDict=sctypeDict",
    ),
    # NumPy 2 has other types under these names.
    Repair("numpy", "bool", "NumPy 1.24", "builtins.bool", shown("numpy", "bool"), is_another=True),
    Repair("numpy", "long", "NumPy 1.24", "builtins.int", shown("numpy", "long"), is_another=True),
    *gone("numpy", "NumPy 1.23", asscalar=asscalar, alen=alen),
    *_PROMOTING(**dict.fromkeys(_OF_TWO, _promoted), where=_where, clip=_clip, select=_select),
    *_PROMOTING(linspace=_spaced, logspace=_spaced),
    *gone(
        "numpy",
        "NumPy 2.0",
        "ComplexWarning=numpy.exceptions.ComplexWarning RankWarning=numpy.exceptions.RankWarning "
        "VisibleDeprecationWarning=numpy.exceptions.VisibleDeprecationWarning AxisError=numpy.exceptions.AxisError "
        "byte_bounds=numpy.lib.array_utils.byte_bounds",
        find_common_type=find_common_type,
        issctype=issctype,
        math=math,
        nbytes="tf1mem.era.numpy.nbytes",
    ),
    *gone(
        "numpy",
        "NumPy 2.0",
        "Inf=inf Infinity=inf infty=inf PINF=inf NaN=nan NAN=nan string_=bytes_ unicode_=str_ float_=float64 "
        "complex_=complex128 cfloat=complex128 singlecomplex=complex64 longfloat=longdouble longcomplex=clongdouble "
        "clongfloat=clongdouble bool8=bool_ object0=object_ str0=str_ bytes0=bytes_ void0=void int0=intp uint0=uintp "
        "product=prod cumproduct=cumprod alltrue=all sometrue=any round_=round mat=asmatrix "
        "safe_eval=ast.literal_eval DataSource=numpy.lib.npyio.DataSource",
        NINF="tf1mem.era.numpy.NINF",
        PZERO="tf1mem.era.numpy.PZERO",
        NZERO="tf1mem.era.numpy.NZERO",
        asfarray=asfarray,
        cast="tf1mem.era.numpy.cast",
        disp=disp,
        fastCopyAndTranspose=fast_copy_and_transpose,
        issubclass_=issubclass_,
        msort=msort,
        obj2sctype=obj2sctype,
        sctype2char=sctype2char,
        sctypes="tf1mem.era.numpy.sctypes",
    ),
    *gone("numpy", "NumPy 2.4", "trapz=trapezoid", in1d=in1d),
    *gone("numpy", "NumPy 2.5", "row_stack=vstack"),
    *gone("numpy.lib", "NumPy 2.0", "pad=numpy.pad"),
    *methods("numpy.ndarray", "NumPy 2.3", tostring=_tostring),
    *methods("numpy.ndarray", "NumPy 2.0", itemset=_itemset, newbyteorder=_newbyteorder, ptp=_ptp),
    *methods("numpy.generic", "NumPy 2.4", tostring=_tostring),
    *changed("numpy", "NumPy 1.24", "refuses", "of rows that differ in length", _may_be_ragged, array=_array),
    *changed(
        "numpy", "NumPy 1.24", "refuses", "of rows that differ in length", _may_be_ragged,
        asarray=_ragged, asanyarray=_ragged,
    ),
    *changed(
        "numpy", "NumPy 1.24", "refuses", "of rows that differ in length", _may_have_rows_at(0),
        ndim=_rows_at(0), shape=_rows_at(0), size=_rows_at(0),
    ),
    *changed(
        "numpy.random", "NumPy 1.24", "refuses", "of rows that differ in length", _may_have_rows_at(0),
        choice=_rows_at(0), permutation=_rows_at(0),
    ),
    *changed("numpy", "NumPy 1.24", "refuses", "of rows that differ in length", _may_have_rows_at(1), save=_rows_at(1)),
    *changed(
        "numpy", "NumPy 1.25", "refuses", "of a generator", _may_be_generator,
        column_stack=_stacked, dstack=_stacked, hstack=_stacked, stack=_stacked, vstack=_stacked,
    ),
    *changed("numpy", "NumPy 2.5", "refuses", "of vectors of two components", lambda _: True, cross=_cross),
    *changed("numpy", "NumPy 2.4", "refuses", "of a generator", _may_be_sum, sum=_of_generator),
    *changed(
        "numpy", "NumPy 2.4", "refuses", "with newshape", _has("newshape"), reshape=_renamed("newshape", "shape"),
    ),
    *changed(
        "numpy", "NumPy 2.4", "refuses", "with interpolation", _has("interpolation"),
        percentile=_renamed("interpolation", "method"), quantile=_renamed("interpolation", "method"),
        nanpercentile=_renamed("interpolation", "method"), nanquantile=_renamed("interpolation", "method"),
    ),
    *changed("numpy", "NumPy 1.24", "refuses", "with normed", _has("normed"), histogram=_histogram),
    *changed("numpy", "NumPy 2.4", "refuses", "with bias or ddof", _has("bias", "ddof"), corrcoef=_corrcoef),
    *changed(
        "numpy", "NumPy 2.0", "returns in another shape", "of rows with return_inverse", _has("return_inverse"),
        unique=_unique,
    ),
    # As an index, a list of arrays was one for a tuple until NumPy 1.22.
    *changed(
        "numpy", "NumPy 2.0", "returns as a tuple", "as a list", lambda _: True, is_for_indices=False,
        broadcast_arrays=_listed, gradient=_listed, meshgrid=_listed,
    ),
    *changed(
        "numpy", "NumPy 2.0", "returns as a tuple", "as a list", _takes_two, is_for_indices=False,
        atleast_1d=_listed, atleast_2d=_listed, atleast_3d=_listed,
    ),
    *changed(
        "numpy", "NumPy 1.19", "takes for one dtype", "of a Python type", lambda _: True, issubdtype=_issubdtype,
    ),
    *changed(
        "numpy", "NumPy 2.0", "no longer judges by its value", "of a number", lambda _: True, can_cast=_can_cast,
    ),
    *changed("numpy", "NumPy 2.3", "refuses", "of binary data", _is_binary, fromstring=_fromstring),
    *changed(
        "builtins", "NumPy 2.4", "refuses", "of an array of one element", _may_be_array,
        complex=_number, float=_number, int=_number,
    ),
    *changed(
        "math", "NumPy 2.4", "refuses", "of an array of one element", _may_be_array,
        ceil=_number, exp=_number, floor=_number, log=_number, log10=_number, sqrt=_number,
    ),
    Repair(
        "str", FORMAT, "NumPy 2.4", _formatted, f"{FORMAT} of an array of one element", "refuses",
        is_in_need=lambda _: True, hint=FORMAT.encode(),
    ),
    Repair(
        "numpy.ndarray", ELEMENT, "NumPy 2.4", _Elements, "x[i] set to an array of one element", "refuses",
        is_in_need=lambda _: True, hint=b"]",
    ),
    *changed("numpy", "NumPy 1.16.3", "no longer loads by itself", "of pickled objects", _is_old_load, load=_load),
)  # fmt: skip
