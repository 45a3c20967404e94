"""Repairs for SciPy: names that it had up to 1.1 and has lost since, and the order of a sparse matrix's entries.

The functions for images need Pillow, as then.
"""

from __future__ import annotations

import ast
from typing import Any, Callable

from tf1mem.era.repairs import Repair, changed, gone, modules, shown

# SciPy's names of filters -> Pillow's numbers.
_RESAMPLING = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}
_FILTERS = "blur contour detail edge_enhance edge_enhance_more emboss find_edges smooth smooth_more sharpen"
# Pillow's modes -> the number of channels.
_CHANNELS = {"RGB": 3, "YCbCr": 3, "RGBA": 4, "CMYK": 4}


def bytescale(data: Any, cmin: Any = None, cmax: Any = None, high: int = 255, low: int = 0) -> Any:
    """Scales an array to bytes: `cmin` (default: the minimum) becomes `low`, `cmax` (default: the maximum) `high`.

    Args:
        data: Array; one of uint8 is returned unchanged.
        cmin: Value that becomes `low`.
        cmax: Value that becomes `high`.
        high: Integer, at most 255.
        low: Integer, at least 0.
    """
    import numpy as np

    if data.dtype == np.uint8:
        return data
    if not 0 <= low <= high <= 255:
        raise ValueError(f"`low` and `high` have to be 0 <= low <= high <= 255, and are {low} and {high}")
    least = data.min() if cmin is None else cmin
    span = (data.max() if cmax is None else cmax) - least
    if span < 0:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scaled = (data - least) * (float(high - low) / (span or 1)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def fromimage(im: Any, flatten: bool = False, mode: str | None = None) -> Any:
    """Returns a Pillow image as an array.

    Args:
        im: The image.
        flatten: True to convert the image to grayscale, as 32-bit floats.
        mode: Pillow mode to convert the image to first.
    """
    import numpy as np
    from PIL import Image

    if not isinstance(im, Image.Image):
        raise TypeError("Input is not a PIL image.")
    if mode is None and im.mode == "P":
        mode = "RGBA" if "transparency" in im.info else "RGB"
    if mode == "L" and im.mode in ("RGB", "RGBA"):
        im = _grayscale(im)
    elif mode is not None and mode != im.mode:
        im = im.convert(mode)
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def _grayscale(image: Any) -> Any:
    """Returns an image in grayscale, rounded down as older Pillows did."""
    import numpy as np

    colours = np.array(image)[..., :3].astype(np.uint32)
    return _image("L", (colours @ np.array([19595, 38470, 7471], np.uint32) >> 16).astype(np.uint8))


def toimage(  # noqa: PLR0917
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Any = None,
    cmax: Any = None,
    pal: Any = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Any:
    """Returns a Pillow image of an array, scaled by `bytescale` if it isn't uint8.

    Args:
        arr: Array `[height, width]`, or of three dimensions, one of them of 3 or 4 channels.
        high: Integer to which the maximum is scaled, at most 255.
        low: Integer to which the minimum is scaled, at least 0.
        cmin: Value that becomes `low`; default: the minimum.
        cmax: Value that becomes `high`; default: the maximum.
        pal: Palette, `[N, 3]` bytes.
        mode: Pillow mode.
        channel_axis: Dimension of the channels; default: the first of size 3, else the first of size 4.
    """
    import numpy as np

    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _plane(data, (high, low), (cmin, cmax), pal, mode)
    if data.ndim != 3 or not {3, 4} & set(data.shape):
        raise ValueError("'arr' does not have a suitable array shape for any mode.")
    if channel_axis is None:
        channel_axis = data.shape.index(3 if 3 in data.shape else 4)
    channels = data.shape[channel_axis]
    if channels not in (3, 4):
        raise ValueError("Channel axis dimension is not valid.")
    mode = mode or ("RGB" if channels == 3 else "RGBA")
    if _CHANNELS.get(mode) != channels:
        raise ValueError(f"{channels} channels can't be of mode {mode}")
    return _image(mode, np.moveaxis(bytescale(data, cmin, cmax, high, low), channel_axis, 2))


def _plane(data: Any, ends: tuple[int, int], limits: tuple[Any, Any], pal: Any, mode: str | None) -> Any:
    """Returns the Pillow image of an array of two dimensions."""
    import numpy as np

    high, low = ends
    if mode == "F":
        return _image(mode, data.astype(np.float32))
    if mode in (None, "L", "P"):
        image = _image("L", bytescale(data, *limits, high=high, low=low))
        if pal is not None:
            image.putpalette(np.asarray(pal, np.uint8).tobytes())
        elif mode == "P":
            image.putpalette(np.repeat(np.arange(256, dtype=np.uint8), 3).tobytes())
        return image
    if mode == "1":
        return _image(mode, data > high)
    if mode == "I":
        least, greatest = (end(data) if limit is None else limit for end, limit in zip((np.amin, np.amax), limits))
        return _image(mode, ((data * 1.0 - least) * (high - low) / (greatest - least) + low).astype(np.uint32))
    raise ValueError(f"a plane can't be of mode {mode}")


def _image(mode: str, pixels: Any) -> Any:
    from PIL import Image

    height, width = pixels.shape[:2]
    return Image.frombytes(mode, (width, height), pixels.tobytes())


def imread(name: Any, flatten: bool = False, mode: str | None = None) -> Any:
    """Reads an image file as an array; see `fromimage`."""
    from PIL import Image

    return fromimage(Image.open(name), flatten, mode)


def imsave(name: Any, arr: Any, format: str | None = None) -> None:
    """Saves an array as an image file, by `toimage`."""
    toimage(arr, channel_axis=2).save(name, *([] if format is None else [format]))


def imshow(arr: Any) -> None:
    """Shows an array as an image, by `toimage`."""
    toimage(arr).show()


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> Any:
    """Returns the pixels of an image, rotated about its centre.

    Args:
        arr: See `toimage`.
        angle: Degrees, counter-clockwise.
        interp: "nearest", "bilinear", "bicubic" or "cubic".
    """
    return fromimage(toimage(arr).rotate(angle, resample=_RESAMPLING[interp]))


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: str | None = None) -> Any:
    """Returns the pixels of an image, resized.

    Args:
        arr: See `toimage`.
        size: (rows, columns); an int in per cent; or a float, a factor.
        interp: "nearest", "lanczos", "bilinear", "bicubic" or "cubic".
        mode: See `toimage`.
    """
    import numpy as np

    image = toimage(arr, mode=mode)
    if np.issubdtype(type(size), np.signedinteger):
        size = size / 100.0
    if np.issubdtype(type(size), np.floating):
        size = tuple((np.array(image.size) * size).astype(int))
    else:
        size = (size[1], size[0])
    resample, see_through = _RESAMPLING[interp], image.mode == "RGBA"
    if resample:  # newer Pillows start with columns where that is cheaper, and round in between
        image = image.convert("RGBa") if see_through else image
        image = image.resize((size[0], image.size[1]), resample=resample)
    image = image.resize(size, resample=resample)
    return fromimage(image.convert("RGBA") if see_through else image)


def imfilter(arr: Any, ftype: str) -> Any:
    """Returns the pixels of an image after one of Pillow's filters, such as "blur"."""
    from PIL import ImageFilter

    if ftype not in _FILTERS.split():
        raise ValueError(f"Unknown filter type: {ftype!r}. There are {_FILTERS}")
    return fromimage(toimage(arr).filter(getattr(ImageFilter, ftype.upper())))


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = bool) -> Any:  # noqa: N803
    """Returns a matrix that is True at and below a diagonal."""
    import numpy as np

    return np.tri(N, M, k, dtype)


