"""The version matrix: the tests on each TensorFlow, in environments that uv makes and nox keeps.

`make matrix` runs all of it, `make matrix QUICK=1` what CI does for every change, `nox --session "on(2.4.4)"` one. An
interpreter that isn't installed is reported as not run, never as passed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv"
nox.options.sessions = ["matrix"]
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = False
os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")

# TensorFlow, the Python to run it on, its distribution, and what it wants beside it. Up to 2.4 TensorFlow came before
# protobuf 3.21's generated code, 2.5 to 2.10 before NumPy 2. What conformance compares is a build for GPUs:
# tensorflow-gpu up to 2.0, tensorflow from 2.1 on.
OLD_PROTOBUF = "protobuf<3.21"
# The last release, which TensorFlow 2.16 and up no longer bring; 2.16 and the candidate are tested without it.
ESTIMATOR = "tensorflow_estimator==2.15.0"
MATRIX = [
    ("1.13.2", "3.7", "tensorflow==1.13.2", OLD_PROTOBUF),
    ("1.14.0", "3.7", "tensorflow==1.14.0", OLD_PROTOBUF),
    ("1.15.5", "3.7", "tensorflow-gpu==1.15.5", OLD_PROTOBUF),
    ("2.0.4", "3.7", "tensorflow-gpu==2.0.4", OLD_PROTOBUF),
    ("2.4.4", "3.8", "tensorflow==2.4.4", OLD_PROTOBUF),
    ("2.10.1", "3.10", "tensorflow==2.10.1", "numpy<2"),
    ("2.15.1", "3.11", "tensorflow==2.15.1"),
    ("2.16.2", "3.12", "tensorflow-cpu==2.16.2", "tf_keras==2.16.*"),
    ("2.18.1", "3.12", "tensorflow==2.18.1", "tf_keras==2.18.*", ESTIMATOR),
    ("2.21.0", "3.13", "tensorflow==2.21.0", "tf_keras==2.21.*", ESTIMATOR),
    ("candidate", "3.13", "--prerelease=allow", "tensorflow>2.21.99rc0"),
]
# Builds without GPU support: what runs on simulated GPUs is left out there, and the summary says so.
CPU_BUILDS = ("1.13.2", "1.14.0", "2.16.2")
ON_SIMULATED_GPUS = ("tests/conformance", "tests/distribution", "tests/gpusim")
# The simulator's own tests are the same on every TensorFlow but for these; `make test` runs them all.
OF_EVERY_TENSORFLOW = "test_tensorflow_runs.py"
# What depends on the Python alone is run once on each; examples and distribution on these versions.
RUNNER = ["tests/runner/test_like_python.py", "tests/runner/test_rewriting.py", "tests/runner/test_territory.py"]
ONE_OF_EACH_PYTHON = ("1.15.5", "2.4.4", "2.10.1", "2.18.1", "2.21.0")
# The codemod needs Python 3.10, and no TensorFlow; what its rewritten programs do is run with the examples.
CODEMOD = "tests/codemod"
RUNS_REWRITTEN = "differential"
WITH_CODEMOD = ("2.10.1", "2.18.1", "2.21.0")
WITH_EXAMPLES = ("1.15.5", "2.10.1", "2.21.0")
QUICK_WITH_EXAMPLES = ("1.15.5",)
# What tells and explains: in QUICK on the oldest, one on the way and the newest; `make test` has the stable one.
TELLING = ["tests/doctor", "tests/estimating", "tests/oom"]
WITH_TELLING = ("1.15.5", "candidate")
# The guide is the same on every TensorFlow, but for its table of settings; its programs are run by `make test`.
GUIDE = "tests/guide"
OF_THE_TABLE = "test_columns.py"
# QUICK=1, after `make test`: the comparison by `apply` and by `run`, which goes the way of v1, and not again on the
# TensorFlow that `make test` has just compared. Fresh processes and the truth are checked there, too.
QUICK = bool(os.environ.get("QUICK"))
LEFT_OUT_WHEN_QUICK = [
    "tests/conformance/test_fresh.py",
    "tests/conformance/test_truth.py",
    "tests/conformance/test_v1.py",
]
OF_MAKE_TEST = "2.21.0"
TESTS = ["hypothesis", "pytest", "pytest-xdist", "setuptools<81"]
RESULTS = Path(".nox") / "results"


def _let_pyenv_show_its_pythons() -> None:
    """Where pyenv is, puts every Python that it has installed on the PATH; elsewhere does nothing."""
    if shutil.which("pyenv"):
        listed = subprocess.run(["pyenv", "versions", "--bare"], stdout=subprocess.PIPE, encoding="utf-8", check=False)
        root = subprocess.run(["pyenv", "root"], stdout=subprocess.PIPE, encoding="utf-8", check=False).stdout.strip()
        folders = [
            str(Path(root) / "versions" / name / "bin") for name in listed.stdout.split() if name.startswith("3")
        ]
        os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *folders])


_let_pyenv_show_its_pythons()


@nox.session(python=False)
def matrix(session: nox.Session) -> None:
    """Every version. `make matrix` sums it up afterwards: tests/matrix_summary.py."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    for old in RESULTS.glob("*.xml"):
        old.unlink()
    for version, *_ in MATRIX:
        session.notify(f"on({version})")


