"""tf.py_func and tf.numpy_function: results of NumPy 2 get the dtype that NumPy 1 gave them.

NumPy 1 kept an array's dtype in `array * scalar` of the same kind; NumPy 2 takes the wider one of the two, so that a
function for int32 arrays returns int64 once it multiplies them by an np.int64. TensorFlow refuses such results. A float
result is computed with more bits than on NumPy 1 and rounded at the end, so that it can differ in its last bit.
"""

from __future__ import annotations

import inspect
from functools import partial, update_wrapper, wraps
from typing import Any, Callable

from tf1mem.v1._namespace import Factory

# A result's kind -> the kinds of the dtypes that NumPy 1 may have kept in its place.
_KEPT_KINDS = {"i": "iu", "u": "u", "f": "f", "c": "c"}


def factories(tf: Any) -> dict[str, Factory]:
    """Returns a factory for each function; none where NumPy 1 is installed.

    Args:
        tf: TensorFlow's TF1 API.
    """
    import numpy as np

    if int(np.__version__.partition(".")[0]) < 2:
        return {}
    return {name: partial(_with_narrow_results, tf, name) for name in ("numpy_function", "py_func")}


def _with_narrow_results(tf: Any, name: str) -> Callable[..., Any]:
    signature = inspect.signature(getattr(tf, name))

    @wraps(getattr(tf, name))
    def py_func(*args: Any, **kwargs: Any) -> Any:
        function = getattr(tf, name)  # looked up at each call, because a program may replace it
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # wrong arguments: TensorFlow raises the error that programs know
        called, dtypes = bound.arguments.get("func"), bound.arguments.get("Tout")
        if callable(called) and dtypes is not None:
            bound.arguments["func"] = _narrowing(called, dtypes, tf.as_dtype)
        return function(*bound.args, **bound.kwargs)

    return py_func


def _narrowing(function: Any, dtypes: Any, as_dtype: Callable[[Any], Any]) -> Callable[..., Any]:
    """Returns a program's function, with results of the dtypes that NumPy 1 gave them.

    Args:
        function: The program's function.
        dtypes: One dtype, or a list of them, as the program passes them.
        as_dtype: tf.as_dtype.
    """

    def narrow(value: Any, dtype: Any) -> Any:
        narrower = _narrower(value, as_dtype(dtype))
        return value if narrower is None else value.astype(narrower)

    declared = list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes]

    def narrowing(*args: Any) -> Any:
        results = function(*args)
        if not isinstance(results, (list, tuple)):
            return narrow(results, declared[0]) if len(declared) == 1 else results
        if len(results) != len(declared):
            return results  # TensorFlow says so
        return [narrow(value, dtype) for value, dtype in zip(results, declared)]

    return update_wrapper(narrowing, function)


def _narrower(value: Any, dtype: Any) -> Any:
    """Returns the NumPy dtype that a value should have in place of its own; None if its own is right or is an error."""
    import numpy as np

    if not isinstance(value, (np.ndarray, np.generic)):
        return None
    declared = np.dtype(dtype.as_numpy_dtype)
    is_wider = value.dtype.itemsize > declared.itemsize and declared.kind in _KEPT_KINDS.get(value.dtype.kind, "")
    return declared if is_wider else None
