"""The cases `run` and `repairs` of bench.py: `tf1mem run script.py`, against an edited script and against `--as-is`."""

from __future__ import annotations

import sys
from pathlib import Path

from pairs import ROOT, Case, ratio

SCRIPT = ROOT / "examples" / "tf1" / "growth.py"
IMPORT = "import tensorflow as tf\n"
EDITED = "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n"


def case(folder: Path) -> Case:
    """Returns the case that compares with the same script, its import edited by hand and written to a folder."""
    source = SCRIPT.read_text(encoding="utf-8")
    if source.count(IMPORT) != 1:
        raise RuntimeError(f"{SCRIPT} has no line {IMPORT!r} to edit")
    edited = folder / SCRIPT.name
    edited.write_text(source.replace(IMPORT, EDITED), encoding="utf-8")
    return Case(
        name="tf1mem run script.py, against compat.v1 edited in",
        base=[sys.executable, str(edited)],
        ours=[sys.executable, "-m", "tf1mem", "run", str(SCRIPT)],
        target=1.05,
        compare=ratio,
        unit="",
        pairs=7,
    )


def repairs() -> Case:
    """Returns the case that measures the cost of looking for repairs in a script that needs none."""
    command = [sys.executable, "-m", "tf1mem", "run"]
    return Case(
        name="tf1mem run script.py that needs no repair, against --as-is",
        base=[*command, "--as-is", str(SCRIPT)],
        ours=[*command, str(SCRIPT)],
        target=1.02,
        compare=ratio,
        unit="",
        pairs=7,
    )
