"""Uses names of NumPy 1.18 that later versions lack, as programs of its time did."""

from __future__ import print_function

import math
import os
import tempfile
import threading
import zlib

import numpy
import numpy as np
import numpy.lib
from numpy import Inf, alltrue, array as make, float as number
from numpy import vstack

assert os.path


def show(name, value):
    if isinstance(value, type):
        value = (value is numpy.dtype(value).type or value.__name__, numpy.dtype(value).str)
    elif isinstance(value, (np.ndarray, np.generic)):
        value = (value.dtype.str, value.shape, value.tolist())
    print(name, value)


# Built-in types under NumPy's names.
print(np.bool is bool, np.int is int, np.float is float, np.complex is complex, np.object is object, np.str is str)
print(
    np.long is int,
    np.unicode is str,
    number is float,
    isinstance(True, np.bool),
    np.bool("x"),
    np.int("3"),
    np.float("0.5"),
)
show("zeros", np.zeros(3, dtype=np.bool))
show("astype", np.arange(3).astype(np.float))
show("object", np.array([1, "a"], dtype=np.object))
for name in "bool float int":
    assert not hasattr(name, "nothing")

# Scalar types.
show("string_", np.string_)
show("unicode_", np.unicode_)
show("float_", np.float_)
show("complex_", np.complex_)
show("cfloat", np.cfloat)
show("singlecomplex", np.singlecomplex)
show("longfloat", np.longfloat)
show("longcomplex", np.longcomplex)
show("clongfloat", np.clongfloat)
show("bool8", np.bool8)
show("object0", np.object0)
show("str0", np.str0)
show("bytes0", np.bytes0)
show("void0", np.void0)
show("int0", np.int0)
show("uint0", np.uint0)
print(np.string_("abc") if False else np.array(["ab", "c"]).astype(np.string_).tolist())
print(sorted((kind, [np.dtype(each).str for each in types]) for kind, types in np.sctypes.items() if kind != "others"))
print(np.sctypes["others"][:4], np.typeDict["float32"] is np.float32)
print(np.obj2sctype("f4") is np.float32, np.obj2sctype(np.zeros(2)) is np.float64, np.obj2sctype("nothing at all"))
print(np.sctype2char(np.float32), np.sctype2char("int64"), np.issubclass_(np.int32, np.integer), np.issubclass_(3, int))

# Constants.
print(np.Inf, np.Infinity, np.infty, np.PINF, np.NINF, np.NaN, np.NAN, np.PZERO, np.NZERO, Inf)

# Functions.
a = np.arange(6.0).reshape(2, 3)
show("asscalar", np.asscalar(np.array([7])))
print(np.alen(a), np.alen(5))
show("asfarray", np.asfarray([1, 2]))
show("asfarray", np.asfarray([1, 2], np.float32))
show("asfarray", np.asfarray([1, 2], np.int32))
show("product", np.product(a + 1, axis=0))
show("cumproduct", np.cumproduct(a + 1))
show("alltrue", (bool(np.alltrue(a > 0)), alltrue(a > -1, axis=1), np.sometrue(a > 4, axis=0)))
show("in1d", np.in1d([[1, 2], [3, 4]], [2, 3]))
show("in1d", np.in1d([1, 2, 5], [2, 5], invert=True))
show("row_stack", np.row_stack([[1, 2], [3, 4]]))
show("trapz", (float(np.trapz([1, 2, 4])), np.trapz(a, dx=0.5, axis=1).tolist()))
show("round_", np.round_([1.26, 2.5], 1))
show("msort", np.msort(np.array([[3, 1], [2, 5]])))
show("fastCopyAndTranspose", np.fastCopyAndTranspose(a))
show("cast", np.cast["int32"]([1.7, 2.2]))
show("cast", np.cast[np.float32](3))
show("mat", np.mat("1 2; 3 4") * np.mat([[1], [1]]))
show("pad", np.lib.pad([[1, 2]], ((1, 0), (0, 2)), "constant"))
show("pad", numpy.lib.pad([1, 2], 1, "edge"))
print(np.safe_eval("[1, 'a']"), np.DataSource.__name__)
np.disp("a message")

print(np.math.sqrt(4), np.nbytes[np.int32], np.find_common_type([np.float32], [np.int64]), np.issctype(np.int32))
print(np.find_common_type([], ["i4", "f8"]), np.find_common_type(["i2"], ["f4"]), np.issctype(3), np.issctype("i4"))
print([np.VisibleDeprecationWarning.__name__, np.ComplexWarning.__name__, np.RankWarning.__name__])
print(np.AxisError.__name__, np.byte_bounds(np.zeros(3, "i4"))[1] - np.byte_bounds(np.zeros(3, "i4"))[0] >= 0)

