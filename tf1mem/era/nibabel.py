"""Repairs for nibabel: methods and behaviour that it had up to 2.5 and has lost since."""

from __future__ import annotations

import ast
from itertools import chain
from typing import Any, Callable

from tf1mem.era.repairs import Repair, changed, methods, shown

_IMAGE = "nibabel.spatialimages.SpatialImage"
_DATA = "nibabel.dataobj_images.DataobjImage"


def _get_data(image: Any, caching: str = "fill") -> Any:
    """Returns an image's data, of the dtype of its file: the same array at each call."""
    import numpy as np

    if caching not in ("fill", "unchanged"):
        raise ValueError('caching value should be "fill" or "unchanged"')
    if image._data_cache is not None:
        return image._data_cache
    data = np.asanyarray(image.dataobj)
    if caching == "fill":
        image._data_cache = data
    return data


def _get_affine(image: Any) -> Any:
    return image.affine


def _get_header(image: Any) -> Any:
    return image.header


def _get_shape(image: Any) -> Any:
    return image.shape


def _image(note: Callable[[], None], original: Any, dataobj: Any, *args: Any, **kwargs: Any) -> Any:
    """Makes an image, also of integers of 64 bits."""
    try:
        return original(dataobj, *args, **kwargs)
    except ValueError:
        dtype: Any = getattr(dataobj, "dtype", None)
        if dtype is None or dtype.kind not in "iu" or dtype.itemsize != 8 or _has_header(*args, **kwargs):
            raise
    note()
    return original(dataobj, *args, dtype=dtype, **kwargs)


def _has_header(affine: Any = None, header: Any = None, *args: Any, **kwargs: Any) -> bool:
    """Returns True if an image has a header, which decides on the dtype."""
    return header is not None


def _has_no_dtype(call: ast.Call) -> bool:
    return not any(keyword.arg == "dtype" for keyword in call.keywords)


REPAIRS = (
    # Only in files that name nibabel: TensorFlow's tensors have such a method.
    Repair(
        _IMAGE, "get_shape", "nibabel 3.0", _get_shape, shown(_IMAGE, "get_shape"), is_method=True, hint=b"nibabel"
    ),
    *methods(_IMAGE, "nibabel 4.0", get_affine=_get_affine, get_header=_get_header),
    # The method is still there, and refuses every call.
    Repair(
        _DATA, "get_data", "nibabel 5.0", _get_data, shown(_DATA, "get_data"), "refuses", is_another=True,
        is_method=True, hint=b".get_data",
    ),
    *chain.from_iterable(
        changed(
            owner, "nibabel 5.0", "refuses", "of 64-bit integers", _has_no_dtype, hint=b"Nifti", is_for_indices=True,
            **dict.fromkeys(names, _image),
        )
        for owner, names in (
            ("nibabel", ("Nifti1Image", "Nifti1Pair", "Nifti2Image", "Nifti2Pair")),
            ("nibabel.nifti1", ("Nifti1Image", "Nifti1Pair")),
            ("nibabel.nifti2", ("Nifti2Image", "Nifti2Pair")),
        )
    ),
)  # fmt: skip
