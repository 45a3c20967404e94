"""The simulator's libraries, compiled from `sources/` with the machine's own C compiler, once per user.

TensorFlow looks every function up by name in libraries that it opens by soname, so what must be there is a folder with
a file for each soname. `library_folder` gives that folder, and makes it where it isn't there yet. It lies in a per-user
cache, under a name made of everything that decides what is in it: the sources, the code that builds them, the compiler
and the platform. A new tf1mem or a new compiler so never meets an old library.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tf1mem.errors import SimulatorNotBuiltError
from tf1mem.gpusim import libraries
from tf1mem.gpusim.libraries import LIBRARIES, SOURCES, Library

MACHINES = ("x86_64", "aarch64")
COMPILERS = ("cc", "gcc", "clang")
COMPILE = ("-std=gnu11", "-O1", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall")
# -z nodelete: threads of the simulator may outlive a dlclose. $ORIGIN: the runtime finds the driver beside it.
LINK = ("-shared", "-pthread", "-Wl,-z,defs", "-Wl,-z,nodelete", "-Wl,-rpath,$ORIGIN")
ELSEWHERE = "Set TF1MEM_SIM_CACHE to a folder that can be written and run programs from."


def library_folder() -> Path:
    """The folder with the simulator's libraries, for the front of LD_LIBRARY_PATH.

    The first use compiles them, which takes a few seconds. Processes that use it for the first time at once each
    compile, and the first to end is what all get.

    Returns:
        A folder with a file for each soname that TensorFlow 1.14 to 2.22 opens. It is in `TF1MEM_SIM_CACHE` where that
        is set, else in `tf1mem` below XDG_CACHE_HOME or ~/.cache; for a user who has neither, or where others could
        write there, in a folder of the user's own below the one for temporary files.

    Raises:
        SimulatorNotBuiltError: This is not Linux on x86-64 or aarch64, there is no C compiler, it failed, or the cache
            can't be written, or others could write to it.
    """
    _require_platform()
    compiler = _compiler()
    folder = _cache_root() / f"gpusim-{_key(compiler)}"
    _require_own(folder)
    if not folder.is_dir():
        _build_into(folder, compiler)
        _require_own(folder)
    return folder


def _not_built(wrong: str, remedy: str) -> SimulatorNotBuiltError:
    return SimulatorNotBuiltError("simulated GPUs", wrong, remedy)


def _require_platform() -> None:
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        raise _not_built(
            f"are for Linux on x86-64 or aarch64, and this is {platform.system()} on {platform.machine()}",
            "Run on such a machine, or in a container of one.",
        )


def _compiler() -> list[str]:
    """The command of the C compiler: CC where it is set, as make has it."""
    chosen = os.environ.get("CC", "").strip()
    for command in [shlex.split(chosen)] if chosen else [[name] for name in COMPILERS]:
        path = shutil.which(command[0])
        if path:
            return [path, *command[1:]]
    missing = f"CC={chosen} is not found" if chosen else "none of {} is found".format(", ".join(COMPILERS))
    raise _not_built(
        "need a C compiler, and " + missing,
        "Install one (Debian, Ubuntu: apt install gcc libc6-dev; Fedora: dnf install gcc; conda: conda install gcc), "
        "or set CC to one.",
    )


def _cache_root() -> Path:
    """Without links: where a link leads could be changed after the folders were looked at."""
    chosen = os.path.expanduser(os.environ.get("TF1MEM_SIM_CACHE", ""))
    if chosen.startswith("~"):
        raise _not_built(f"need a folder for compiled libraries, and {chosen} is nobody's home", ELSEWHERE)
    if chosen:
        return Path(os.path.realpath(chosen))
    # The XDG Base Directory Specification: a relative path is to be ignored.
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    usual = xdg if os.path.isabs(xdg) else os.path.expanduser("~/.cache")
    if os.path.isabs(usual):  # else there is neither HOME nor an entry in the password database
        root = Path(os.path.realpath(usual)) / "tf1mem"
        if _writable_by_others(root) is None:
            return root
    return Path(os.path.realpath(tempfile.gettempdir())) / f"tf1mem-{os.geteuid()}"


def _require_own(folder: Path) -> None:
    """Refuses a folder into which somebody else could put a library, or which somebody else could replace."""
    found = _writable_by_others(folder)
    if found is not None:
        path, why = found
        raise _not_built(
            f"load libraries from {folder}, and {path} {why}: they could put theirs there",
            "Set TF1MEM_SIM_CACHE to a folder that nobody else can write to, or mend that one's permissions",
        )


def _writable_by_others(folder: Path) -> tuple[Path, str] | None:
    """The folder, or the one above it, that somebody else can write to, and how; None where there is none.

    Root can write everywhere. In a sticky folder, such as /tmp, nobody can rename or remove what is another's.
    """
    user = os.geteuid()
    for path in (folder, *folder.parents):
        try:
            status = os.stat(str(path))
        except OSError:
            continue  # not there yet
        if status.st_uid not in ((user,) if path == folder else (user, 0)):
            return path, f"belongs to another user ({status.st_uid})"
        if status.st_mode & 0o022 and not (path != folder and status.st_mode & stat.S_ISVTX):
            return path, "can be written by others"
    return None


def _make_folders(folder: Path) -> None:
    """As os.makedirs, but writable by nobody else, whatever the umask."""
    if not folder.is_dir():
        _make_folders(folder.parent)
        folder.mkdir(0o755, exist_ok=True)


def _key(compiler: list[str]) -> str:
    """Changes with all that decides what the libraries are.

    The compiler is known by its file rather than by what `--version` says, which would take a process at each use.
    """
    program = os.path.realpath(compiler[0])
    status = os.stat(program)
    digest = hashlib.sha256()
    for part in (*compiler, program, str(status.st_size), str(status.st_mtime_ns), platform.machine()):
        digest.update(part.encode() + b"\0")
    sources = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".c", ".h", ".txt"))
    for path in (Path(__file__), Path(libraries.__file__), *sources):
        digest.update(str(path.name).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


def _build_into(folder: Path, compiler: list[str]) -> None:
    try:
        _make_folders(folder.parent)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=str(folder.parent)))
    except OSError as error:
        raise _not_built(
            f"need a folder for compiled libraries, and {folder.parent} can't be written ({error})", ELSEWHERE
        ) from error
    try:
        if os.statvfs(str(building)).f_flag & os.ST_NOEXEC:
            raise _not_built(f"can't be loaded from {folder.parent}, which is mounted noexec", ELSEWHERE)
        try:
            made = _Build(compiler, building).run()
        except OSError as error:
            raise _not_built(
                f"could not be written to {folder.parent} ({error})", "Make room there. " + ELSEWHERE
            ) from error
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was first: its libraries are the same
                raise
    finally:
        shutil.rmtree(str(building), ignore_errors=True)


class _Build:
    """One compilation of all libraries, in a folder of its own."""

    def __init__(self, compiler: list[str], folder: Path) -> None:
        self._compiler, self._folder, self._made = compiler, folder, folder / "libraries"

    def run(self) -> Path:
        """Compiles and links everything; returns the folder of the libraries."""
        self._made.mkdir(0o755)
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            compiling = {library.name: self._start_compiling(pool, library) for library in LIBRARIES}
            linking = []
            for library in LIBRARIES:
                objects = [future.result() for future in compiling[library.name]]
                links = [
                    pool.submit(self._link, library, version, objects)
                    for version in sorted(set(library.sonames.values()))
                ]
                if not library.needs:  # the driver, which the others are linked with
                    for link in links:
                        link.result()
                linking += links
            for link in linking:
                link.result()
        return self._made

    def _start_compiling(self, pool: ThreadPoolExecutor, library: Library) -> list[Future[Path]]:
        listed = self._folder / (library.name + "_listed.c")
        listed.write_text(_listed_functions(library), encoding="utf-8")
        sources = [listed]
        for folder in filter(None, (library.name, library.shares)):
            files = (path for path in (SOURCES / folder).rglob("*.c") if path.name != "version.c")
            sources += sorted(files, key=lambda path: path.name)  # moving a file to another folder links the same
        return [pool.submit(self._compile, source, library.name) for source in sources]

    def _compile(self, source: Path, name: str, *options: str) -> Path:
        made = self._folder / f"{name}-{source.parent.name}-{source.stem}.o"
        _run([*self._compiler, *COMPILE, *options, "-I", str(SOURCES), "-c", str(source), "-o", str(made)])
        return made

    def _link(self, library: Library, version: int, objects: list[Path]) -> None:
        sonames = [soname for soname, has in library.sonames.items() if has == version]
        source = SOURCES / library.name / "version.c"
        if source.exists():
            objects = [*objects, self._compile(source, sonames[0], f"-DSIM_VERSION={version}")]
        needs = [f"-L{self._made}", f"-l:{library.needs}"] if library.needs else []
        made = str(self._made / sonames[0])
        _run([*self._compiler, *LINK, "-Wl,-soname," + sonames[0], "-o", made, *map(str, objects), *needs, "-ldl"])
        os.chmod(made, 0o755)
        for soname in sonames[1:]:
            (self._made / soname).symlink_to(sonames[0])


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        raise _not_built(
            f"need a C compiler, and {command[0]} can't be run ({error})", "Set CC to one that can."
        ) from error
    if done.returncode:
        raise _not_built(
            f"could not be compiled: {command[0]} ended with {done.returncode}",
            "Where a header is missing, install the C library's (Debian, Ubuntu: apt install libc6-dev); or set CC to "
            "another compiler. It said:\n{}".format(done.stdout.decode(errors="replace").strip() or "nothing"),
        )


def _listed_functions(library: Library) -> str:
    """C for every name in the library's list: those with a mark do as it says, the others tell the trace of themselves.

    All are weak, so that the function of that name in the library's sources, where there is one, takes its place.
    """
    lines = ['#include "driver/core/unsupported.h"']
    if library.header:
        lines.append(f'#include "{library.header}"')
    lines += [
        "#define LISTED(name, arguments) __attribute__((weak)) DRIVER_API int name arguments; int name arguments",
        "#define UNSUPPORTED(name) LISTED(name, (void)) { static int told; "
        f'sim_unsupported(&told, "{library.name}", #name); return {library.not_supported}; }}',
    ]
    for mark, result in library.marks:
        lines.append(f"#define {mark.upper()}(name) LISTED(name, (void *first)) {{ return {result}; }}")
    for line in (SOURCES / "symbols" / library.symbols).read_text(encoding="utf-8").splitlines():
        name, _, mark = line.partition(" ")
        lines.append("{}({})".format(mark.upper() or "UNSUPPORTED", name))
    return "\n".join([*lines, ""])
