"""Records everything anew: `make data`, for a new TensorFlow in the table or a new entry of the grid.

Usage, from the root of the repository: python -m tests.recordings

Then it makes what follows: the codemod's programs after, the pictures, the guide's pages, conformance's table. It needs
the Pythons of the matrix, and about half an hour; `git diff` says what is another.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from tests.processes.environment import ROOT, clean
from tests.recordings import NEWEST, RECORDINGS, TRUTH


def main() -> None:
    """Records, and makes what follows."""
    here = sys.executable
    _run(here, "-m", "tests.codemod.differential.recording", "--write")
    for recording in RECORDINGS:
        for version in recording.versions:
            _run(_python(version), "-m", recording.script, *recording.arguments.get(version, ()))
    _run(here, "migration_guide/pictures/recording.py", _python(TRUTH), _python(NEWEST))
    _run(here, "migration_guide/pictures/drawing.py")
    shutil.rmtree(ROOT / "build" / "conformance", ignore_errors=True)
    _run(here, "-m", "tests.matrix", "--compared", "--tests", "tests/conformance")
    _run(here, "-m", "tests.conformance.table")
    _run(here, "-m", "migration_guide.generating")


def _python(version: str) -> str:
    """The Python of a TensorFlow of the matrix, made if it isn't there."""
    _run(sys.executable, "-m", "nox", "--install-only", "--session", f"on({version})")
    return str(ROOT / ".nox" / ("on-" + version.replace(".", "-")) / "bin" / "python")


def _run(*command: str) -> None:
    print("$", *command, flush=True)
    subprocess.run(command, cwd=str(ROOT), env=clean(), check=True)


if __name__ == "__main__":
    main()
