"""Runs the examples as their README says, each in a separate process.

A test names its example in a marker, `@pytest.mark.example("tf1/growth.py", "--flag=1")`, and gets the finished run
from the fixture `run`. An example runs in a fork of a Python that has imported TensorFlow, since importing it takes
seconds; in `make proof` it runs in a new Python. All examples of a file are submitted at the start and run two at a
time, and each test waits for its own. If a test module has `GPUS`, each example has a machine with such simulated GPUs.
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

from tests.processes.environment import LIMIT_S, ROOT, clean
from tests.processes.warm import WarmPythons, exit_status
from tf1mem.gpusim.launching import MACHINE, simulation
from tf1mem.machine.tensorflow import installed_version

EXAMPLES = ROOT / "examples"

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
        """Returns True if the exit status is 0; otherwise fails with the end of the output."""
        assert self.returncode == 0, self.output[-6000:]
        return True


def is_for_run(script: str) -> bool:
    """Returns True if the README runs this example by `tf1mem run` with the installed TensorFlow."""
    return script.startswith("tf1/") and tensorflow_version.major > 1


def environment(folder: Path) -> dict[str, str]:
    """Returns an example's variables: its folder is also the one for temporary files, so all of its files go there."""
    return {"TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "0"}


def run_alone(pythons: WarmPythons, folder: Path, script: str, *args: str, **env: str) -> Run:
    """Runs an example in a new Python."""
    command = [sys.executable, *(["-m", "tf1mem", "run"] if is_for_run(script) else []), str(EXAMPLES / script)]
    done = subprocess.run(
        [*command, *args], cwd=str(folder), env=clean(**environment(folder), **env), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return Run(done, folder)


def run_warm(pythons: WarmPythons, folder: Path, script: str, *args: str, **env: str) -> Run:
    """Runs an example in a fork of a Python that has imported TensorFlow."""
    by_run = is_for_run(script)
    modules = ("tf1mem.runner", "tf1mem.v1") if by_run else ("tensorflow",)
    python = pythons.having(modules, clean(TF_CPP_MIN_LOG_LEVEL="0", simulator=MACHINE in env))
    out, err = (folder.with_name(f"{folder.name}.{end}") for end in ("out", "err"))
    argv = [str(EXAMPLES / script), *args]
    variables = {**environment(folder), **env}
    status = python.submit(argv, folder=folder, out=out, err=err, env=variables, by_run=by_run).status()
    return Run(CompletedProcess(argv, exit_status(status), out.read_text("utf-8"), err.read_text("utf-8")), folder)


def run_on_gpus(
    act: Callable[..., Run], gpus: Any, pythons: WarmPythons, folder: Path, script: str, *args: str, **env: str
) -> Run:
    """Runs an example on a new machine with simulated GPUs; fails if some op wasn't computed."""
    with simulation(gpus, trace=folder.with_name(folder.name + ".jsonl")) as machine:
        done = act(pythons, folder, script, *args, **machine.environment, **env)
        histories = machine.histories()
    assert histories.not_computed == (), done.output
    return done


@pytest.fixture
def missing() -> set[str]:
    """Returns the packages that TF1's Keras and estimators need with TensorFlow 2.16 and up, and that are missing."""
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
            if marker is not None and item.module is request.module:  # type: ignore[attr-defined]
                folder = tmp_path_factory.mktemp("example")
                started[item.nodeid] = pool.submit(act, warm_pythons, folder, *marker.args, **marker.kwargs)
        yield started
        for future in started.values():
            future.cancel()


@pytest.fixture
def run(request: pytest.FixtureRequest, runs: Any) -> Run:
    return runs[request.node.nodeid].result()