def _by_columns(note: Callable[[], None], method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a method of a coo_matrix that sums duplicates; sums leave the matrix's entries in column order.

    Args:
        note: Records the repair.
        method: The bound method.
        *args: The method's arguments.
        **kwargs: The method's arguments.
    """
    import numpy as np

    matrix, name = method.__self__, method.__name__  # type: ignore[attr-defined]
    if matrix.format != "coo" or matrix.ndim != 2 or (name in _REDUCING.split() and not _is_of_all(*args, **kwargs)):
        return method(*args, **kwargs)
    if name == "asfptype":
        args = (_float_of(matrix),)
    is_conversion = name in ("asfptype", "astype")
    if is_conversion and np.dtype(args[0] if args else kwargs["dtype"]) == matrix.dtype:
        return method() if name == "asfptype" else method(*args, **kwargs)
    if not matrix.has_canonical_format:
        matrix.sum_duplicates()
        if _reorder(matrix, matrix.row, matrix.col):
            note()
    # Today's `astype` sorts its result again, and by rows.
    return _converted(matrix, *args, **kwargs) if is_conversion else method(*args, **kwargs)


def _is_of_all(axis: Any = None, *args: Any, **kwargs: Any) -> bool:
    """Returns True if a reduction with these arguments is one of the whole matrix."""
    return axis is None


def _float_of(matrix: Any) -> Any:
    """Returns the dtype to which `asfptype` converts a coo_matrix."""
    return type(matrix)(matrix.shape, dtype=matrix.dtype).asfptype().dtype


def _converted(matrix: Any, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
    """Returns a coo_matrix of another dtype, with its entries in the same order."""
    result = matrix.copy()
    result.data = matrix.data.astype(dtype, casting=casting)
    return result


def _reorder(matrix: Any, minor: Any, major: Any) -> bool:
    """Sorts the entries of a coo_matrix without duplicates by two keys; returns True if they were in another order."""
    import numpy as np

    is_next = (major[1:] > major[:-1]) | ((major[1:] == major[:-1]) & (minor[1:] > minor[:-1]))
    if is_next.all():  # a test that is much faster than sorting
        return False
    order = np.lexsort((minor, major))
    matrix.row, matrix.col, matrix.data = matrix.row[order], matrix.col[order], matrix.data[order]
    return True


def _by_way_of_coo(note: Callable[[], None], method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a method of any sparse matrix that goes through its entries as a coo_matrix; see `_by_columns`."""
    matrix, name = method.__self__, method.__name__  # type: ignore[attr-defined]
    if matrix.format not in ("coo", "dok") and matrix.ndim == 2 and (name == "todok" or _is_of_all(*args, **kwargs)):
        matrix, is_summed = matrix.tocoo(), matrix.format == "dia"
        matrix.has_canonical_format = is_summed
        method = getattr(matrix, name)
    return _by_columns(note, method, *args, **kwargs)


def _by_diagonals(note: Callable[[], None], method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns a dia_matrix as a coo_matrix, whose entries are in the order of the diagonals."""
    import numpy as np

    matrix, offsets = method(*args, **kwargs), method.__self__.offsets  # type: ignore[attr-defined]
    by_offset = np.argsort(offsets)
    diagonals = by_offset[np.searchsorted(offsets, matrix.col - matrix.row, sorter=by_offset)]
    if _reorder(matrix, matrix.col, diagonals):
        note()
    return matrix


def _tocoo(_note: Callable[[], None], method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns a coo_matrix whose duplicates are still to be summed, from when on its entries are sorted by columns."""
    matrix = method(*args, **kwargs)
    matrix.has_canonical_format = False
    return matrix


def _find(note: Callable[[], None], original: Callable[..., Any], A: Any) -> Any:  # noqa: N803
    """Returns the rows, columns and values of a matrix's nonzero entries; those of a sparse matrix by columns."""
    import numpy as np
    from scipy.sparse import issparse

    rows, columns, values = original(A)
    order = np.lexsort((rows, columns))
    if not issparse(A) or (order == np.arange(len(order))).all():
        return rows, columns, values
    note()
    return rows[order], columns[order], values[order]


def _absolute(note: Callable[[], None], original: Callable[..., Any], x: Any) -> Any:
    """Returns `abs(x)`; that of a coo_matrix has its entries in column order."""
    if getattr(x, "format", None) != "coo" or not hasattr(x, "has_canonical_format"):
        return original(x)
    return _by_columns(note, x.__abs__)


def _is_any(call: ast.Call) -> bool:
    return True


# The base of coo_matrix and of coo_array, which NetworkX gives in place of a matrix today.
_COO = "scipy.sparse._coo._coo_base"
# Methods that sum duplicates, and so sort the entries.
_SORTING = (
    "arcsin arcsinh arctan arctanh astype ceil count_nonzero deg2rad expm1 floor log1p max min power rad2deg rint sign "
    "sin sinh sqrt sum_duplicates tan tanh todia todok trunc"
)
# Those that sum only if they reduce the whole matrix to one number.
_REDUCING = "argmax argmin max min"
# The classes whose `tocoo` gives a matrix that SciPy has since taken for one without duplicates.
_OF_ROWS = "csr lil"
_SORTS = "sorts by rows"
_IMAGES: dict[str, Any] = {
    "bytescale": bytescale,
    "fromimage": fromimage,
    "imfilter": imfilter,
    "imread": imread,
    "imresize": imresize,
    "imrotate": imrotate,
    "imsave": imsave,
    "imshow": imshow,
    "toimage": toimage,
}
_SPECIAL = "comb factorial factorial2 factorialk logsumexp"
_WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian "
    "general_gaussian hamming hann kaiser nuttall parzen triang tukey"
)
_NUMPYS = (
    "append arange argmax argsort array asarray average ceil concatenate cos cumsum diag dot exp eye float32 "
    "float64 floor hstack inf int32 linspace mean median meshgrid nan ndarray newaxis ones outer pi prod "
    "random ravel repeat reshape shape sin sort std sum tile transpose uint8 unique var vstack where zeros "
    "zeros_like"
)
# These returned complex numbers where there is no real result.
_COMPLEX = "arccos arcsin arctanh log log10 log2 power sqrt"


def _from_module(home: str, names: str) -> str:
    return " ".join(f"{name}={home}.{name}" for name in names.split())


REPAIRS = (
    *modules("SciPy 1.2", "scipy.misc.pilutil"),
    *gone("scipy.misc", "SciPy 1.2", **_IMAGES),
    *gone("scipy.misc.pilutil", "SciPy 1.2", **_IMAGES),
    *gone("scipy.misc", "SciPy 1.3", _from_module("scipy.special", _SPECIAL) + " pade=scipy.interpolate.pade"),
    *gone("scipy.ndimage", "SciPy 1.3", imread=imread),
    *gone("scipy", "SciPy 1.12", _from_module("numpy", _NUMPYS) + " rand=numpy.random.rand randn=numpy.random.randn"),
    *gone("scipy", "SciPy 1.12", _from_module("numpy.lib.scimath", _COMPLEX)),
    *gone("scipy.signal", "SciPy 1.13", _from_module("scipy.signal.windows", _WINDOWS)),
    *gone("scipy.linalg", "SciPy 1.13", _from_module("numpy", "tril triu"), tri=tri),
    *gone("scipy.integrate", "SciPy 1.14", "cumtrapz=cumulative_trapezoid trapz=trapezoid"),
    *modules("SciPy 1.14", "scipy.sparse.linalg.eigen.arpack"),
    *gone(
        "scipy.sparse.linalg.eigen.arpack",
        "SciPy 1.14",
        _from_module("scipy.sparse.linalg", "ArpackError ArpackNoConvergence eigs eigsh svds"),
    ),
    *(
        Repair(
            owner, name, "SciPy 1.11", _by_columns, shown("scipy.sparse.coo_matrix", name), _SORTS, is_another=True,
            is_method=True, is_in_need=_is_any, hint=b"sparse",
        )
        # Only a coo_matrix has `asfptype`.
        for owner, names in ((_COO, _SORTING), ("scipy.sparse._coo.coo_matrix", "asfptype"))
        for name in names.split()
    ),
    *(
        Repair(
            owner, name, "SciPy 1.11", _by_way_of_coo, shown("scipy.sparse.spmatrix", name), _SORTS, is_another=True,
            is_method=True, is_in_need=_is_any, hint=b"sparse",
        )
        for owner, name in (
            ("scipy.sparse._data._minmax_mixin", "argmax"),
            ("scipy.sparse._data._minmax_mixin", "argmin"),
            ("scipy.sparse._base._spbase", "todok"),
        )
    ),
    *(
        Repair(
            f"scipy.sparse._{kind}._{kind}_base", "tocoo", "SciPy 1.17", _tocoo,
            shown(f"scipy.sparse.{kind}_matrix", "tocoo"), "takes as summed", is_another=True, is_method=True,
            is_in_need=_is_any, hint=b"sparse",
        )
        for kind in _OF_ROWS.split()
    ),
    Repair(
        "scipy.sparse._dia._dia_base", "tocoo", "SciPy 1.17", _by_diagonals, shown("scipy.sparse.dia_matrix", "tocoo"),
        _SORTS, is_another=True, is_method=True, is_in_need=_is_any, hint=b"sparse",
    ),
    *changed("scipy.sparse", "SciPy 1.11", _SORTS, "of a sparse matrix", _is_any, hint=b"scipy", find=_find),
    *changed("builtins", "SciPy 1.11", _SORTS, "of a sparse matrix", _is_any, hint=b"sparse", abs=_absolute),
)  # fmt: skip
