"""The simulator's libraries are built once per user, in a safe folder; each way that this can fail has its error."""

from __future__ import annotations

import configparser
import ctypes
import errno
import fcntl
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.matrix.proof import in_ci_or_proof
from tf1mem.errors import SimulatorNotBuiltError
from tf1mem.gpusim import build, compiling, manifest, values_library
from tf1mem.gpusim.simulated_libraries import LIBRARIES, SOURCES
from tf1mem.machine import folders

ROOT = Path(__file__).resolve().parents[2]

# The libraries that TensorFlow's wheels open besides the driver and NVML, by the CUDA version of the wheel.
OPENED = {
    "10.0": "cudart.so.10.0 cublas.so.10.0 cufft.so.10.0 curand.so.10.0 cusolver.so.10.0 cusparse.so.10.0 cudnn.so.7",
    "10.1": "cudart.so.10.1 cublas.so.10 cufft.so.10 curand.so.10 cusolver.so.10 cusparse.so.10 cudnn.so.7",
    "11.0": "cudart.so.11.0 cublas.so.11 cublasLt.so.11 cufft.so.10 curand.so.10 cusolver.so.10 cusparse.so.11",
    "11.2": "cudart.so.11.0 cublas.so.11 cublasLt.so.11 curand.so.10 cusolver.so.11 cusparse.so.11 cudnn.so.8",
    "12.2": "cudart.so.12 cublas.so.12 cublasLt.so.12 cufft.so.11 cusolver.so.11 cusparse.so.12 cudnn.so.8",
    "12.5": "cudart.so.12 cublas.so.12 cublasLt.so.12 cufft.so.11 cusolver.so.11 cusparse.so.12 cudnn.so.9 nccl.so.2",
}

# A script that accepts a compiler's arguments and writes an empty output file.
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
    """Installs a compiler that takes no time; returns the path of a file with a line for each of its runs."""
    monkeypatch.setenv("CC", str(compiler(tmp_path, EMPTY_COMPILER)))
    return tmp_path / "calls"


@pytest.mark.parametrize("cuda", OPENED)
def test_every_library_that_tensorflow_opens_is_there(cuda):
    folder = build.library_folder()
    for name in [*OPENED[cuda].split(), "cuda.so.1", "nvidia-ml.so.1"]:
        ctypes.CDLL(str(folder / ("lib" + name)))


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_every_listed_function_is_there(library):
    names = (SOURCES / "symbols" / library.symbols).read_text(encoding="utf-8").split("\n")
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
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # a relative path is ignored, as the XDG specification says
    assert build.library_folder().parent == tmp_path / "home" / ".cache" / "tf1mem"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert build.library_folder().parent == tmp_path / "xdg" / "tf1mem"


def test_libraries_that_others_may_write_to_are_not_loaded(cache, tmp_path, empty_compiler):
    folder = build.library_folder()
    for path in (folder, cache, tmp_path):
        before = path.stat().st_mode
        path.chmod(0o777)
        with pytest.raises(
            SimulatorNotBuiltError, match=rf"and {path} can be written by others.* Set TF1MEM_SIM_CACHE"
        ):
            build.library_folder()
        path.chmod(0o1777)  # like /tmp: only the owner of a file can replace it
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


def test_only_the_user_may_write_to_the_libraries_whatever_the_umask(cache, empty_compiler):
    before = os.umask(0)
    try:
        folder = build.library_folder()
    finally:
        os.umask(before)
    for path in (cache, folder, *folder.iterdir()):
        assert path.stat().st_mode & 0o022 == 0, path


@pytest.mark.parametrize("home", [None, "relative", "shared"])
def test_without_a_usable_home_the_cache_is_a_private_temporary_folder(home, tmp_path, monkeypatch, empty_compiler):
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
    private.symlink_to(tmp_path / "elsewhere")  # the link is resolved, since its owner could change it later
    assert build.library_folder().parent == tmp_path / "elsewhere"
    monkeypatch.setenv("TF1MEM_SIM_CACHE", "~nobody-of-this-name/cache")
    with pytest.raises(SimulatorNotBuiltError, match=r"names no user's home. Set TF1MEM_SIM_CACHE"):
        build.library_folder()


