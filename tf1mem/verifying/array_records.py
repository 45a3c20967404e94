"""Records an array in a few bytes, as a checksum, some figures and a sample, and computes distances between two."""

from __future__ import annotations

import hashlib
import math
from typing import Any

# The number of values in a sample: all of a small array, evenly spaced ones of a large one.
SAMPLE = 512
# The number of values of a large array that are converted at a time: they fit into a CPU's cache, and BLAS starts no
# threads for so few.
PART = 1 << 13
# Distances of equal arrays, and of arrays that can't be compared number by number.
SAME, NOT_ALIKE = 0.0, math.inf


def identity(value: Any) -> tuple[dict[str, Any], Any]:
    """Returns the figures that identify a value, and its numbers.

    Args:
        value: An array, a number, bytes or text, as a Session returns it.

    Returns:
        A dict for JSON with `dtype`, `shape` and `checksum`; and the numbers in one dimension, or None for text. The
        numbers of bfloat16, which NumPy can't compute with, are float32.
    """
    import numpy as np

    array = np.asarray(value)
    figures: dict[str, Any] = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.dtype.kind == "V":  # bfloat16, which NumPy knows by an extension
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiubc":
        figures["dtype"] = "text"
        figures["checksum"] = _checksum("\0".join(map(str, array.ravel().tolist())).encode("utf-8", "replace"))
        return figures, None
    flat = np.ascontiguousarray(array).ravel()
    figures["checksum"] = _checksum(flat.data if flat.size else b"")
    return figures, flat


def summed_by_row(values: Any, rows: Any) -> Any:
    """Returns a sparse gradient in a form that can be compared: one row for each row of the variable, in rising order.

    TensorFlow's versions order the rows differently, and may have several for one row of the variable, which optimizers
    sum.

    Args:
        values: An array of shape [n, …].
        rows: An integer array of shape [n]: the index of the variable's row that each row of `values` belongs to.

    Returns:
        An array of shape [number of different indices, …].
    """
    import numpy as np

    order = np.argsort(rows, kind="stable")
    starts = np.unique(rows[order], return_index=True)[1]
    return np.add.reduceat(values[order], starts, axis=0) if len(starts) else values


def measures(flat: Any) -> tuple[dict[str, Any], Any]:
    """Returns the measures of numbers, and a sample of them.

    Args:
        flat: The numbers in one dimension, as `identity` returns them. Of a complex number both parts count.

    Returns:
        A dict for JSON with `norm` (L2) and `largest` (the largest absolute value) of the finite values, and `bad` (the
        number of NaN and infinite values); and the sample, an array of at most `SAMPLE` values in float64.
    """
    import numpy as np

    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    squares, largest, bad = 0.0, 0.0, 0
    for start in range(0, flat.size, PART):
        wide = flat[start : start + PART].astype(np.float64)
        square = float(np.dot(wide, wide))
        if not math.isfinite(square):
            finite = np.isfinite(wide)
            bad += int(wide.size - finite.sum())
            wide = wide[finite]
            square = float(np.dot(wide, wide))
        squares += square
        largest = max(largest, float(wide.max()), -float(wide.min())) if wide.size else largest
    step = np.linspace(0, flat.size - 1, SAMPLE).astype(np.int64) if flat.size > SAMPLE else slice(None)
    return {"norm": math.sqrt(squares), "largest": largest, "bad": bad}, flat[step].astype(np.float64)


def _checksum(content: Any) -> str:
    # The fastest of hashlib's, since CPUs have instructions for it. Nobody forges what a program computes. Of its 160
    # bits 96 tell arrays apart.
    return hashlib.sha1(content).hexdigest()[:24]


def distance(old: dict[str, Any], old_sample: Any, new: dict[str, Any], new_sample: Any) -> float:
    """Returns the distance of two arrays, computed from their figures and samples.

    Args:
        old: The figures of the old side's array: the dicts of `identity` and `measures` together.
        old_sample: The sample, as `measures` returns it; None if it wasn't kept, or for text.
        new: The figures of the new side's array.
        new_sample: The sample of the new side's array, or None.

    Returns:
        For floats, the largest difference in the samples divided by the largest absolute value of both arrays, or the
        difference of their norms divided by the larger norm, whichever is more. For integers and booleans, the share of
        the samples' values that differ, and at least one value's share. It is 0 if types and checksums agree, or if all
        floats are zero or subnormal. It is infinite if the shapes, the kinds, the places of NaN and infinite values, or
        texts differ, or if arrays differ and a sample is missing.
    """
    import numpy as np

    if old["shape"] != new["shape"] or _kind(old) != _kind(new):
        return NOT_ALIKE
    if old["checksum"] == new["checksum"] and old["dtype"] == new["dtype"]:
        return SAME
    if old_sample is None or new_sample is None:
        return NOT_ALIKE
    if old["bad"] != new["bad"] or not np.array_equal(np.isfinite(old_sample), np.isfinite(new_sample)):
        return NOT_ALIKE
    finite = np.isfinite(old_sample)
    a, b = old_sample[finite], new_sample[finite]
    if _kind(old) == "whole":
        # The checksums differ, so at least one value differs, perhaps outside the sample.
        return max(float(np.mean(a != b)), 1.0 / a.size) if a.size else SAME
    scale = max(old["largest"], new["largest"])
    if scale <= _least(old):
        return SAME
    apart = float(np.abs(a - b).max()) if a.size else 0.0
    norm = max(old["norm"], new["norm"])
    norms_apart = abs(old["norm"] - new["norm"]) / norm if norm else 0.0
    return float(max(apart / scale, norms_apart))


def share_apart(a: Any, b: Any, limit: float) -> float:
    """Returns the share, 0 to 1, of values that differ in two samples of one shape.

    Args:
        a: A sample.
        b: The other side's sample.
        limit: A value differs if it does by more than this, times the largest absolute value of both samples.
    """
    import numpy as np

    scale = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return float(np.mean(np.abs(a - b) > limit * scale)) if a.size else 0.0


def _kind(figures: dict[str, Any]) -> str:
    """Returns the kind of an array's type: "text", "whole" for integers and booleans, or "real"."""
    name: str = figures["dtype"]
    if name == "text":
        return name
    return "whole" if name.startswith(("int", "uint", "bool")) else "real"


def epsilon(figures: dict[str, Any]) -> float:
    """Returns the unit of rounding of an array's type: 1.2e-7 for float32, 0 for integers."""
    units: dict[str, float] = {
        **{"float8_e5m2": 0.25, "float8_e4m3fn": 0.125, "bfloat16": 7.9e-3, "float16": 9.8e-4},
        **{"float32": 1.2e-7, "complex64": 1.2e-7},
    }
    name: str = figures["dtype"]
    return units.get(name, 2.3e-16 if _kind(figures) == "real" else 0.0)


def _least(figures: dict[str, Any]) -> float:
    """Returns the absolute value up to which numbers of an array's type count as zero.

    A weight at zero that is moved by one unit in the last place becomes a subnormal number, which TensorFlow's kernels
    flush to zero. Programs do compute with subnormal numbers of float16: of these only the smallest counts as zero.
    """
    least: dict[str, float] = {"float16": 6e-8, "float64": 2.3e-308, "complex128": 2.3e-308}
    name: str = figures["dtype"]
    return least.get(name, 1.2e-38)


def is_real(figures: dict[str, Any]) -> bool:
    """Returns True for floats and complex numbers, False for integers, booleans and text."""
    return _kind(figures) == "real"