# Methods of arrays and of scalars.
bytes_of = np.arange(3, dtype=np.int16).tostring()
print(bytes_of, np.float32(1).tostring(), a.astype("u1").tostring("F"))
b = np.zeros((2, 2), np.int32)
b.itemset(1, 5)
b.itemset((1, 0), 7)
b.itemset(1, 1, 9)
show("itemset", b)
show("newbyteorder", np.array([1, 256], "<i2").newbyteorder())
show("ptp", (float(a.ptp()), a.ptp(axis=0).tolist(), a.ptp(1).tolist()))

# Calls that today's NumPy refuses.
ragged = [[1, 2], [3]]
show("ragged", np.array(ragged))
show("ragged", np.asarray([[1], [2, 3], []]))
show("ragged", np.asanyarray(ragged))
show("ragged", make([[], [1]]))
show("even", np.array([[1, 2], [3, 4]]))
show("ndim", np.ndim(ragged))
show("shape", np.shape([np.zeros((2, 3)), np.zeros((3, 4))]))
show("size", np.size(ragged))
np.random.seed(3)
show("permutation", np.random.permutation([[1, 2], [3], [4, 5, 6]]))
show("choice", np.random.choice(ragged, 4))
show("even", (np.ndim([[1], [2]]), np.shape([[1], [2]]), np.size([[1], [2]], 0), np.random.permutation(4)))
show("copy", np.array([1, 2], copy=False))
show("copy", np.array((1, 2), np.float32, copy=False))
try:
    np.array([[1], [2, 3]], dtype=np.float32)
except ValueError:
    print("a number can't be a row")
show("vstack", np.vstack(row for row in ([1, 2], [3, 4])))
show("vstack", vstack(map(list, ("ab", "cd"))))
show("hstack", np.hstack(x for x in ([1], [2, 3])))
show("stack", np.stack((x for x in ([1, 2], [3, 4])), axis=1))
show("dstack", np.dstack(zip([1, 2], [3, 4])))
show("column_stack", np.column_stack(x for x in ([1, 2], [3, 4])))
show("fromstring", np.fromstring(b"\x01\x00\x02\x00", np.int16))
show("fromstring", np.fromstring(bytes_of, dtype=np.uint8, count=2))
show("fromstring", np.fromstring("1 2 3", sep=" "))
writable = np.fromstring(b"\x01\x02", np.uint8)
writable[0] = 7
show("fromstring", writable)
try:
    np.fromstring(b"\x01\x02\x03", np.int16)
except ValueError:
    print("a number has two bytes")

show("sum", np.sum(x * x for x in (1.5, 2)))
show("sum", np.sum(iter([1, 2])) if False else np.sum([[1, 2], [3, 4]], axis=0))
show("reshape", np.reshape([1, 2, 3, 4], newshape=(2, 2)))
show("percentile", (float(np.percentile([1, 2, 3, 4], 40, interpolation="lower")), np.percentile([1, 2], 50)))
show("quantile", float(np.quantile([1, 2, 3, 4], 0.4, interpolation="nearest")))
show("nanpercentile", float(np.nanpercentile([1, 2, 3, 4], 40, interpolation="higher")))
show("nanquantile", float(np.nanquantile([1, 2, 3, 4], 0.4, interpolation="midpoint")))
show("histogram", np.histogram([1, 2, 2], bins=2, normed=True)[0])
show("histogram", np.histogram([1, 2, 2], bins=2, normed=False)[0])
show("corrcoef", np.round(np.corrcoef([1, 2, 4], [2, 1, 3], bias=1), 6))
show("unique", np.unique(np.array([[1, 2], [1, 2]]), return_inverse=True)[1])
show("unique", np.unique([[3, 2], [3, 2]], return_index=True, return_inverse=True, return_counts=True)[2])
show("cross", (np.cross([1, 2], [3, 4]).tolist(), np.cross([[1, 2]], [[3, 4, 5]]).tolist()))

# Calls that today's NumPy answers otherwise.
DTYPES = "? i1 i4 i8 u1 f2 f4 f8 c8 c16 U1 S1 O m8".split()
for kind in (float, int, complex, bool, str, bytes, object, "float", "i", np.float32, np.dtype("f8"), np.integer, None):
    print("issubdtype", kind, "".join(str(int(np.issubdtype(dtype, kind))) for dtype in DTYPES))
for value in (1, -1, 200, 300, 2**40, 1.5, 1e300, 1j, True, np.int64(1), np.float64(2), np.array(300), np.ones(2)):
    print("can_cast", value, "".join(str(int(np.can_cast(value, dtype))) for dtype in DTYPES))
print("can_cast", np.can_cast("i4", "f8"), np.can_cast(np.int64(1), np.uint8, casting="equiv"))