def test_changed_sources_are_compiled_to_another_folder(cache, tmp_path, monkeypatch, empty_compiler):
    first = build.library_folder()
    (tmp_path / "sources").symlink_to(SOURCES)
    monkeypatch.setattr(build, "SOURCES", tmp_path / "sources")
    assert build.library_folder() == first
    (tmp_path / "sources").unlink()
    for path in (build.SOURCES / "driver", build.SOURCES / "symbols"):  # type: ignore[attr-defined]
        path.mkdir(parents=True)
    for library in LIBRARIES:
        (build.SOURCES / "symbols" / library.symbols).write_text("cuOne\n", encoding="utf-8")  # type: ignore[attr-defined]
    second = build.library_folder()
    assert second != first
    (build.SOURCES / "driver" / "more.h").write_text("", encoding="utf-8")  # type: ignore[attr-defined]
    assert build.library_folder() not in (first, second)


def test_a_changed_compiler_compiles_to_another_folder(cache, tmp_path, monkeypatch, empty_compiler):
    first = build.library_folder()
    monkeypatch.setenv("CC", os.environ["CC"] + " -O0")
    second = build.library_folder()
    compiler(tmp_path, EMPTY_COMPILER + "# newer\n")
    assert len({first, second, build.library_folder()}) == 3


def check_concurrent_first_uses(cache, before=""):
    """Checks that six processes that need the libraries at once get the same ones, and leave no unfinished build."""
    code = before + "from tf1mem.gpusim.build import library_folder; print(library_folder())"
    environ = dict(os.environ, PYTHONPATH=str(ROOT))
    running = [subprocess.Popen([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE) for _ in range(6)]
    folders = {process.communicate()[0].decode().strip() for process in running}
    assert [process.returncode for process in running] == [0] * 6
    assert len(folders) == 1
    assert os.listdir(str(cache)) == [Path(folders.pop()).name]


def test_concurrent_first_uses_compile_once(cache, empty_compiler, tmp_path, monkeypatch):
    build.library_folder()
    compiled = empty_compiler.read_text("ascii")
    empty_compiler.unlink()
    other = tmp_path / "other"
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(other))
    check_concurrent_first_uses(other)
    assert empty_compiler.read_text("ascii") == compiled


def test_concurrent_first_uses_without_locks_get_the_same_libraries(cache, empty_compiler):
    check_concurrent_first_uses(cache, "import fcntl\ndef flock(*_): raise OSError\nfcntl.flock = flock\n")
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
def test_a_cache_path_that_ld_library_path_cannot_hold(tmp_path, monkeypatch, empty_compiler, name):
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(tmp_path / name))
    with pytest.raises(SimulatorNotBuiltError, match=r"can't be loaded from .*LD_LIBRARY_PATH.*Set TF1MEM_SIM_CACHE"):
        build.library_folder()
    assert not (tmp_path / name).exists()
    monkeypatch.setenv("TF1MEM_SIM_CACHE", str(tmp_path / "a $1, b"))
    assert build.library_folder().parent == tmp_path / "a $1, b"


def test_paths_that_are_not_utf8(tmp_path, monkeypatch, empty_compiler):
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


def test_a_cache_on_a_noexec_file_system(cache, monkeypatch, empty_compiler):
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


def test_a_wheel_carries_every_source_and_the_cards():
    config = configparser.ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    package = ROOT / "tf1mem" / "gpusim"
    carried = {
        path for pattern in config["options.package_data"]["tf1mem.gpusim"].split() for path in package.glob(pattern)
    }
    files = (path for path in (package / "sources").rglob("*") if path.is_file())
    sources = {path for path in files if path.name != ".clang-format"}
    assert {*sources, package / "cards.json"} == carried


def empty_library(folder):
    (folder / "libcuda.so.1").write_bytes(b"")


def truncated_library(folder):
    with open(folder / "libcuda.so.1", "r+b") as file:
        file.truncate(4)


def overwritten_library(folder):
    path = folder / "libcuda.so.1"
    path.write_bytes(b"X" * path.stat().st_size)


def missing_library(folder):
    (folder / "libcuda.so.1").unlink()


def link_to_another_file(folder):
    (folder / "libcufft.so.11").unlink()
    (folder / "libcufft.so.11").symlink_to("elsewhere")


def folder_in_place_of_a_library(folder):
    missing_library(folder)
    (folder / "libcuda.so.1").mkdir()


def empty_folder(folder):
    for path in folder.iterdir():
        path.unlink()


