"""The policy chooses the packages whose imports are rewritten, also if TensorFlow's version is unknown."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from tf1mem.runner.module_names import ROOTS
from tf1mem.runner.policy import Policy
from tf1mem.runner.territory import Territory

# Before Python 3.8 the program's pkg_resources stays setuptools' own.
EVERY = set(ROOTS) - ({"pkg_resources"} if sys.version_info < (3, 8) else set())


@pytest.fixture
def roots(tmp_path, monkeypatch):
    """Returns a function that creates files and returns the packages whose imports are rewritten, such as "tensorflow".

    Only the program's folder and site-packages are on sys.path.
    """
    (tmp_path / "program").mkdir()
    if sys.version_info >= (3, 8):
        # Loads the modules that read metadata, while Python's own folders are on sys.path.
        import_module("importlib.metadata").version("pytest")

    def decide(files, always=False):
        for name in files:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
        monkeypatch.setattr("sys.path", [str(tmp_path / "program"), str(tmp_path / "site-packages")])
        monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
        return Policy(Territory(str(tmp_path / "program")), always, True).roots()

    return decide


def test_a_build_that_does_not_tell_its_version(roots):
    assert roots(["site-packages/tensorflow/__init__.py"]) == EVERY


def test_a_build_whose_metadata_has_another_name(roots):
    files = ["site-packages/tensorflow/__init__.py", "site-packages/vendor_ai-9.dist-info/METADATA"]
    assert roots(files) == EVERY


@pytest.mark.parametrize("file", ["site-packages/other.py", "program/tensorflow.py", "program/tensorflow/model.txt"])
def test_no_tensorflow(roots, file):
    assert roots([file]) == set()


def test_a_folder_of_logs_is_no_tensorboard(roots):
    assert roots(["site-packages/tensorflow/__init__.py", "program/tensorboard/events.out"]) == EVERY
    assert "tensorboard" not in roots(["site-packages/tensorboard/__init__.py"])


def test_an_installed_gym_gives_way_to_gymnasium_alone(roots, tmp_path):
    files = ["site-packages/tensorflow/__init__.py", "site-packages/gym/__init__.py"]
    metadata = tmp_path / "site-packages" / "gym-0.26.2.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.1\nName: gym\nVersion: 0.26.2\n")
    assert "gym" not in roots(files)
    can_tell = sys.version_info >= (3, 8)
    assert ("gym" in roots([*files, "site-packages/gymnasium/__init__.py"])) == can_tell
