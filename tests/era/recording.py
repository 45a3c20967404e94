"""Records the output of the programs in `programs/` on the libraries that they were written for.

Usage: python -m tests.era.recording PYTHON PYTHON2. PYTHON is a Python 3.7 with NumPy 1.18, SciPy 1.1, Pillow 6.2,
PyYAML 5.1, h5py 2.10, matplotlib 3.2, nibabel 2.5 and pandas 0.25, and PYTHON2 is Python 2.7.

    uv venv --python 3.7 OLD
    uv pip install --python OLD numpy==1.18.5 scipy==1.1.0 pillow==6.2.2 pyyaml==5.1 h5py==2.10.0 matplotlib==3.2.2
    uv pip install --python OLD nibabel==2.5.1 pandas==0.25.3
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent


def programs() -> list[Path]:
    """Returns the programs: one for each library, and those in Python 2."""
    return sorted((HERE / "programs").glob("*.py"))


def is_of_python2(program: Path) -> bool:
    """Returns True if a program is recorded on Python 2.7."""
    return program.stem.endswith("_2_7")


def recorded(program: Path) -> Path:
    """Returns the path of the file that holds a program's recorded output."""
    return HERE / "recorded" / (program.stem + ".txt")


def environment() -> dict[str, str]:
    """Returns the variables for a program's environment: FONT, the path of a font."""
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    return {"FONT": str(Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf")}


def main(pythons: list[str]) -> None:
    """Runs each program on its Python, and writes down the output."""
    python3, python2 = pythons
    for program in programs():
        python = python2 if is_of_python2(program) else python3
        env = {**os.environ, **environment()}
        done = subprocess.run([python, "-W", "ignore", str(program)], env=env, capture_output=True, check=True)
        recorded(program).write_bytes(done.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
