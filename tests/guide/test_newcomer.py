"""Runs the README's commands in order, as a newcomer would, where tf1mem is installed from its wheel alone."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import MappingProxyType
from typing import Mapping, NamedTuple

import pytest

from tests.matrix import selection
from tests.processes.wheel import build

from . import blocks
from .site import ROOT
from .test_blocks import SCRIPT, run, shell, walk

# The start of a command -> its exit status. The README has few comments, so they are here. Plain Python can't run the
# script, nor can the doctor, which runs it as it is; and the codemod's 1 means that it has something to change.
README = {"python train.py": 1, "tf1mem codemod": 1, "tf1mem doctor --gpu": 1}
# The start of a command -> the status and the lines that differ from the page.
MISSING = "tf1mem: error: tensorflow is not installed for {python}. pip install 'tf1mem[tensorflow]'"
WITHOUT_TENSORFLOW = {
    "python train.py": (1, ["ModuleNotFoundError: No module named 'tensorflow'"]),
    "tf1mem run": (2, [MISSING]),
    "tf1mem sim --gpu 8GiB --gpu 16GiB": (2, [MISSING]),
    "tf1mem doctor  ": (0, ["TFD101 error  No TensorFlow is installed for this Python ({version})."]),
    "tf1mem doctor --gpu": (1, ["TFD101 error  ModuleNotFoundError at train.py:1: No module named 'tensorflow'"]),
}
NEEDS_A_NEWER_PYTHON = (
    "tf1mem: error: tf1mem codemod needs Python 3.10 or newer, and this is {version}. Install it in a separate "
    "environment, with a newer Python: it reads source of any age and needs no TensorFlow"
)
ON_TENSORFLOW_1 = {
    "python train.py": (0, ["42.0"]),
    "tf1mem codemod": (2, [NEEDS_A_NEWER_PYTHON]),
    "tf1mem doctor --gpu": (0, ["Nothing found."]),
}


class Place(NamedTuple):
    """An environment in which the commands are run.

    Attributes:
        name: The name of the test.
        python: The Python; "" for the one that runs the tests.
        packages: The TensorFlow to install, or none.
        is_shared: True if the environment has the packages of the Python that runs the tests, with its TensorFlow.
        others: The start of a command -> the status and lines that differ from those on the newest TensorFlow.
    """

    name: str
    python: str = ""
    packages: tuple[str, ...] = ()
    is_shared: bool = False
    others: Mapping[str, tuple[int, list[str]]] = MappingProxyType({})


HERE = (Place("without TensorFlow", others=WITHOUT_TENSORFLOW), Place("the newest TensorFlow", is_shared=True))


def with_tensorflow() -> list[Place]:
    """Returns the environments to install a TensorFlow in: the newest stable one, and 1.15.5."""
    stable = [row for row in selection.gpu_builds() if row.version != "candidate"]
    ends = ((stable[-1], {}), (stable[0], ON_TENSORFLOW_1))
    return [Place(f"TensorFlow {row.version}", row.python, row.packages, others=others) for row, others in ends]


def pytest_generate_tests(metafunc):
    """Parametrizes the test with all environments."""
    if "place" in metafunc.fixturenames:
        places = [*HERE, *with_tensorflow()]
        metafunc.parametrize("place", places, ids=[place.name for place in places])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Returns the wheel of tf1mem."""
    return build(tmp_path_factory.mktemp("wheel"))


def _interpreter(version: str) -> str | None:
    """Returns a Python of a version on the PATH, or None. It is started once, since pyenv's shims may fail to start."""
    import noxfile  # puts pyenv's Pythons on the PATH

    assert noxfile
    paths = (os.path.join(folder, f"python{version}") for folder in os.get_exec_path())
    return next((path for path in filter(os.path.exists, paths) if not subprocess.call([path, "-c", ""])), None)


@pytest.fixture
def programs(place, wheel, tmp_path):
    """Returns the folder of commands of an environment in which tf1mem is installed as the README says."""
    folder = tmp_path / "environment"
    uv = [sys.executable, "-m", "uv"]
    python = _interpreter(place.python) if place.python else sys.executable
    if python is None:
        pytest.skip(f"Python {place.python} is not installed")
    subprocess.run([*uv, "venv", "--quiet", "--no-project", "--python", python, folder], check=True)
    install = [*uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python"]
    # A NumPy that matplotlib brings would hide the one that suits the shared TensorFlow.
    extras = "cli" if place.is_shared else "cli,plot"
    subprocess.run([*install, f"{wheel}[{extras}]", *place.packages], check=True)
    if place.is_shared:
        (site,) = (folder / "lib").glob("python*/site-packages")
        (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    yield folder / "bin"
    shutil.rmtree(folder)


@pytest.mark.proof
def test_the_readme_in_a_new_environment(place, programs, tmp_path):
    scripts, page, python = tmp_path / "scripts", tmp_path / "page", programs / "python"
    scripts.mkdir()
    page.mkdir()
    environment = shell(scripts, {name: shlex.quote(str(programs / name)) for name in ("python", "tf1mem")})
    del environment["PYTHONPATH"]  # the checkout
    version_command = [python, "-c", "import sys, tf1mem; print(sys.version.split()[0], tf1mem.__file__)"]
    version, file = subprocess.run(
        version_command, cwd=str(page), env=environment, capture_output=True, check=True
    ).stdout.split()
    assert Path(file.decode()).is_relative_to(programs.parent)
    words = {"python": str(python), "version": version.decode()}
    others = {
        start: (status, [line.format(**words) for line in lines]) for start, (status, lines) in place.others.items()
    }
    for block, where in walk(ROOT / "README.md", page):
        shown = block
        if block.language == "python":
            command = f"$ tf1mem sim --gpu 8GiB --gpu 8GiB -- python {SCRIPT}\n"
            shown = blocks.Block("console", command, block.line)
        run(shown, where, page, environment, {**README, **others})
