"""Makes all recordings again: `make data`, after a new TensorFlow in the table or a new entry of the grid.

Usage, from the root of the repository: python -m tests.recordings

It also makes everything that depends on recordings: the codemod's rewritten programs, the pictures, the guide's pages
and the table of conformance. It needs the Pythons of the matrix, and about half an hour. `git diff` then shows the
changes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from tests.processes.environment import ROOT, clean
from tests.recordings import NEWEST, RECORDINGS, TRUTH


def main() -> None:
    """Makes the recordings, and then everything that depends on them."""
    this_python = sys.executable
    _run(this_python, "-m", "tests.codemod.differential.recording", "--write")
    for recording in RECORDINGS:
        for version in recording.versions:
            _run(_python(version), "-m", recording.script, *recording.arguments.get(version, ()))
    _run(this_python, "migration_guide/pictures/recording.py", _python(TRUTH), _python(NEWEST))
    _run(this_python, "migration_guide/pictures/drawing.py")
    shutil.rmtree(ROOT / "build" / "conformance", ignore_errors=True)
    _run(this_python, "-m", "tests.matrix", "--compared", "--tests", "tests/conformance")
    _run(this_python, "-m", "tests.conformance.table")
    _run(this_python, "-m", "migration_guide.generating")


def _python(version: str) -> str:
    """Returns the Python of a TensorFlow of the matrix; makes its environment if it is missing."""
    _run(sys.executable, "-m", "nox", "--install-only", "--session", f"on({version})")
    return str(ROOT / ".nox" / ("on-" + version.replace(".", "-")) / "bin" / "python")


def _run(*command: str) -> None:
    print("$", *command, flush=True)
    subprocess.run(command, cwd=str(ROOT), env=clean(), check=True)


if __name__ == "__main__":
    main()
