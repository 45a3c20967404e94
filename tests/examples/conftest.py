"""Runs the examples the way their README says, each in a process of its own.

A test names its example in a marker, `@pytest.mark.example("tf1/growth.py", "--flag=1")`, and takes the fixture
`run`: what became of it. Importing TensorFlow takes seconds, so an example is a fork of a Python that has imported it;
in `make proof` it is a Python of its own. The examples of a file are started at once, two at a time, and each test
waits for its own. A test module's `GPUS` puts each on a machine of its own with such simulated GPUs.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Callable

import pytest
from packaging.version import Version

from tests.processes.environment import ROOT, clean
from tests.processes.warm import WarmPythons, exit_status
from tf1mem.gpusim.launching import MACHINE, simulation
from tf1mem.machine.tensorflow import installed_version

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


def is_for_run(script: str) -> bool:
    """Tells whether the README runs this example by `tf1mem run` with the installed TensorFlow."""
    return script.startswith("tf1/") and tensorflow_version.major > 1


def environment(folder: Path) -> dict[str, str]:
    """An example's: all that it leaves anywhere has to be in its folder, the working and the temporary directory."""
    return {"TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "0"}


def run_alone(pythons: WarmPythons, folder: Path, script: str, *args: str, **env: str) -> Run:
    """Runs an example in a Python of its own."""
    command = [sys.executable, *(["-m", "tf1mem", "run"] if is_for_run(script) else []), str(EXAMPLES / script)]
    done = subprocess.run(
        [*command, *args], cwd=str(folder), env=clean(**environment(folder), **env), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    return Run(done, folder)


def run_warm(pythons: WarmPythons, folder: Path, script: str, *args: str, **env: str) -> Run:
    """Runs an example in a fork of a Python that has imported what it imports."""
    by_run = is_for_run(script)
    modules = ("tf1mem.runner", "tf1mem.v1") if by_run else ("tensorflow",)
    python = pythons.having(modules, clean(TF_CPP_MIN_LOG_LEVEL="0", simulator=MACHINE in env))
    out, err = (folder.with_name(f"{folder.name}.{end}") for end in ("out", "err"))
    argv = [str(EXAMPLES / script), *args]
    variables = {**environment(folder), **env}
    status = python.submit(argv, folder=folder, out=out, err=err, env=variables, by_run=by_run).result(TIMEOUT_S)
    return Run(CompletedProcess(argv, exit_status(status), out.read_text("utf-8"), err.read_text("utf-8")), folder)


def run_on_gpus(
    act: Callable[..., Run], gpus: Any, pythons: WarmPythons, folder: Path, script: str, *args: str, **env: str
) -> Run:
    """Runs an example on a machine of its own with simulated GPUs, and says where something was not computed."""
    with simulation(gpus, trace=folder.with_name(folder.name + ".jsonl")) as machine:
        done = act(pythons, folder, script, *args, **machine.environment, **env)
        histories = machine.histories()
    assert histories.not_computed == (), done.output
    return done


@pytest.fixture
def missing() -> set[str]:
    """The packages that TF1's Keras and estimators need beside TensorFlow 2.16 and up, where they aren't installed."""
    if tensorflow_version < Version("2.16.0rc0"):
        return set()
    return {name for name in ("tf_keras", "tensorflow_estimator") if find_spec(name) is None}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "example(script, *args, **env): the example that this test is about")


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, warm_pythons: WarmPythons) -> Any:
    act = run_alone if request.config.getoption("--whole") else run_warm
    if hasattr(request.module, "GPUS"):
        act = partial(run_on_gpus, act, request.module.GPUS)
    with ThreadPoolExecutor(max_workers=2) as pool:
        started = {}
        for item in request.session.items:
            marker = item.get_closest_marker("example")
            if marker is not None and item.module is request.module:
                folder = tmp_path_factory.mktemp("example")
                started[item.nodeid] = pool.submit(act, warm_pythons, folder, *marker.args, **marker.kwargs)
        yield started
        for future in started.values():
            future.cancel()


@pytest.fixture
def run(request: pytest.FixtureRequest, runs: Any) -> Run:
    return runs[request.node.nodeid].result()
