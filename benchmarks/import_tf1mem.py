"""The case `import` of bench.py: `import tf1mem`, against an interpreter that does nothing."""

from __future__ import annotations

import sys

from pairs import Case, difference_ms


def case() -> Case:
    return Case(
        name="import tf1mem, more than an empty interpreter",
        base=[sys.executable, "-c", "pass"],
        ours=[sys.executable, "-c", "import tf1mem"],
        target=10,
        compare=difference_ms,
        unit="ms",
        pairs=40,
    )
