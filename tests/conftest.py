"""Fixtures for all tests: they run programs in separate processes, and return the version of TensorFlow.

TensorFlow reads settings once per process. So a test that applies settings runs a program for it in a separate process:
a fork of one that has imported TensorFlow, or, if the test is marked `fresh`, a new Python.
"""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Iterator

import pytest
from packaging.version import Version

from tests.matrix import selection
from tests.processes.environment import LIMIT_S, ROOT, clean
from tests.processes.warm import WarmPython, WarmPythons
from tf1mem.machine.tensorflow import installed_version


@pytest.fixture(scope="session")
def tensorflow_version() -> Version:
    """Returns the version of the installed TensorFlow; fails if none is installed."""
    version = installed_version()
    assert version is not None, "the tests talk to a real TensorFlow: install one, or run `make test`"
    return version


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("the matrix")
    group.addoption("--row", metavar="VERSION", help="only what this TensorFlow of the matrix is to prove")
    group.addoption("--proved", nargs=2, metavar=("PYTHON", "VERSION"), help="not what `make test` has proved on these")
    group.addoption("--whole", action="store_true", help="as `make proof` runs them, not as CI does")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell makes background processes ignore SIGINT. Programs of tests would inherit that, and some are
        # interrupted by SIGINT.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "proof: only `make proof` runs it, since it takes long and others show it, too")
    config.addinivalue_line("markers", "fresh: its programs start in a Python that has imported nothing")
    config.addinivalue_line(
        "markers", "warm(*modules): its programs start where these are imported, not the file's WARM"
    )
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # else xdist begins with the files with most tests


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sorts the slowest files first, so that at the end no worker is left alone with a slow one.

    Tests with the mark `proof` are skipped, but for those of `make proof`.
    """
    items.sort(key=lambda item: selection.slowest_first(_path(item.path)))
    for item in items:
        if item.get_closest_marker("proof") and not config.getoption("--whole"):
            item.add_marker(pytest.mark.skip(reason="make proof has it"))


def pytest_collection_finish() -> None:
    """Leaves all objects that exist now out of garbage collections, which would search TensorFlow's in vain."""
    gc.freeze()


def _path(path: Path) -> str:
    """Returns a file's path relative to the checkout."""
    return path.relative_to(ROOT).as_posix()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out the test files that the matrix doesn't run on this TensorFlow (tests/matrix/selection.py)."""
    version = config.getoption("--row")
    if version is None or not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    row, whole, proved = selection.row_of(version), config.getoption("--whole"), config.getoption("--proved")
    run = selection.is_run(_path(collection_path), row, whole, proved and selection.Proved(*proved))
    return None if run else True


@pytest.fixture(scope="session")
def warm_pythons() -> Iterator[WarmPythons]:
    """Yields the warm Pythons, which all tests share."""
    with WarmPythons() as pythons:
        yield pythons


@pytest.fixture(scope="module")
def warm(request: pytest.FixtureRequest, warm_pythons: WarmPythons) -> WarmPython:
    """Returns a warm Python that has imported the modules in the test module's WARM."""
    return warm_pythons.having(request.module.WARM, clean())


def _warm_for(request: pytest.FixtureRequest) -> WarmPython:
    """Returns the warm Python of a test: with the modules of its mark `warm`, or else of the test module's WARM."""
    marked = request.node.get_closest_marker("warm")
    if marked is None:
        return request.getfixturevalue("warm")
    return request.getfixturevalue("warm_pythons").having(marked.args, clean())


@pytest.fixture(scope="module")
def warm_on_gpus(request: pytest.FixtureRequest, warm_pythons: WarmPythons) -> WarmPython:
    """Returns a warm Python that finds the simulator's libraries: its programs can run on simulated GPUs."""
    return warm_pythons.having(request.module.WARM, clean(simulator=True))


@pytest.fixture
def python(tmp_path: Path, request: pytest.FixtureRequest):
    """Returns a function that runs a program in a separate process, and returns the program's standard output.

    It fails, with all output, if the program's exit status isn't the expected one. The function's arguments:
        code: The program.
        status: The exit status to expect.
        env: More environment variables.
        fresh: True to run it in a Python that has imported nothing, as the mark `fresh` does; False by default.
    """
    always_fresh = request.node.get_closest_marker("fresh") or not hasattr(request.module, "WARM")

    def run(code: str, *, status: int = 0, env: dict | None = None, fresh: bool = False) -> str:
        script = tmp_path / "program.py"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        if fresh or always_fresh:
            done = subprocess.run(
                [sys.executable, str(script)], cwd=str(tmp_path), env=clean(**(env or {})), capture_output=True,
                encoding="utf-8", timeout=LIMIT_S, check=False,
            )  # fmt: skip
        else:
            done = _warm_for(request).run(script, env=env or {})
        assert done.returncode == status, done.stdout + done.stderr
        run.stderr = done.stderr  # type: ignore[attr-defined]
        return done.stdout

    return run
