"""NumPy's printing before NumPy 2: `[1, 0.5]`, where NumPy 2 prints `[np.int64(1), np.float64(0.5)]`."""

from __future__ import annotations

import sys
from typing import Any

# The earliest way of printing that NumPy still has and that shows scalars and arrays as NumPy 1.14 to 1.21 did.
_WAY = "1.21"
_FIRST_WITH_IT = (1, 22)


def print_as_before(numpy: Any) -> None:
    """Makes NumPy print as it did up to 1.21, unless the program itself chooses another way.

    Args:
        numpy: The module, as loaded.
    """
    if tuple(int(part) for part in numpy.__version__.split(".")[:2]) < _FIRST_WITH_IT:
        return
    numpy.set_printoptions(legacy=_WAY)
    # Since NumPy 2.1 an option holds for one thread; new threads start with these defaults.
    options: Any = sys.modules.get("numpy._core.printoptions")
    if options is not None:
        options.default_format_options_dict["legacy"] = options.format_options.get()["legacy"]
