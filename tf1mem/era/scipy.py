"""Repairs for SciPy: names that it had up to 1.1 and has lost since. The functions for images need Pillow, as then."""

from __future__ import annotations

from typing import Any

from tf1mem.era.repairs import gone, modules

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
)