# Arrays of one element, used as numbers.
single = np.array([[3.7]])
print(int(single), float(single[0]), complex(single), int(np.array(["4"])), int(np.array(5)), float(single * 2))
for number_of in (lambda: int(np.arange(2)), lambda: float(a), lambda: int([1])):
    try:
        number_of()
    except TypeError:
        print("no number")
print(
    math.exp(single),
    math.log(single[0]),
    math.log10(single),
    math.sqrt(single),
    math.floor(single),
    math.ceil(single),
    math.exp(0),
)
print("%.2f %d %s %r" % (single, single[0], single, single) + " %5.1f|%i" % (np.float32(1), 2))
print(
    "%.3e, %s" % (single[0], "%.1f" % single),
    "%(loss)8.3f%%" % {"loss": single, "more": a},
    "%d" % make([7]),
    "%s" % single,
)
for text, values in (("%f", a), ("%d", "x"), ("%f %f", (single,)), ("%.*f", (single, 1.5)), ("%x", single)):
    try:
        print(text % values, "%d %f" % values)
    except TypeError:
        print("no number in", text)
element = np.zeros((2, 3))
element[0, 1] = single
element[1, 0] += single[0]
element[1][2], spare = single * 2, 1
element[0] = single[0]
show("element", element)
whole = np.zeros(2, int)
whole[1] = single
table = {0: 1}
table[0] = single
show("element", (whole.tolist(), table[0].tolist()))
for value in (np.arange(2.0), [single], "x"):
    try:
        whole[spare] = value
        print(whole)
    except (TypeError, ValueError):
        print("no element")
assert int("12", 8) == 10 and int() == 0 and float("0.5") == 0.5


class Counted:
    def __int__(self):
        raise TypeError("the program's own")


try:
    int(Counted())
except TypeError as error:
    print(error)

# Promotion: a scalar beside an array counts by its value, and a Python number beside a scalar has 64 bits.
arrays = [np.array([1, 3]).astype(code) for code in "?bBhHiIqQefdFD"] + [np.array([0.1, 0.3], "f")]
scalars = [array.dtype.type(array[1] / 2) for array in arrays] + [np.float64(1e39), np.float64("inf"), np.array(3, "f")]
python = [True, 3, -1, 300, -200, 100000, 2**40, 0.1, 1e5, 1e39, float("nan"), 2j]
operators = [
    ("+", lambda a, b: a + b),
    ("*", lambda a, b: a * b),
    ("/", lambda a, b: a / b),
    ("-=", lambda a, b: minus(a, b)),
    ("==", lambda a, b: a == b),
    ("<", lambda a, b: a < b),
]


def minus(a, b):
    a = a.copy() if isinstance(a, np.ndarray) else a
    a -= b
    return a


def outcome(operate, a, b):
    try:
        result = operate(a, b)
    except (OverflowError, TypeError, ValueError) as error:
        return isinstance(error, (TypeError, ValueError))
    return dtype_of(result), np.asarray(result).tolist()


def dtype_of(result):
    return getattr(getattr(result, "dtype", None), "str", str(result))[1:]


np.seterr(all="ignore")
for symbol, operate in operators:
    for number, left in enumerate(arrays + scalars + python):
        rights = arrays + scalars + (python if number < len(arrays + scalars) else [])
        outcomes = [outcome(operate, left, right) for right in rights]
        types = " ".join(of[0] if isinstance(of, tuple) else str(of) for of in outcomes)
        print(symbol, repr(left), zlib.crc32(types.encode()), zlib.crc32(repr(outcomes).encode()))

single, double = np.array([0.25, 2], "f"), np.float64(0.5)
show("add", np.add(single, double))
show("subtract", np.subtract(single, double))
show("multiply", np.multiply(single, double))
show("divide", np.divide(single, double))
show("true_divide", np.true_divide(single, double))
show("floor_divide", np.floor_divide(single, double))
print(np.power(single, double).dtype)
print(np.float_power(single, double).dtype)
show("mod", np.mod(single, double))
show("remainder", np.remainder(single, double))
show("fmod", np.fmod(single, double))
show("divmod", np.divmod(single, double)[0])
show("maximum", np.maximum(single, double))
show("minimum", np.minimum(single, double))
show("fmax", np.fmax(single, double))
show("fmin", np.fmin(single, double))
print(np.hypot(single, double).dtype)
print(np.arctan2(single, double).dtype)
show("copysign", np.copysign(single, double))
show("heaviside", np.heaviside(single, double))
print(np.logaddexp(single, double).dtype)
print(np.logaddexp2(single, double).dtype)
show("equal", np.equal(single, double))
show("not_equal", np.not_equal(single, double))
show("less", np.less(single, double))
show("less_equal", np.less_equal(single, double))
show("greater", np.greater(single, double))
show("greater_equal", np.greater_equal(single, double))
eight_bits = np.uint8(3)
show("bitwise_and", np.bitwise_and(eight_bits, 258))
show("bitwise_or", np.bitwise_or(eight_bits, 256))
show("bitwise_xor", np.bitwise_xor(eight_bits, 256))
show("left_shift", np.left_shift(eight_bits, 8))
show("right_shift", np.right_shift(eight_bits, 1))
show("where", np.where([True, False], single, double))
show("clip", np.clip(single, double, 1))
show("clip", np.clip(np.float32(2), 0, 1))
show("select", np.select([single > 1], [single], double))
print(np.select([True], ["high"], "none"), np.select([[True, False]], [[1, 2]]))
show("linspace", np.linspace(0, np.float32(1), 3))
show("linspace", np.linspace(0, stop=np.float32(1), num=3))
show("clip", np.clip(single, a_min=0, a_max=double))
show("logspace", np.logspace(np.float32(0), 1, 2))
show("sum", sum([np.float32(0.1)] * 3))
show("sum", sum([single, single], double))
print(
    sum([1, 2]),
    sum(range(3), 4),
    pow(2, 3),
    pow(2, 3, 5),
    divmod(7, 2),
    pow(np.float32(3), 2).dtype,
    divmod(np.float32(7), 2),
)


