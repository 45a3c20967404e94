"""The simulator's libraries: where they are built, once, and what is said where they can't be."""

from __future__ import annotations

import configparser
import ctypes
import errno
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tf1mem.errors import SimulatorNotBuiltError
from tf1mem.gpusim import build, compiling, manifest, values
from tf1mem.machine import folders

ROOT = Path(__file__).resolve().parents[2]

# What TensorFlow's wheels open beside the driver and NVML, by the CUDA that they were built with.
OPENED = {
    "10.0": "cudart.so.10.0 cublas.so.10.0 cufft.so.10.0 curand.so.10.0 cusolver.so.10.0 cusparse.so.10.0 cudnn.so.7",
    "10.1": "cudart.so.10.1 cublas.so.10 cufft.so.10 curand.so.10 cusolver.so.10 cusparse.so.10 cudnn.so.7",
    "11.0": "cudart.so.11.0 cublas.so.11 cublasLt.so.11 cufft.so.10 curand.so.10 cusolver.so.10 cusparse.so.11",
    "11.2": "cudart.so.11.0 cublas.so.11 cublasLt.so.11 curand.so.10 cusolver.so.11 cusparse.so.11 cudnn.so.8",
    "12.2": "cudart.so.12 cublas.so.12 cublasLt.so.12 cufft.so.11 cusolver.so.11 cusparse.so.12 cudnn.so.8",
    "12.5": "cudart.so.12 cublas.so.12 cublasLt.so.12 cufft.so.11 cusolver.so.11 cusparse.so.12 cudnn.so.9 nccl.so.2",
}

# Takes what a compiler takes, and makes an empty file of it.
EMPTY_COMPILER = '#!/bin/sh\necho compiled >> "$(dirname "$0")/calls"\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n'


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(folder))
    return folder


def compiler(folder: Path, script: str) -> Path:
    path = folder / "some-cc"
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def empty_compiler(tmp_path, monkeypatch):
    """A compiler that takes no time. Returns the file that has a line for each of its runs."""
    monkeypatch.setenv("CC", str(compiler(tmp_path, EMPTY_COMPILER)))
    return tmp_path / "calls"


@pytest.mark.parametrize("cuda", OPENED)
def test_every_library_that_tensorflow_opens_is_there(cuda):
    folder = build.library_folder()
    for name in [*OPENED[cuda].split(), "cuda.so.1", "nvidia-ml.so.1"]:
        ctypes.CDLL(str(folder / ("lib" + name)))


@pytest.mark.parametrize("library", build.LIBRARIES, ids=lambda library: library.name)
def test_every_listed_function_is_there(library):
    names = (build.SOURCES / "symbols" / library.symbols).read_text(encoding="utf-8").split("\n")
    listed = [name.split()[0] for name in names if name]
    assert len(listed) == len(set(listed)) > 20
    folder = build.library_folder()
    for soname in library.sonames:
        loaded = ctypes.CDLL(str(folder / soname))
        assert [name for name in listed if not hasattr(loaded, name)] == []


def test_a_second_use_compiles_nothing(cache, empty_compiler):
    first = build.library_folder()
    compiled = empty_compiler.read_text()
    assert build.library_folder() == first
    assert empty_compiler.read_text() == compiled
    assert first.parent == cache
    assert os.listdir(str(cache)) == [first.name]


