"""The environment of a side: the folders on PYTHONPATH, those of its repository from the copy."""

from __future__ import annotations

import os
import sys

import pytest

from tf1mem.errors import VerifyError
from tf1mem.verifying.places import place_of
from tf1mem.verifying.sides import Process, Side, search_path

PROGRAM = """\
import os, subprocess, sys
import inner, outer
print(os.path.realpath(inner.__file__))
print(os.path.realpath(outer.__file__))
sys.stdout.flush()
subprocess.run([sys.executable, "-c", "import inner, os; print(os.path.realpath(inner.__file__))"], check=True)
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Returns a repository whose program needs PYTHONPATH=lib:OUTSIDE; it is the current folder."""
    folder = tmp_path / "repository"
    for path, text in (
        ("repository/tools/train.py", PROGRAM),
        ("repository/lib/inner.py", ""),
        ("repository/.git/HEAD", ""),
        ("outside/outer.py", ""),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_a_package_that_is_treated_as_the_programs_own(repository, tmp_path, monkeypatch):
    site = tmp_path / "site-packages"
    site.mkdir()
    (site / "library.py").write_text("from collections import Mapping\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(site))
    (repository / "program.py").write_text("import library\nprint(library.Mapping)\n", encoding="utf-8")
    side = Side("new", sys.executable, "run", place_of("program.py"), [], packages=["library"])
    ended = Process(side, tmp_path / "recording", steps=1).ended()
    assert ended.printed == "<class 'collections.abc.Mapping'>\n", ended.error_text


@pytest.mark.parametrize("order", ["lib outside", "outside lib"])
@pytest.mark.parametrize("mode", ["plain", "run"])
def test_a_program_imports_from_pythonpath(mode, order, repository, tmp_path, monkeypatch):
    entries = [name if name == "lib" else str(tmp_path / name) for name in order.split()]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entries))
    side = Side("new", sys.executable, mode, place_of("tools/train.py"), [])
    ended = Process(side, tmp_path / "recording", steps=1).ended()
    inner = str((tmp_path / "recording/work/lib/inner.py").resolve())
    outer = str((tmp_path / "outside/outer.py").resolve())
    assert ended.printed.splitlines() == [inner, outer, inner], ended.error_text


def test_the_current_folder_is_that_of_the_copy(repository, tmp_path, monkeypatch):
    side = Side("old", "another python", "plain", place_of("tools/train.py"), [])
    for value in (".", "", ":", ".:/nowhere"):
        monkeypatch.setenv("PYTHONPATH", value)
        expected = [str(tmp_path / "copy")] * (value.count(":") + 1 if value else 0)
        if "nowhere" in value:
            expected[1] = "/nowhere"
        assert search_path(side, tmp_path / "copy") == expected


def test_installed_packages_and_a_standard_library_are_for_their_own_python_only(repository, tmp_path, monkeypatch):
    target = tmp_path / "target"
    (target / "numpy-2.0.dist-info").mkdir(parents=True)
    library = os.path.dirname(os.path.realpath(os.__file__))  # the folder of os.py
    entries = [str(target), str(tmp_path / "lib/python3.11/site-packages"), library, str(tmp_path / "outside")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entries))
    place = place_of("tools/train.py")
    assert search_path(Side("new", sys.executable, "run", place, []), tmp_path / "copy") == entries
    assert search_path(Side("old", "another python", "plain", place, []), tmp_path / "copy") == entries[3:]


def test_a_program_without_a_repository_is_copied_with_a_folder(tmp_path, monkeypatch):
    for path, text in (("data/x", "17"), ("tools/train.py", "print(open('../data/x').read())")):
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "root" / "tools")
    place = place_of("train.py", "..")
    assert place == (str(tmp_path / "root"), "tools/train.py", "tools", "")
    ended = Process(Side("new", sys.executable, "plain", place, []), tmp_path / "recording", steps=1).ended()
    assert ended.printed == "17\n", ended.error_text
    for folder in ("../data", "../nowhere"):
        with pytest.raises(VerifyError, match=f"--root {folder} is not a folder with train.py"):
            place_of("train.py", folder)


def test_a_side_does_not_inherit_what_tensorflow_2_sets(tmp_path, monkeypatch):
    monkeypatch.setenv("TF2_BEHAVIOR", "1")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "program.py").write_text("import os\nprint(os.environ.get('TF2_BEHAVIOR'))", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "root")
    side = Side("old", sys.executable, "plain", place_of("program.py"), [])
    ended = Process(side, tmp_path / "recording", steps=1).ended()
    assert ended.printed == "None\n", ended.error_text