class Totals(object):
    values = {}

    def add(self, key, value):
        self.values[key] = self.values.get(key, 0.0)
        self.values[key] += value
        self.latest()[0] += value
        return self.values[key]

    def latest(self):
        print("once")
        return [0]


class Positions(object):
    __private = np.zeros(2, "f")

    def __init__(self):
        self.at, self.made = 0, []
        self.values = [0, 0, 0]

    @property
    def following(self):
        self.at += 1
        return self.at

    def step(self):
        self.at += 1
        return 10

    def add(self):
        self.values[self.at] += self.step()
        self.values[self.following] += 5
        self.__private += double
        self.__private[0:1] *= single[1]
        return self.values, self.__private.tolist()


print(Positions().add())
letters = np.zeros(128, "f")
letters[[ord(letter) for letter in "aab"]] += double
show("letters", letters[97:99])
names = {}
exec("def half(x):\n    return x * 0.5\n", {}, names)
show("half", names["half"](np.float32(3)))
print(sorted(names))
show("masked", single * np.ma.array(3.0, mask=True))
show("large", np.arange(2) + 2**70)
show("with three arguments", pow(2, 5, 3))
totals = Totals()
for number in range(3):
    show("total", totals.add("loss", np.float32(0.1)) / (number + 1))

# Lists of arrays.
grid = np.meshgrid([1, 2], [3], indexing="xy")
grid.append(np.ones_like(grid[0]))
slopes = np.gradient(np.arange(6.0).reshape(2, 3) ** 2)
slopes[0] = np.gradient(np.arange(3.0))
wide = np.broadcast_arrays([1], [2, 3]) + grid
print([each.tolist() for each in wide + slopes], np.atleast_1d(4), np.atleast_2d(4))
square, places = np.arange(16).reshape(4, 4), np.meshgrid([0, 2], [1])
places_of_rows = np.broadcast_arrays([0, 2], [1])
print(square[np.meshgrid([0, 2], [1])], square[places_of_rows])
print(np.atleast_1d(1, [2]), np.atleast_2d(1, [2]), np.atleast_3d(*[1, 2]))

# Printing.
print([np.float32(0.1), np.float64(2), np.bool_(True), np.int8(3), np.complex64(1 + 2j), np.str_("a"), np.bytes_(b"a")])
print({np.float64(1.5): np.int32(3)}, "%r" % (np.float32(2),), "{!r}".format(np.int64(2)), (np.arange(3.0)[0], a))
print(repr(np.arange(2000)), np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])[0], [np.longdouble(2)])
thread = threading.Thread(target=lambda: print([np.float32(1.5)]))
thread.start()
thread.join()
np.set_printoptions(precision=2)
print([np.float64(0.12345)], np.array([0.12345]))
np.set_printoptions(precision=8)

# Names that NumPy still has are NumPy's own, and so are its errors.
folder = tempfile.mkdtemp()
np.save(os.path.join(folder, "a.npy"), a)
show("load", np.load(os.path.join(folder, "a.npy")))
plain_load = np.load
np.load = lambda *args, **kwargs: plain_load(*args, **dict(kwargs, allow_pickle=True))
np.save(os.path.join(folder, "objects.npy"), np.array([{"a": 1}, None]))
show("load", np.load(os.path.join(folder, "objects.npy")))
np.load = plain_load
np.save(os.path.join(folder, "ragged.npy"), ragged)
show("load", plain_load(os.path.join(folder, "ragged.npy"), allow_pickle=True))
try:
    np.nowhere
except AttributeError as error:
    print(str(error).splitlines()[0])
try:
    from numpy import nowhere, in1d
except ImportError:
    print("no such name")
np.int = "the program's own"
print(np.int)