@nox.session(python=False)
def conformance(session: nox.Session) -> None:
    """The comparison with TensorFlow 1.15.5 alone, on every version that is compared."""
    for version, *_ in MATRIX:
        if version not in CPU_BUILDS:
            session.notify(f"on({version})", posargs=["tests/conformance"])


@nox.session(python="3.7")
def truth(session: nox.Session) -> None:
    """What is recorded of TensorFlow 1.15.5, held against TensorFlow 1.15.5."""
    session.install(*next(row[2:] for row in MATRIX if row[0] == "1.15.5"))
    session.install("--editable", ".")
    session.run("python", "-m", "tests.conformance.recording", "--check")
    session.run("python", "-m", "tests.codemod.generating", "--check")
    session.run("python", "-m", "tests.codemod.differential.recording", "--check")


@nox.session
@nox.parametrize("python,version", [(row[1], row[0]) for row in MATRIX], ids=[row[0] for row in MATRIX])
def on(session: nox.Session, version: str) -> None:
    """The tests on one TensorFlow."""
    packages = next(row[2:] for row in MATRIX if row[0] == version)
    session.install(*TESTS, *packages)
    session.install("--editable", ".[cli,codemod]")
    session.run(
        "python", "-m", "pytest", "-q", "-n", os.environ.get("WORKERS", "3"), "--dist", "loadfile",
        "--junit-xml", str(RESULTS / (version + ".xml")), *(session.posargs or _left_out(version)),
    )  # fmt: skip


def _left_out(version: str) -> list[str]:
    """The tests that say nothing about this TensorFlow that they don't say about another; and what QUICK leaves out."""
    paths = [str(path) for path in sorted(Path(GUIDE).glob("test_*.py")) if path.name != OF_THE_TABLE]
    if version not in ONE_OF_EACH_PYTHON:
        paths += RUNNER
    if version not in (QUICK_WITH_EXAMPLES if QUICK else WITH_EXAMPLES):
        paths += ["tests/examples", "tests/distribution", CODEMOD + "/" + RUNS_REWRITTEN]
    if QUICK or version not in WITH_CODEMOD:
        paths += [str(path) for path in sorted(Path(CODEMOD).iterdir()) if path.name != RUNS_REWRITTEN]
    if QUICK and version not in WITH_TELLING:
        paths += [*TELLING, GUIDE]
    elif version in CPU_BUILDS:
        paths += TELLING
    if version in CPU_BUILDS:
        paths += ON_SIMULATED_GPUS
    else:
        if QUICK:
            paths += ["tests/conformance"] if version == OF_MAKE_TEST else LEFT_OUT_WHEN_QUICK
        files = sorted(Path("tests", "gpusim").glob("test_*.py"))
        paths += [str(file) for file in files if file.name != OF_EVERY_TENSORFLOW]
    return ["--ignore=" + path for path in dict.fromkeys(paths)]
