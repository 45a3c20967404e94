"""Arrays in a few bytes: a checksum, a few figures and a sample, and the distance between two arrays by these."""

from __future__ import annotations

import hashlib
import math
from typing import Any

# Values kept of each array: all of a small one, evenly spaced ones of a large one.
SAMPLE = 512
SAME, NOT_ALIKE = 0.0, math.inf


def summary(value: Any) -> tuple[dict[str, Any], Any]:
    """Returns an array's figures and its sample.

    Args:
        value: An array, a number, bytes or text, as a Session gives them.

    Returns:
        A dict of JSON with `dtype`, `shape`, `checksum` and, for numbers, `norm` (L2), `largest` (the largest absolute
        value) and `bad` (the count of NaN and infinite values); and an array of at most `SAMPLE` values in float64,
        None where the values are no numbers.
    """
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind == "V":  # bfloat16, which NumPy knows by an extension
        array = array.astype(np.float32)
    figures: dict[str, Any] = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.dtype.kind not in "fiubc":
        figures["dtype"] = "text"
        figures["checksum"] = _checksum("\0".join(map(str, array.ravel()[:1000].tolist())).encode("utf-8", "replace"))
        return figures, None
    flat = np.ascontiguousarray(array).ravel()
    figures["checksum"] = _checksum(flat.data if flat.size else b"")
    if array.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    wide = flat.astype(np.float64)
    finite = np.isfinite(wide)
    bad = int(wide.size - finite.sum())
    kept = wide[finite] if bad else wide
    figures["norm"] = float(np.sqrt(np.dot(kept, kept)))
    figures["largest"] = float(np.abs(kept).max()) if kept.size else 0.0
    figures["bad"] = bad
    step = np.linspace(0, wide.size - 1, SAMPLE).astype(np.int64) if wide.size > SAMPLE else slice(None)
    return figures, wide[step]


def _checksum(content: Any) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def distance(old: dict[str, Any], old_sample: Any, new: dict[str, Any], new_sample: Any) -> float:
    """Returns by how much two arrays differ, by their figures and samples.

    Returns:
        For floats the largest difference over the largest absolute value of both; for whole numbers and truth values
        the share of values that differ; 0 where the checksums agree; infinity where shapes, kinds or the places of NaN
        do.
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
        # One value of a large array may differ beside the sample: the checksums say so.
        return max(float(np.mean(a != b)), 1.0 / a.size) if a.size else SAME
    scale = max(old["largest"], new["largest"])
    if scale == 0.0:
        return SAME
    apart = float(np.abs(a - b).max()) if a.size else 0.0
    norm = max(old["norm"], new["norm"])
    norms_apart = abs(old["norm"] - new["norm"]) / norm if norm else 0.0
    return float(max(apart / scale, norms_apart))


def _kind(figures: dict[str, Any]) -> str:
    name: str = figures["dtype"]
    if name == "text":
        return name
    return "whole" if name.startswith(("int", "uint", "bool")) else "real"


def epsilon(figures: dict[str, Any]) -> float:
    """Returns the unit of rounding of an array's type: 1.2e-7 for float32; 0 for whole numbers."""
    units: dict[str, float] = {"float16": 9.8e-4, "bfloat16": 7.9e-3, "float32": 1.2e-7, "complex64": 1.2e-7}
    name: str = figures["dtype"]
    return units.get(name, 2.3e-16 if _kind(figures) == "real" else 0.0)


def is_real(figures: dict[str, Any]) -> bool:
    """Returns True for floats and complex numbers, False for whole numbers, truth values and text."""
    return _kind(figures) == "real"