def test_the_cache_is_the_users(tmp_path, monkeypatch, empty_compiler):
    monkeypatch.delenv("TF1MEM_SIM_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert build.library_folder().parent == tmp_path / "home" / ".cache" / "tf1mem"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the XDG specification says to ignore
    assert build.library_folder().parent == tmp_path / "home" / ".cache" / "tf1mem"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert build.library_folder().parent == tmp_path / "xdg" / "tf1mem"


def test_a_library_that_somebody_else_could_have_planted_is_not_loaded(cache, tmp_path, empty_compiler):
    folder = build.library_folder()
    for path in (folder, cache, tmp_path):
        before = path.stat().st_mode
        path.chmod(0o777)
        with pytest.raises(
            SimulatorNotBuiltError, match=rf"and {path} can be written by others.* Set TF1MEM_SIM_CACHE"
        ):
            build.library_folder()
        path.chmod(0o1777)  # as /tmp: only its owner can replace what is in it
        if path != folder:
            assert build.library_folder() == folder
        path.chmod(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("planted", ["the libraries", "the cache"])
def test_a_folder_of_another_user_is_not_used(cache, empty_compiler, planted):
    folder = build.library_folder()
    os.chown(str(folder if planted == "the libraries" else cache), 65534, 65534)
    with pytest.raises(SimulatorNotBuiltError, match=r"belongs to another user \(65534\)"):
        build.library_folder()


def test_a_link_is_followed_once(cache, tmp_path, empty_compiler):
    (tmp_path / "real").mkdir(0o755)
    cache.symlink_to(tmp_path / "real")
    assert build.library_folder().parent == tmp_path / "real"


def test_what_is_compiled_is_the_users_alone_whatever_the_umask(cache, empty_compiler):
    before = os.umask(0)
    try:
        folder = build.library_folder()
    finally:
        os.umask(before)
    for path in (cache, folder, *folder.iterdir()):
        assert path.stat().st_mode & 0o022 == 0, path


@pytest.mark.parametrize("home", [None, "relative", "shared"])
def test_without_a_home_of_its_own_the_cache_is_a_private_temporary_folder(home, tmp_path, monkeypatch, empty_compiler):
    def nobody(user):
        raise KeyError(user)

    monkeypatch.delenv("TF1MEM_SIM_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    if home == "shared":
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared").chmod(0o777)
        monkeypatch.setenv("HOME", str(tmp_path / "shared"))
    elif home:
        monkeypatch.setenv("HOME", home)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    private = tmp_path / f"tf1mem-{os.geteuid()}"
    assert build.library_folder().parent == private
    private.rename(tmp_path / "elsewhere")
    private.symlink_to(tmp_path / "elsewhere")  # whoever made it can have it lead to a folder of theirs later
    assert build.library_folder().parent == tmp_path / "elsewhere"
    monkeypatch.setenv("TF1MEM_SIM_CACHE", "~nobody-of-this-name/cache")
    with pytest.raises(SimulatorNotBuiltError, match=r"names no user's home. Set TF1MEM_SIM_CACHE"):
        build.library_folder()


def test_other_sources_are_other_libraries(cache, tmp_path, monkeypatch, empty_compiler):
    first = build.library_folder()
    (tmp_path / "sources").symlink_to(build.SOURCES)
    monkeypatch.setattr(build, "SOURCES", tmp_path / "sources")
    assert build.library_folder() == first
    (tmp_path / "sources").unlink()
    for path in (build.SOURCES / "driver", build.SOURCES / "symbols"):
        path.mkdir(parents=True)
    for library in build.LIBRARIES:
        (build.SOURCES / "symbols" / library.symbols).write_text("cuOne\n", encoding="utf-8")
    second = build.library_folder()
    assert second != first
    (build.SOURCES / "driver" / "more.h").write_text("", encoding="utf-8")
    assert build.library_folder() not in (first, second)


def test_another_compiler_makes_other_libraries(cache, tmp_path, monkeypatch, empty_compiler):
    first = build.library_folder()
    monkeypatch.setenv("CC", os.environ["CC"] + " -O0")
    second = build.library_folder()
    compiler(tmp_path, EMPTY_COMPILER + "# newer\n")
    assert len({first, second, build.library_folder()}) == 3


def first_uses_at_once(cache, before=""):
    """Six processes that get the libraries for the first time, the same ones, with nothing half made beside them."""
    code = before + "from tf1mem.gpusim.build import library_folder; print(library_folder())"
    environ = dict(os.environ, PYTHONPATH=str(ROOT))
    running = [subprocess.Popen([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE) for _ in range(6)]
    folders = {process.communicate()[0].decode().strip() for process in running}
    assert [process.returncode for process in running] == [0] * 6
    assert len(folders) == 1
    assert os.listdir(str(cache)) == [Path(folders.pop()).name]  # and nothing half made beside it


def test_of_first_uses_at_once_one_compiles(cache, empty_compiler, tmp_path, monkeypatch):
    build.library_folder()
    compiled = empty_compiler.read_text("ascii")
    empty_compiler.unlink()
    other = tmp_path / "other"
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(other))
    first_uses_at_once(other)
    assert empty_compiler.read_text("ascii") == compiled


def test_without_locks_all_get_the_same(cache, empty_compiler):
    first_uses_at_once(cache, "import fcntl\ndef flock(*_): raise OSError\nfcntl.flock = flock\n")
    assert empty_compiler.exists()


def test_no_compiler(cache, tmp_path, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SimulatorNotBuiltError, match=r"need a C compiler, and none of cc, gcc, clang.* apt install gcc"
    ):
        build.library_folder()
    monkeypatch.setenv("CC", "no-such-cc -m64")
    with pytest.raises(SimulatorNotBuiltError, match=r"CC=no-such-cc -m64 is not found.* set CC"):
        build.library_folder()


@pytest.mark.parametrize("name", ["a:b", "a;b", "$ORIGIN", "${LIB}"])
def test_a_cache_that_a_library_path_cannot_name(tmp_path, monkeypatch, empty_compiler, name):
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(tmp_path / name))
    with pytest.raises(SimulatorNotBuiltError, match=r"can't be loaded from .*LD_LIBRARY_PATH.*Set TF1MEM_SIM_CACHE"):
        build.library_folder()
    assert not (tmp_path / name).exists()
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(tmp_path / "a $1, b"))
    assert build.library_folder().parent == tmp_path / "a $1, b"


def test_names_of_bytes_that_are_no_text(tmp_path, monkeypatch, empty_compiler):
    folder = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff")
    monkeypatch.setenv("TF1MEM_SIM_CACHE", folder)
    os.mkdir(folder)
    monkeypatch.setenv("CC", str(compiler(Path(folder), EMPTY_COMPILER)))
    assert str(build.library_folder().parent) == folder


def test_a_compiler_that_fails_is_quoted(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", str(compiler(tmp_path, "#!/bin/sh\necho 'stdio.h: no such thing' >&2\nexit 4\n")))
    with pytest.raises(
        SimulatorNotBuiltError, match=r"(?s)some-cc ended with 4\..*libc6-dev.*output:\nstdio.h: no such"
    ):
        build.library_folder()
    assert os.listdir(str(cache)) == []


def test_a_compiler_that_ends_by_a_signal(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", str(compiler(tmp_path, "#!/bin/sh\nkill -9 $$\n")))
    with pytest.raises(SimulatorNotBuiltError, match=r"ended with -9"):
        build.library_folder()


def test_a_compiler_that_cannot_be_run(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("CC", str(compiler(tmp_path, "#!/no/such/shell\n")))
    with pytest.raises(SimulatorNotBuiltError, match=r"some-cc can't be run .*Set CC"):
        build.library_folder()


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(SimulatorNotBuiltError, match=r"file/cache can't be written .* Set TF1MEM_SIM_CACHE"):
        build.library_folder()


def test_a_cache_that_nothing_runs_from(cache, monkeypatch, empty_compiler):
    class NoExec:
        f_flag = os.ST_NOEXEC

    monkeypatch.setattr(os, "statvfs", lambda path: NoExec)
    with pytest.raises(SimulatorNotBuiltError, match=r"noexec.* Set TF1MEM_SIM_CACHE"):
        build.library_folder()
    assert os.listdir(str(cache)) == []


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("win32", "AMD64"), ("linux", "ppc64le")])
def test_other_platforms(system, machine, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(SimulatorNotBuiltError, match=r"Linux on x86-64 or aarch64.*on " + machine):
        build.library_folder()


def test_a_wheel_carries_every_source():
    config = configparser.ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    package = ROOT / "tf1mem" / "gpusim"
    carried = {
        path for pattern in config["options.package_data"]["tf1mem.gpusim"].split() for path in package.glob(pattern)
    }
    assert {path for path in (package / "sources").rglob("*") if path.is_file()} == carried


def emptied(folder):
    (folder / "libcuda.so.1").write_bytes(b"")


def cut(folder):
    with open(folder / "libcuda.so.1", "r+b") as file:
        file.truncate(4)


def overwritten(folder):
    path = folder / "libcuda.so.1"
    path.write_bytes(b"X" * path.stat().st_size)


def without_a_file(folder):
    (folder / "libcuda.so.1").unlink()


def another_link(folder):
    (folder / "libcufft.so.11").unlink()
    (folder / "libcufft.so.11").symlink_to("elsewhere")


def a_folder_in_a_files_place(folder):
    without_a_file(folder)
    (folder / "libcuda.so.1").mkdir()


def with_nothing_in_it(folder):
    for path in folder.iterdir():
        path.unlink()


def without_a_list(folder):
    (folder / manifest.NAME).unlink()


def a_list_of_nothing(folder):
    (folder / manifest.NAME).write_text("{}", encoding="utf-8")


def a_list_that_is_cut(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": {"by', encoding="utf-8")


def a_list_of_another_kind(folder):
    (folder / manifest.NAME).write_text('["libcuda.so.1"]', encoding="utf-8")


def a_list_with_a_size_of_letters(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": {"bytes": "eight"}}', encoding="utf-8")


def a_list_without_a_size(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": {"bzres": 8}}', encoding="utf-8")


def a_list_of_texts(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": "a library"}', encoding="utf-8")


def a_list_of_what_has_no_such_name(folder):
    (folder / manifest.NAME).write_text('{"lib\\u0000": {"bytes": 8}}', encoding="utf-8")


def a_list_of_great_depth(folder):
    (folder / manifest.NAME).write_text("[" * 200_000, encoding="utf-8")


def a_list_that_is_a_pipe(folder):
    without_a_list(folder)
    os.mkfifo(str(folder / manifest.NAME))


def open_to_others(folder):
    (folder / "libcuda.so.1").chmod(0o666)


def a_link_that_leads_elsewhere(folder):
    path = folder / "libcuda.so.1"
    os.rename(str(path), str(folder.parent.parent / "elsewhere"))
    path.symlink_to(folder.parent.parent / "elsewhere")


def a_link_to_a_whole_one(folder):
    folder.rename(folder.parent.parent / "whole")
    folder.symlink_to(folder.parent.parent / "whole")


def a_link_to_nothing(folder):
    folder.rename(folder.parent.parent / "whole")
    folder.symlink_to("nothing")


def a_file(folder):
    with_nothing_in_it(folder)
    folder.rmdir()
    folder.write_text("", encoding="utf-8")


DAMAGES = {
    emptied: "libcuda.so.1 has 0 bytes, of 8",
    cut: "libcuda.so.1 has 4 bytes, of 8",
    overwritten: "libcuda.so.1 has another content",
    without_a_file: "libcuda.so.1 is not there",
    another_link: "libcufft.so.11 is another link",
    a_folder_in_a_files_place: "libcuda.so.1 is no file",
    with_nothing_in_it: "it has no manifest.json",
    without_a_list: "it has no manifest.json",
    a_list_of_nothing: "manifest.json is empty",
    a_list_that_is_cut: "manifest.json can't be read",
    a_list_of_another_kind: "manifest.json can't be read",
    a_list_with_a_size_of_letters: "manifest.json can't be read",
    a_list_without_a_size: "manifest.json can't be read",
    a_list_of_texts: "manifest.json can't be read",
    a_list_of_what_has_no_such_name: "manifest.json can't be read",
    a_list_of_great_depth: "manifest.json can't be read",
    a_list_that_is_a_pipe: "manifest.json is no file",
    open_to_others: "libcuda.so.1 can be written by others",
    a_link_that_leads_elsewhere: "libcuda.so.1 leads elsewhere",
    a_link_to_a_whole_one: "it is a link",
    a_link_to_nothing: "it is a link",
    a_file: "it is a file",
}


@pytest.fixture
def small_compiler(tmp_path, monkeypatch):
    """A compiler like `empty_compiler`, but its output has eight bytes."""
    path = compiler(tmp_path, EMPTY_COMPILER.replace(': > "$2"', 'printf libraries | head -c 8 > "$2"'))
    monkeypatch.setenv("CC", str(path))
    return tmp_path / "calls"


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_what_is_not_as_it_was_made_is_made_anew(cache, small_compiler, damage, capfd):
    folder = build.library_folder()
    assert capfd.readouterr().err == ""
    damage(folder)
    small_compiler.unlink()
    assert build.library_folder() == folder
    message = f"tf1mem sim: {folder} has changed since it was made ({DAMAGES[damage]}): compiling it again\n"
    assert capfd.readouterr().err == message
    assert small_compiler.exists()
    assert manifest.wrong_with(folder) == ""
    assert (folder / "libcuda.so.1").read_bytes() == b"librarie"
    assert os.listdir(str(cache)) == [folder.name]
    assert build.library_folder() == folder
    assert capfd.readouterr().err == ""


def test_a_copy_of_the_cache_is_as_good(cache, small_compiler, capfd):
    folder = build.library_folder()
    for path in folder.iterdir():
        os.utime(str(path), (1, 1), follow_symlinks=False)
    small_compiler.unlink()
    assert build.library_folder() == folder
    assert not small_compiler.exists()
    assert capfd.readouterr().err == ""


def test_what_is_damaged_stays_where_nothing_can_be_made(cache, small_compiler, tmp_path, monkeypatch):
    folder = build.library_folder()
    emptied(folder)
    path = compiler(tmp_path, "#!/bin/sh\nexit 4\n")
    os.utime(str(path), (1, 1))
    monkeypatch.setattr(compiling, "identity", lambda file: ("the", "same"))
    folder.rename(cache / f"gpusim-{build._key([str(path)])}")
    with pytest.raises(SimulatorNotBuiltError, match=r"some-cc ended with 4"):
        build.library_folder()
    assert len(os.listdir(str(cache))) == 1


def test_a_disk_that_is_full(cache, small_compiler, monkeypatch):
    def full(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(manifest, "write", full)
    with pytest.raises(SimulatorNotBuiltError, match=r"could not be written to .* \(.*No space left.*\)\. Make room"):
        build.library_folder()
    assert os.listdir(str(cache)) == []


def test_a_folder_above_that_another_made_meanwhile(cache, empty_compiler, monkeypatch):
    def make_folders(folder):
        folder.mkdir()
        os.chmod(str(folder), 0o777)

    monkeypatch.setattr(compiling, "_make_folders", make_folders)
    with pytest.raises(SimulatorNotBuiltError, match="can be written by others"):
        build.library_folder()
    assert not empty_compiler.exists()


def test_the_path_of_what_computes_is_all_that_is_told_whatever_is_closed(tmp_path, monkeypatch, small_compiler):
    """A process whose stderr is closed has what it opens next in its place; and paths are bytes."""
    tensorflow = tmp_path / "tensorflow"
    (tensorflow / "include" / "tensorflow" / "core" / "framework").mkdir(parents=True)
    (tensorflow / "include" / "tensorflow" / "core" / "framework" / "op_kernel.h").touch()
    (tensorflow / "libtensorflow_framework.so.2").write_bytes(b"symbols")
    monkeypatch.setenv("CXX", os.environ["CC"])
    monkeypatch.setenv("TF1MEM_SIM_CACHE", os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff"))
    for closed in ("2>&-", "2>&- <&-", ""):
        script = values.write_script(tmp_path, values=False)
        command = f"umask 0; sh {script} {tensorflow}/libtensorflow_framework.so.2 {closed}"
        done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=False)
        path_made = Path(os.fsdecode(done.stdout))
        assert (path_made.name, path_made.read_bytes()) == ("values.so", b"librarie")
        for path in (path_made.parent, path_made, path_made.with_name(manifest.NAME)):
            assert path.stat().st_mode & 0o022 == 0
        path_made.write_bytes(b"")  # so that the next one makes it, too


def test_what_is_damaged_may_be_taken_away_meanwhile(tmp_path, small_compiler, cache):
    folder, moved = build.library_folder(), tmp_path / "made"
    folder.rename(moved)
    compiling._put(moved, folder, tmp_path / "aside")
    assert manifest.wrong_with(folder) == ""
    assert not (tmp_path / "aside").exists()


def test_what_a_killed_process_was_compiling_is_removed_and_what_a_living_one_compiles_is_not(
    cache, small_compiler, tmp_path, monkeypatch
):
    code = "from tf1mem.gpusim.build import library_folder; library_folder()"
    (tmp_path / "slow").mkdir()
    with monkeypatch.context() as patched:
        patched.setenv("CC", str(compiler(tmp_path / "slow", "#!/bin/sh\nsleep 60\n")))
        running = subprocess.Popen(
            [sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=str(ROOT)), start_new_session=True
        )
    try:
        while not list(cache.glob(".building-*/libraries")):
            time.sleep(0.05)
        (building,) = cache.glob(".building-*")
        before = time.time() - 3600
        os.utime(str(building), (before, before))
        folders.sweep(".building-", str(cache))
        assert building.is_dir()
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    build.library_folder()  # which could take the lock, and looks for what is left
    assert [name for name in os.listdir(str(cache)) if name.startswith(".")] == []


def test_a_folder_is_its_makers_for_as_long_as_that_lives(tmp_path):
    for name in ("x-of-another-kind", "y-1"):
        (tmp_path / name).mkdir()
    (tmp_path / "x-link").symlink_to(tmp_path / "y-1")
    with folders.temporary("x-", str(tmp_path)) as first:
        os.utime(str(first), (1, 1))
        with folders.temporary("x-", str(tmp_path)) as second:
            assert first.is_dir()
            assert second.is_dir()
        if os.fork() == 0:
            os._exit(0 if first.is_dir() else 1)
        assert os.wait()[1] == 0
    assert sorted(os.listdir(str(tmp_path))) == ["x-link", "x-of-another-kind", "y-1"]
    left = tmp_path / "x-left"
    left.mkdir()
    (left / ".held").touch()
    folders.sweep("x-", str(tmp_path))
    assert left.is_dir(), "somebody may be about to lock it"
    os.utime(str(left), (1, 1))
    folders.sweep("x-", str(tmp_path))
    assert not left.exists()


def test_a_folder_that_cannot_be_marked_is_not_left(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", full)
        with pytest.raises(OSError, match="No space left"):
            folders.temporary("x-", str(tmp_path)).__enter__()
    assert os.listdir(str(tmp_path)) == []


def test_what_cannot_all_be_removed_keeps_its_mark(tmp_path, monkeypatch):
    """A folder keeps its mark while something in it can't be removed, as when an orphaned compiler writes there."""
    left = tmp_path / "x-left"
    for path in (left / "below", left / "still"):
        path.mkdir(parents=True)
        (path / "file").touch()
    (left / ".held").touch()
    (left / "link").symlink_to(tmp_path)
    os.utime(str(left), (1, 1))
    rmtree = folders.shutil.rmtree
    with monkeypatch.context() as patched:
        patched.setattr(folders.shutil, "rmtree", lambda path, **_: "still" in path or rmtree(path, ignore_errors=True))
        folders.sweep("x-", str(tmp_path))
    assert sorted(os.listdir(str(left))) == [".held", "still"]
    os.utime(str(left), (1, 1))
    folders.sweep("x-", str(tmp_path))
    assert os.listdir(str(tmp_path)) == []


def test_of_what_has_no_mark_only_what_is_empty_and_old_is_removed(tmp_path):
    for name in ("x-new", "x-old", "x-full"):
        (tmp_path / name).mkdir()
    (tmp_path / "x-full" / "results").touch()
    for name in ("x-old", "x-full"):
        os.utime(str(tmp_path / name), (1, 1))
    folders.sweep("x-", str(tmp_path))
    assert sorted(os.listdir(str(tmp_path))) == ["x-full", "x-new"]
