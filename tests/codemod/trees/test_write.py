"""A rewritten file replaces the old one as a whole, and keeps its mode, owner, attributes and links."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys

import pytest

from tests.codemod.trees import ROOT, obey_permissions, temporaries
from tf1mem.codemod.trees import temporaries as temporary_files
from tf1mem.codemod.trees.write import read_file, replace_file
from tf1mem.errors import SourceFileError

BEFORE, AFTER = b"before\n", b"after, and longer\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(BEFORE)
    return path


def refused(*paths, before: bytes = BEFORE, after: bytes = AFTER) -> SourceFileError:
    """Returns the error of a replacement, which has to fail, and to leave no temporary file."""
    with pytest.raises(SourceFileError) as raised:
        replace_file([str(path) for path in paths], before, after)
    assert temporaries(paths[0].parent) == []
    return raised.value


def run(code: str, *args: object, **options) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "import sys\nfrom tf1mem.codemod.trees.write import *\n" + code, *map(str, args)],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False, **options,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


REFUSED = "try:\n replace_file([sys.argv[1]], b'before\\n', b'after' * 1000)\nexcept SourceFileError as e: print(e)\n"


def test_a_file_is_replaced(path, tmp_path):
    replace_file([str(path)], BEFORE, AFTER)
    assert path.read_bytes() == AFTER
    assert os.listdir(tmp_path) == ["a.py"]


@pytest.mark.parametrize("source", [b"", b"x", b"\0\r\n", b"x" * (5 << 20)], ids=len)
def test_any_bytes(path, source):
    replace_file([str(path)], BEFORE, source)
    assert read_file(str(path)) == source


def test_in_the_working_folder(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    replace_file(["a.py"], BEFORE, AFTER)
    assert os.listdir() == ["a.py"]
    assert path.read_bytes() == AFTER


def test_a_long_name(tmp_path):
    path = tmp_path / ("n" * 252 + ".py")
    path.write_bytes(BEFORE)
    replace_file([str(path)], BEFORE, AFTER)
    assert path.read_bytes() == AFTER


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664, 0o777, 0o640, 0o4755, 0o2755, 0o1644])
def test_mode_bits_stay(path, mode):
    path.chmod(mode)
    before = os.umask(0o077)
    try:
        replace_file([str(path)], BEFORE, AFTER)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owner_stays(path):
    os.chown(path, 12345, 23456)
    path.chmod(0o6755)
    replace_file([str(path)], BEFORE, AFTER)
    info = path.stat()
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (12345, 23456, 0o6755)


def test_extended_attributes_stay(path):
    try:
        os.setxattr(path, "user.note", b"\x01note")
    except OSError as error:
        pytest.skip(f"the file system of temporary files knows none: {error}")
    replace_file([str(path)], BEFORE, AFTER)
    assert os.getxattr(path, "user.note") == b"\x01note"


def test_a_symbolic_link_stays(path, tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "one.py").symlink_to("../two.py")
    (tmp_path / "two.py").symlink_to("a.py")
    link = tmp_path / "below" / "one.py"
    replace_file([str(link)], BEFORE, AFTER)
    assert (os.readlink(link), os.readlink(tmp_path / "two.py")) == ("../two.py", "a.py")
    assert not path.is_symlink()
    assert path.read_bytes() == AFTER


def test_hard_links_stay_one_file(path, tmp_path):
    (tmp_path / "below").mkdir()
    names = [path, tmp_path / "b.py", tmp_path / "below" / "c.py"]
    for name in names[1:]:
        os.link(path, name)
    replace_file([str(name) for name in names], BEFORE, AFTER)
    assert [name.read_bytes() for name in names] == [AFTER] * 3
    assert len({name.stat().st_ino for name in names}) == 1
    assert path.stat().st_nlink == 3
    assert temporaries(tmp_path) == []


@pytest.mark.parametrize("others", [1, 2])
def test_unknown_hard_links_are_refused(path, tmp_path, others):
    for number in range(others):
        os.link(path, tmp_path / str(number))
    error = refused(path)
    assert error.wrong.startswith(f"has {others} more hard link")
    assert path.read_bytes() == BEFORE
    assert path.stat().st_nlink == others + 1


def test_equal_files_are_not_taken_for_hard_links(path, tmp_path):
    other = tmp_path / "b.py"
    other.write_bytes(BEFORE)
    assert "has changed" in refused(path, other).wrong


def test_a_changed_file_is_not_replaced(path):
    path.write_bytes(b"BEFORE\n")
    assert refused(path).wrong == "has changed since it was read"
    assert path.read_bytes() == b"BEFORE\n"


def test_a_file_with_only_a_new_time_is_replaced(path):
    os.utime(path, (1, 1))
    replace_file([str(path)], BEFORE, AFTER)
    assert path.read_bytes() == AFTER


def test_a_vanished_file_is_an_error(path, tmp_path):
    path.unlink()
    assert refused(path).wrong == "can't be written: No such file or directory"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_a_file_that_became_something_else_is_an_error(path, tmp_path, kind):
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("nothing")
    refused(path)  # without a wait for somebody to write into the pipe
    assert os.listdir(tmp_path) == ["a.py"]


@pytest.mark.parametrize("event", ["changes", "vanishes"])
def test_a_change_before_the_rename_is_noticed(path, tmp_path, monkeypatch, event):
    """The file changes after the new one has been written, and before the rename."""
    sync = os.fsync

    def meanwhile(file: int) -> None:
        sync(file)
        path.unlink()
        if event == "changes":
            path.write_bytes(b"by an editor\n")

    monkeypatch.setattr(os, "fsync", meanwhile)
    refused(path)
    assert [name.read_bytes() for name in tmp_path.iterdir()] == [b"by an editor\n"] * (event == "changes")


def test_an_interrupt_leaves_no_temporary_file(path, tmp_path, monkeypatch):
    def interrupted(file: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file([str(path)], BEFORE, AFTER)
    assert os.listdir(tmp_path) == ["a.py"]
    assert path.read_bytes() == BEFORE


def test_a_read_only_file(path, tmp_path):
    """A rename could replace the file if the folder is writable, but it must not."""
    path.chmod(0o444)
    message = run(REFUSED, path, preexec_fn=obey_permissions)
    assert message.startswith(f"{path} is read-only. ")
    assert os.listdir(tmp_path) == ["a.py"]
    assert path.read_bytes() == BEFORE


def test_a_read_only_folder(path, tmp_path):
    tmp_path.chmod(0o555)
    try:
        message = run(REFUSED, path, preexec_fn=obey_permissions)
    finally:
        tmp_path.chmod(0o755)
    assert message.startswith(f"{path}: can't be written: Permission denied. ")
    assert path.read_bytes() == BEFORE


def test_an_unreadable_file(path):
    path.chmod(0)
    code = "try: read_file(sys.argv[1])\nexcept SourceFileError as e: print(e)"
    message = run(code, path, preexec_fn=obey_permissions)
    assert message.startswith(f"{path}: can't be read: Permission denied. ")


@pytest.mark.parametrize("target_kind", ["file", "folder"])
def test_an_immutable_file_or_folder(path, tmp_path, target_kind):
    """An immutable file or folder fails even for root: the file is read-only, or no temporary file can be made."""
    target = str(path if target_kind == "file" else tmp_path)
    chattr = subprocess.run(["chattr", "+i", target], capture_output=True, check=False) if os.geteuid() == 0 else None
    if chattr is None or chattr.returncode:
        pytest.skip("chattr +i takes root, and a file system that knows it")
    try:
        error = refused(path)
    finally:
        subprocess.run(["chattr", "-i", target], check=True)
    assert error.wrong == ("is read-only" if target_kind == "file" else "can't be written: Operation not permitted")
    assert os.listdir(tmp_path) == ["a.py"]
    assert path.read_bytes() == BEFORE


def test_a_file_over_the_size_limit(path, tmp_path):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))\n"
    assert "File too large" in run(limit + REFUSED, path)
    assert os.listdir(tmp_path) == ["a.py"]
    assert path.read_bytes() == BEFORE


@pytest.mark.parametrize(
    ("name", "is_one"),
    [(".tf1mem-1-0.tmp", True), (".tf1mem-99999-12.tmp", True), (".tf1mem-1.tmp", False), ("tf1mem-1-0.tmp", False),
     (".tf1mem-1-0.tmp.py", False), (".tf1mem-a-0.tmp", False)],
)  # fmt: skip
def test_names_of_temporaries(name, is_one):
    assert temporary_files.is_temporary(name) is is_one


def test_a_temporary_file_of_a_living_process_stays(tmp_path):
    file, path = temporary_files.create(str(tmp_path), 1)
    try:
        assert stat.S_IMODE(os.fstat(file).st_mode) == 0o600
        assert not temporary_files.remove_old(path)
        assert os.path.exists(path)
    finally:
        os.close(file)
    assert temporary_files.remove_old(path)
    assert os.listdir(tmp_path) == []
    assert temporary_files.remove_old(path)  # somebody else has done it


def test_temporaries_of_one_process_in_one_folder(tmp_path):
    created = [temporary_files.create(str(tmp_path), 1) for _ in range(3)]
    other = temporary_files.create(str(tmp_path), 2)
    assert len(set(os.listdir(tmp_path))) == 4
    temporary_files.remove_those_of(1, str(tmp_path))
    assert os.listdir(tmp_path) == [os.path.basename(other[1])]
    for file, _ in [*created, other]:
        os.close(file)


def test_a_temporary_file_removed_by_another_run(tmp_path, monkeypatch):
    """Another run removes the file after it was created and before it is locked."""
    lock, removed = fcntl.flock, []

    def meanwhile(file: int, how: int) -> None:
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    file, path = temporary_files.create(str(tmp_path), 1)
    os.close(file)
    assert [str(left) for left in tmp_path.iterdir()] == [path]