def missing_manifest(folder):
    (folder / manifest.NAME).unlink()


def empty_manifest(folder):
    (folder / manifest.NAME).write_text("{}", encoding="utf-8")


def truncated_manifest(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": {"by', encoding="utf-8")


def manifest_that_is_an_array(folder):
    (folder / manifest.NAME).write_text('["libcuda.so.1"]', encoding="utf-8")


def manifest_with_a_size_in_words(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": {"bytes": "eight"}}', encoding="utf-8")


def manifest_without_sizes(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": {"bzres": 8}}', encoding="utf-8")


def manifest_of_strings(folder):
    (folder / manifest.NAME).write_text('{"libcuda.so.1": "a library"}', encoding="utf-8")


def manifest_with_an_impossible_name(folder):
    (folder / manifest.NAME).write_text('{"lib\\u0000": {"bytes": 8}}', encoding="utf-8")


def deeply_nested_manifest(folder):
    (folder / manifest.NAME).write_text("[" * 200_000, encoding="utf-8")


def manifest_that_is_a_pipe(folder):
    missing_manifest(folder)
    os.mkfifo(str(folder / manifest.NAME))


def library_writable_by_others(folder):
    (folder / "libcuda.so.1").chmod(0o666)


def link_out_of_the_folder(folder):
    path = folder / "libcuda.so.1"
    os.rename(str(path), str(folder.parent.parent / "elsewhere"))
    path.symlink_to(folder.parent.parent / "elsewhere")


def folder_replaced_by_a_link(folder):
    folder.rename(folder.parent.parent / "whole")
    folder.symlink_to(folder.parent.parent / "whole")


def folder_replaced_by_a_dangling_link(folder):
    folder.rename(folder.parent.parent / "whole")
    folder.symlink_to("nothing")


def folder_replaced_by_a_file(folder):
    empty_folder(folder)
    folder.rmdir()
    folder.write_text("", encoding="utf-8")


DAMAGES = {
    empty_library: "libcuda.so.1 has 0 bytes, of 8",
    truncated_library: "libcuda.so.1 has 4 bytes, of 8",
    overwritten_library: "libcuda.so.1 has different content",
    missing_library: "libcuda.so.1 is not there",
    link_to_another_file: "libcufft.so.11 is another link",
    folder_in_place_of_a_library: "libcuda.so.1 isn't a regular file",
    empty_folder: "it has no manifest.json",
    missing_manifest: "it has no manifest.json",
    empty_manifest: "manifest.json is empty",
    truncated_manifest: "manifest.json can't be read",
    manifest_that_is_an_array: "manifest.json can't be read",
    manifest_with_a_size_in_words: "manifest.json can't be read",
    manifest_without_sizes: "manifest.json can't be read",
    manifest_of_strings: "manifest.json can't be read",
    manifest_with_an_impossible_name: "manifest.json can't be read",
    deeply_nested_manifest: "manifest.json can't be read",
    manifest_that_is_a_pipe: "manifest.json isn't a regular file",
    library_writable_by_others: "libcuda.so.1 can be written by others",
    link_out_of_the_folder: "libcuda.so.1 leads elsewhere",
    folder_replaced_by_a_link: "it is a link",
    folder_replaced_by_a_dangling_link: "it is a link",
    folder_replaced_by_a_file: "it is a file",
}


@pytest.fixture
def small_compiler(tmp_path, monkeypatch):
    """Installs a compiler like `empty_compiler`, but with an output of eight bytes."""
    path = compiler(tmp_path, EMPTY_COMPILER.replace(': > "$2"', 'printf libraries | head -c 8 > "$2"'))
    monkeypatch.setenv("CC", str(path))
    return tmp_path / "calls"


@pytest.mark.parametrize("damage", in_ci_or_proof(DAMAGES, list(DAMAGES)[::4]), ids=lambda damage: damage.__name__)
def test_damaged_libraries_are_compiled_again(cache, small_compiler, damage, capfd):
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


def test_a_copied_cache_is_used(cache, small_compiler, capfd):
    folder = build.library_folder()
    for path in folder.iterdir():
        os.utime(str(path), (1, 1), follow_symlinks=False)
    small_compiler.unlink()
    assert build.library_folder() == folder
    assert not small_compiler.exists()
    assert capfd.readouterr().err == ""


def test_damaged_libraries_stay_if_compiling_fails(cache, small_compiler, tmp_path, monkeypatch):
    folder = build.library_folder()
    empty_library(folder)
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


def test_a_parent_folder_that_another_process_made_unsafe(cache, empty_compiler, monkeypatch):
    def make_folders(folder):
        folder.mkdir()
        os.chmod(str(folder), 0o777)

    monkeypatch.setattr(compiling, "_make_folders", make_folders)
    with pytest.raises(SimulatorNotBuiltError, match="can be written by others"):
        build.library_folder()
    assert not empty_compiler.exists()


def test_the_script_prints_only_the_path_whichever_streams_are_closed(tmp_path, monkeypatch, small_compiler):
    """If stderr is closed, the next opened file gets its number, 2. The path needn't be UTF-8."""
    tensorflow = tmp_path / "tensorflow"
    (tensorflow / "include" / "tensorflow" / "core" / "framework").mkdir(parents=True)
    (tensorflow / "include" / "tensorflow" / "core" / "framework" / "op_kernel.h").touch()
    (tensorflow / "libtensorflow_framework.so.2").write_bytes(b"symbols")
    monkeypatch.setenv("CXX", os.environ["CC"])
    monkeypatch.setenv("TF1MEM_SIM_CACHE", os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff"))
    for closed in ("2>&-", "2>&- <&-", ""):
        script = values_library.write_script(tmp_path, values=False)
        command = f"umask 0; sh {script} {tensorflow}/libtensorflow_framework.so.2 {closed}"
        done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=False)
        path_made = Path(os.fsdecode(done.stdout))
        assert (path_made.name, path_made.read_bytes()) == ("values.so", b"librarie")
        for path in (path_made.parent, path_made, path_made.with_name(manifest.NAME)):
            assert path.stat().st_mode & 0o022 == 0
        path_made.write_bytes(b"")  # so that the next run compiles it again


def test_another_process_may_remove_the_damaged_libraries_first(tmp_path, small_compiler, cache):
    folder, moved = build.library_folder(), tmp_path / "made"
    folder.rename(moved)
    compiling._move_into_cache(moved, folder, tmp_path / "aside")
    assert manifest.wrong_with(folder) == ""
    assert not (tmp_path / "aside").exists()


def test_only_the_build_of_a_killed_process_is_removed(cache, small_compiler, tmp_path, monkeypatch):
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
    # A compiler that was about to start holds the lock too, until it has died; before that it may write there.
    with open(str(building / ".held"), "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
    os.utime(str(building), (before, before))
    build.library_folder()  # the lock is free now, so this removes the unfinished build
    assert [name for name in os.listdir(str(cache)) if name.startswith(".")] == []


def test_a_temporary_folder_is_kept_while_its_process_lives(tmp_path):
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


def test_a_temporary_folder_that_cannot_be_locked_is_removed(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", full)
        with pytest.raises(OSError, match="No space left"):
            folders.temporary("x-", str(tmp_path)).__enter__()
    assert os.listdir(str(tmp_path)) == []


def test_a_folder_removed_in_part_keeps_its_lock_file(tmp_path, monkeypatch):
    """A folder keeps its lock file while something in it cannot be removed, as when a compiler still writes there."""
    left = tmp_path / "x-left"
    for path in (left / "below", left / "still"):
        path.mkdir(parents=True)
        (path / "file").touch()
    (left / ".held").touch()
    (left / "link").symlink_to(tmp_path)
    os.utime(str(left), (1, 1))
    rmtree = shutil.rmtree
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", lambda path, **_: "still" in path or rmtree(path, ignore_errors=True))  # type: ignore[func-returns-value]
        folders.sweep("x-", str(tmp_path))
    assert sorted(os.listdir(str(left))) == [".held", "still"]
    os.utime(str(left), (1, 1))
    folders.sweep("x-", str(tmp_path))
    assert os.listdir(str(tmp_path)) == []


def test_a_folder_without_a_lock_file_is_removed_only_if_empty_and_old(tmp_path):
    for name in ("x-new", "x-old", "x-full"):
        (tmp_path / name).mkdir()
    (tmp_path / "x-full" / "results").touch()
    for name in ("x-old", "x-full"):
        os.utime(str(tmp_path / name), (1, 1))
    folders.sweep("x-", str(tmp_path))
    assert sorted(os.listdir(str(tmp_path))) == ["x-full", "x-new"]
