"""A program never writes into the user's own files, only into copies of them."""

from __future__ import annotations

import sys

import pytest

from tests.verifying import forked
from tests.verifying.test_ends import TRAINS
from tf1mem.errors import VerifyError
from tf1mem.verifying import places
from tf1mem.verifying.verify import Request, Verification, work_folder

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
SIZE = places._LARGE + 1
WRITES = """\
import numpy as np
data = np.memmap("data.bin", np.uint8, "r+")
data[0] += 1
data.flush()
open("data.bin", "ab").write(b"more")
"""
OPENS = """\
import sqlite3
sqlite3.connect("data.bin").execute("create table t (x)")
"""


@pytest.fixture
def data(tmp_path):
    """A large file beside the programs."""
    (tmp_path / "files").mkdir()
    path = tmp_path / "files" / "data.bin"
    with open(path, "wb") as file:
        file.truncate(SIZE)
    return path


def test_a_program_writes_into_a_copy(warm, tmp_path, data):
    result = forked.certificate(warm, tmp_path, WRITES + TRAINS, WRITES + TRAINS)
    assert result["verdict"] == "same", result["reason"]
    assert data.stat().st_size == SIZE
    assert data.read_bytes().count(0) == SIZE


@pytest.mark.parametrize("source", [WRITES, OPENS], ids=["numpy", "sqlite"])
def test_a_file_that_is_too_large_is_not_written(source, tmp_path, data, monkeypatch):
    """Nothing is started where a file system has no leases."""
    monkeypatch.setattr(places, "ROOM", SIZE - 1)
    monkeypatch.setattr(places, "_clone", lambda source, target: False)
    program = tmp_path / "files" / "program.py"
    program.write_text(source, encoding="utf-8")
    place = places.place_of(str(program))
    fault = r"data\.bin is (opened for writing|too large to be copied)"
    with pytest.raises(VerifyError, match=fault), work_folder() as work:
        Verification(Request(str(program), []), place, place, sys.executable, work, lambda _: None).certificate()
    assert data.stat().st_size == SIZE
    assert data.read_bytes().count(0) == SIZE


def test_a_file_that_is_too_large_is_read(warm, tmp_path, data, monkeypatch):
    monkeypatch.setattr(places, "ROOM", SIZE - 1)
    monkeypatch.setattr(places, "_clone", lambda source, target: False)
    source = "assert len(open('data.bin', 'rb').read()) == %d\n" % SIZE + TRAINS
    result = forked.certificate(warm, tmp_path, source, source)
    assert result["verdict"] == "same", result["reason"]
    assert list(result["data"]) == ["data.bin"]


def test_folders_that_contain_themselves(tmp_path):
    root = tmp_path / "root"
    (root / "empty").mkdir(parents=True)
    (root / "self").symlink_to(root)
    (root / "program.py").write_text("", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "data").write_text("1", encoding="utf-8")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    (root / "gone").symlink_to(root / "nowhere")
    copy = places.copy(places.Place(str(root), "program.py", "."), tmp_path / "copy")
    assert sorted(str(path.relative_to(copy)) for path in copy.rglob("*")) == [
        "empty",
        "linked",
        "linked/data",
        "program.py",
    ]
    (copy / "linked" / "data").write_text("2", encoding="utf-8")
    assert (tmp_path / "elsewhere" / "data").read_text(encoding="utf-8") == "1"
