"""The environments of the version matrix: one for each TensorFlow, which uv creates and nox keeps.

`make matrix` runs the tests in all of them, side by side (tests/matrix/). `nox --session "on(2.4.4)"` runs them in one
environment, and passes arguments after `--` to pytest. If a Python isn't installed, its tests are reported as not run,
never as passed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tf1mem.machine.versions import TESTED

nox.options.default_venv_backend = "uv"
nox.options.sessions = ["on"]
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = False
os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
# A wheel of TensorFlow has 550 MB, and tests slow down its download.
os.environ.setdefault("UV_HTTP_TIMEOUT", "300")
# Many tests import TensorFlow in a separate process, and some of these write no bytecode: the import takes 3 s with
# bytecode, and 12 s without.
os.environ.setdefault("UV_COMPILE_BYTECODE", "1")

TESTS = ["hypothesis", "jsonschema", "pytest", "pytest-xdist", "setuptools<81"]


def _let_pyenv_show_its_pythons() -> None:
    """Adds every Python that pyenv has installed to the PATH; does nothing without pyenv."""
    if shutil.which("pyenv"):
        listed = subprocess.run(["pyenv", "versions", "--bare"], stdout=subprocess.PIPE, encoding="utf-8", check=False)
        root = subprocess.run(["pyenv", "root"], stdout=subprocess.PIPE, encoding="utf-8", check=False).stdout.strip()
        folders = [
            str(Path(root) / "versions" / name / "bin") for name in listed.stdout.split() if name.startswith("3")
        ]
        os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *folders])


_let_pyenv_show_its_pythons()


@nox.session
@nox.parametrize("python,version", [(row.python, row.version) for row in TESTED], ids=[row.version for row in TESTED])
def on(session: nox.Session, version: str) -> None:
    """Runs the tests on one TensorFlow: by default those that CI runs there, selected by `--row`."""
    packages = next(row.packages for row in TESTED if row.version == version)
    session.install(*TESTS, *packages)
    session.install("--editable", ".[cli]")
    session.run("python", "-m", "compileall", "-q", "tf1mem")  # as in the Makefile
    session.run("python", "-m", "pytest", "-q", *(session.posargs or ["--row", version]))
