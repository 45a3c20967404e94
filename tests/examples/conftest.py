"""Runs the examples the way their README says, each in a process of its own.

A test names its example in a marker, `@pytest.mark.example("tf1/growth.py", "--flag=1")`, and takes the fixture
`run`: what became of it. Starting TensorFlow takes seconds, so the examples of all collected tests are started
at once, two at a time, and each test waits for its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tf1mem.machine.tensorflow import installed_version

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TIMEOUT_S = 240

tensorflow_version = installed_version() or Version("0")

# The examples in tf2/ are TensorFlow 2 code, written for 2.4 and up.
collect_ignore = [] if tensorflow_version >= Version("2.4.0rc0") else ["test_tf2_examples.py"]


class Run:
    """An example that has run."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.returncode = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.folder = folder

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    def succeeded(self) -> bool:
        """Say that the exit status is 0, and show what was printed where it isn't."""
        assert self.returncode == 0, self.output[-6000:]
        return True


def command_for(script: str) -> list[str]:
    """How the README runs this example with the TensorFlow that is installed."""
    if script.startswith("tf1/") and tensorflow_version.major > 1:
        return [sys.executable, "-m", "tf1mem", "run", str(EXAMPLES / script)]
    return [sys.executable, str(EXAMPLES / script)]


def run_example(folder: Path, script: str, *args: str, **env: str) -> Run:
    # All that a script leaves anywhere has to be in its folder: it is the working and the temporary directory.
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environ = dict(os.environ, TMPDIR=str(folder), PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1", **env)
    done = subprocess.run(
        [*command_for(script), *args],
        cwd=str(folder),
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Run(done, folder)


@pytest.fixture
def missing() -> set[str]:
    """The packages that TF1's Keras and estimators need beside TensorFlow 2.16 and up, where they aren't installed."""
    if tensorflow_version < Version("2.16.0rc0"):
        return set()
    return {name for name in ("tf_keras", "tensorflow_estimator") if find_spec(name) is None}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "example(script, *args, **env): the example that this test is about")


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with ThreadPoolExecutor(max_workers=2) as pool:
        started = {}
        for item in request.session.items:
            marker = item.get_closest_marker("example")
            if marker is not None:
                folder = tmp_path_factory.mktemp("example")
                started[item.nodeid] = pool.submit(run_example, folder, *marker.args, **marker.kwargs)
        yield started
        for future in started.values():
            future.cancel()


@pytest.fixture
def run(request: pytest.FixtureRequest, runs: Any) -> Run:
    return runs[request.node.nodeid].result()
