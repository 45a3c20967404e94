"""Compiles the libraries of simulated GPUs, once per user, into a cache that nobody else can write to.

A folder's name in the cache is a hash of everything that its content depends on. So a new tf1mem or a new compiler
never loads an old library.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Callable, Iterable, Iterator, NamedTuple

from tf1mem.errors import SimulatorNotBuiltError
from tf1mem.gpusim import manifest
from tf1mem.machine import folders

# The longest wait for another process that compiles. Compiling takes far less, even on a loaded machine; but a process
# that stops waiting compiles, too, and loads the machine further.
_PATIENCE_S = 1200
_BUILDING = ".building-"
_OTHERS_WRITE = 0o022
ELSEWHERE = "Set TF1MEM_SIM_CACHE to a folder that can be written and run programs from."


class Language(NamedTuple):
    """A language to compile.

    Attributes:
        name: The language's name.
        variable: The environment variable that names a compiler for it, as in make.
        compilers: The names of compilers; the first that is installed is used.
        install: Instructions for installing a compiler.
    """

    name: str
    variable: str
    compilers: tuple[str, ...]
    install: str


C = Language(
    "C",
    "CC",
    ("cc", "gcc", "clang"),
    "Debian, Ubuntu: apt install gcc libc6-dev; Fedora: dnf install gcc; conda: conda install gcc",
)
CXX = Language(
    "C++",
    "CXX",
    ("c++", "g++", "clang++"),
    "Debian, Ubuntu: apt install g++; Fedora: dnf install gcc-c++; conda: conda install gxx",
)


def not_built(wrong: str, remedy: str) -> SimulatorNotBuiltError:
    """Returns the error that says why there can't be simulated GPUs here.

    Args:
        wrong: The reason, as the rest of a sentence: "simulated GPUs " + wrong.
        remedy: Sentences that say what to do.
    """
    return SimulatorNotBuiltError("simulated GPUs", wrong, remedy)


def compiler(language: Language) -> list[str]:
    """Returns the command of a compiler.

    Raises:
        SimulatorNotBuiltError: There is no compiler.
    """
    chosen = os.environ.get(language.variable, "").strip()
    for command in [shlex.split(chosen)] if chosen else [[name] for name in language.compilers]:
        path = shutil.which(command[0])
        if path:
            return [path, *command[1:]]
    missing = (
        f"{language.variable}={chosen} is not found"
        if chosen
        else "none of {} is found".format(", ".join(language.compilers))
    )
    raise not_built(
        f"need a {language.name} compiler, and {missing}",
        f"Install one ({language.install}), or set {language.variable} to one.",
    )


def key(command: list[str], about: Iterable[str], sources: Iterable[Path]) -> str:
    """Returns a hash of everything that the compiled libraries depend on, for their name in the cache.

    Programs are identified by their file's size and time, since `--version` would take a process at each use.

    Args:
        command: The compiler's command.
        about: Further texts that the libraries depend on.
        sources: Files whose content the libraries depend on.
    """
    digest = hashlib.sha256()
    for part in (*command, *identity(Path(command[0])), *about):
        digest.update(os.fsencode(part) + b"\0")
    for path in (Path(__file__), Path(str(manifest.__file__)), *sources):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


def identity(file: Path) -> tuple[str, ...]:
    """Returns the path, size and time of a large file, which identify it without reading it."""
    real = os.path.realpath(file)
    status = os.stat(real)
    return real, str(status.st_size), str(status.st_mtime_ns)


def cached(name: str, make: Callable[[Path], Path]) -> Path:
    """Returns a folder of the cache; creates it if it is missing or damaged.

    If several processes need it for the first time at once, one creates it, and the others wait for up to twenty
    minutes. On a file system without locks each creates it, and all use the first that is complete.

    Args:
        name: The folder's name, which identifies its content.
        make: A function that creates the content inside a folder, and returns the path of it there.

    Raises:
        SimulatorNotBuiltError: The cache can't be written, nothing can be loaded from it, or others could write to it.
    """
    folder = _cache_root() / name
    if not loadable_from(folder):
        raise not_built(
            f"can't be loaded from {folder}: LD_LIBRARY_PATH would read that name as another folder",
            "Set TF1MEM_SIM_CACHE to a folder without : and ; and $ in its path.",
        )
    _require_own(folder)
    folders.sweep(_BUILDING, str(folder.parent))
    if _wrong_with(folder):
        _make(folder, make)
        _require_own(folder)
    return folder


def loadable_from(folder: Path) -> bool:
    """Returns True if LD_LIBRARY_PATH can name a folder: ld.so splits it at : and ;, and expands some names after $."""
    return not re.search(r"[:;]|\$\{?(ORIGIN|LIB|PLATFORM)", str(folder))


def _wrong_with(folder: Path) -> str:
    """Returns what is wrong with a folder of the cache, or ""."""
    if folder.is_symlink():
        return "it is a link"  # others might be able to write to its target
    return manifest.wrong_with(folder) or next(filter(None, map(_open_to_others, sorted(folder.iterdir()))), "")


def _open_to_others(path: Path) -> str:
    if path.is_symlink():
        return f"{path.name} leads elsewhere" if os.sep in os.readlink(str(path)) else ""
    return f"{path.name} can be written by others" if path.stat().st_mode & _OTHERS_WRITE else ""


def run(command: list[str]) -> None:
    """Runs a compiler.

    Raises:
        SimulatorNotBuiltError: The compiler can't be run, or failed; the message has its output.
    """
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        raise not_built(
            f"need a compiler, and {command[0]} can't be run ({error})", "Set CC, or CXX for C++, to one that runs."
        ) from error
    if done.returncode:
        raise not_built(
            f"could not be compiled: {command[0]} ended with {done.returncode}",
            "If a header is missing, install the C library's (Debian, Ubuntu: apt install libc6-dev); if a disk "
            "is full, make room; or set CC, or CXX for C++, to another compiler. Its output:\n{}".format(
                done.stdout.decode(errors="replace").strip() or "nothing"
            ),
        )


@contextmanager
def seconds_shown() -> Iterator[None]:
    """Counts the seconds on stderr, if stderr is a terminal, in a line that is erased at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    ended, start = threading.Event(), time.monotonic()

    def show() -> None:
        while not ended.wait(1):
            print(f"\r  {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    shower = threading.Thread(target=show, daemon=True)
    shower.start()
    try:
        yield
    finally:
        ended.set()
        shower.join()


def _cache_root() -> Path:
    """Returns the cache's folder, with links resolved, since a link could be changed after the folders are checked."""
    chosen = os.path.expanduser(os.environ.get("TF1MEM_SIM_CACHE", ""))
    if chosen.startswith("~"):
        raise not_built(f"need a folder for compiled libraries, and {chosen} names no user's home", ELSEWHERE)
    if chosen:
        return Path(os.path.realpath(chosen))
    usual = folders.user_cache()
    if os.path.isabs(usual):
        root = Path(os.path.realpath(usual))
        if _writable_by_others(root) is None:
            return root
    return Path(os.path.realpath(os.path.join(tempfile.gettempdir(), f"tf1mem-{os.geteuid()}")))


def _require_own(folder: Path) -> None:
    """Refuses a folder into which somebody else could put a library, or which somebody else could replace."""
    unsafe = _writable_by_others(folder)
    if unsafe is not None:
        path, why = unsafe
        raise not_built(
            f"load libraries from {folder}, and {path} {why}: others could put libraries there",
            "Set TF1MEM_SIM_CACHE to a folder that nobody else can write to, or correct that folder's permissions",
        )


def _writable_by_others(folder: Path) -> tuple[Path, str] | None:
    """Returns the folder, or one above it, that somebody else can write to, with the reason, or None.

    Root counts as safe, since it can write everywhere. So does a sticky folder above, such as /tmp, where nobody can
    rename or remove another user's files.
    """
    user = os.geteuid()
    for path in (folder, *folder.parents):
        try:
            status = os.stat(str(path))
        except OSError:
            continue  # it doesn't exist yet
        if status.st_uid not in ((user,) if path == folder else (user, 0)):
            return path, f"belongs to another user ({status.st_uid})"
        if status.st_mode & _OTHERS_WRITE and not (path != folder and status.st_mode & stat.S_ISVTX):
            return path, "can be written by others"
    return None


def _make_folders(folder: Path) -> None:
    """Creates a folder like os.makedirs, but writable by nobody else, whatever the umask."""
    if not folder.is_dir():
        _make_folders(folder.parent)
        folder.mkdir(0o755, exist_ok=True)


def _make(folder: Path, make: Callable[[Path], Path]) -> None:
    """Creates a folder of the cache with its content, unless another process has done it."""
    try:
        _make_folders(folder.parent)
        _require_own(folder)  # another user may have created the folder above meanwhile
        opened = os.open(str(folder.parent), os.O_RDONLY)
    except OSError as error:
        raise _not_writable(folder.parent, error) from error
    try:
        with _locked(opened):
            if os.path.lexists(str(folder)):
                wrong = _wrong_with(folder)
                if not wrong:
                    return
                print(
                    f"tf1mem sim: {folder} has changed since it was made ({wrong}): compiling it again", file=sys.stderr
                )
            _make_alone(folder, make)
    finally:
        os.close(opened)


@contextmanager
def _locked(opened: int) -> Iterator[None]:
    """Locks an open folder; goes on without the lock if the file system has none, or another process holds it long."""
    import fcntl  # Windows lacks it, and is refused before

    held = _lock(opened)
    try:
        yield
    finally:
        if held:
            fcntl.flock(opened, fcntl.LOCK_UN)  # closing the folder isn't enough if another thread has forked


def _lock(opened: int) -> bool:
    """Locks an open folder, after a wait for other processes. Returns False if it goes on without the lock."""
    import fcntl

    start, printed = time.monotonic(), False
    while True:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            waited = time.monotonic() - start
        except OSError:
            return False
        if waited > _PATIENCE_S:  # the other process was stopped, or hangs
            return False
        if waited > 1 and not printed:
            printed = True
            print("tf1mem sim: waiting for another process that compiles", file=sys.stderr)
        time.sleep(0.05)


def _not_writable(folder: Path, error: OSError) -> SimulatorNotBuiltError:
    return not_built(f"need a folder for compiled libraries, and {folder} can't be written ({error})", ELSEWHERE)


def _make_alone(folder: Path, make: Callable[[Path], Path]) -> None:
    """Creates the content beside the folder of the cache, and then moves it there."""
    with ExitStack() as stack:
        try:
            building = stack.enter_context(folders.temporary(_BUILDING, str(folder.parent)))
        except OSError as error:
            raise _not_writable(folder.parent, error) from error
        if os.statvfs(str(building)).f_flag & os.ST_NOEXEC:
            raise not_built(f"can't be loaded from {folder.parent}, which is mounted noexec", ELSEWHERE)
        try:
            content = make(building)
            for path in content.iterdir():
                if not path.is_symlink():
                    path.chmod(0o755)
            manifest.write(content)
            _move_into_cache(content, folder, building / "before")
        except OSError as error:
            raise not_built(
                f"could not be written to {folder.parent} ({error})", "Make room there. " + ELSEWHERE
            ) from error


def _move_into_cache(content: Path, folder: Path, aside: Path) -> None:
    """Moves the content to its place in the cache, and a damaged folder there aside."""
    if _wrong_with(folder):
        with suppress(FileNotFoundError):  # without locks another process may have moved it
            os.rename(str(folder), str(aside))
    try:
        content.rename(folder)
    except OSError:
        if _wrong_with(folder):  # else another process was first: its libraries are the same
            raise
