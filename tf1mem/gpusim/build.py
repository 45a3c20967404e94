"""Provides the simulator's libraries: from the wheel for Linux x86-64, or compiled from `sources/` once per user.

TensorFlow opens libraries by soname and looks up every function in them by name, so the simulator needs a folder with a
file for each soname. `library_folder` returns that folder: from the wheel, which wheels.py builds, or from the cache of
`compiling`.
"""

from __future__ import annotations

import os
import platform
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tf1mem.gpusim import compiling, manifest, simulated_libraries
from tf1mem.gpusim.simulated_libraries import LIBRARIES, SOURCES, Library

MACHINES = ("x86_64", "aarch64")
PREBUILT = Path(__file__).resolve().parent / "prebuilt"  # only in the wheel for Linux x86-64
COMPILE = ("-std=gnu11", "-O1", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall")
# -z nodelete: threads of the simulator may outlive a dlclose. $ORIGIN: the runtime finds the driver in its own folder.
LINK = ("-shared", "-pthread", "-Wl,-z,defs", "-Wl,-z,nodelete", "-Wl,-rpath,$ORIGIN")


def library_folder() -> Path:
    """Returns the folder with the simulator's libraries, for the front of LD_LIBRARY_PATH.

    If tf1mem was installed without them, the first use compiles them, which takes a few seconds. Damaged libraries, as
    after a full disk, are compiled again, with a line on stderr. If several processes need them for the first time at
    once, one compiles, and the others wait for it.

    Returns:
        A folder with a file for each soname that TensorFlow 1.14 to 2.22 opens. Compiled libraries are in
        `TF1MEM_SIM_CACHE` if that is set, else in `tf1mem` below XDG_CACHE_HOME or ~/.cache. For a user who has
        neither, or if others could write there, they are in the user's own folder below the one for temporary files.

    Raises:
        SimulatorNotBuiltError: This isn't Linux on x86-64 or aarch64. Or the libraries have to be compiled, and there
            is no C compiler, it failed, the cache can't be written, others could write to it, or LD_LIBRARY_PATH
            can't name it.
    """
    _require_platform()
    if PREBUILT.is_dir() and compiling.loadable_from(PREBUILT):
        wrong = manifest.wrong_with(PREBUILT)
        if not wrong:
            return PREBUILT
        remedy = "reinstall tf1mem (pip install --force-reinstall --no-deps tf1mem)"
        print(f"tf1mem sim: {PREBUILT} has changed ({wrong}): {remedy}; compiling other libraries", file=sys.stderr)
    compiler = compiling.compiler(compiling.C)
    return compiling.cached(f"gpusim-{_key(compiler)}", lambda folder: _Build(compiler, folder).run())


def _require_platform() -> None:
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        raise compiling.not_built(
            f"are for Linux on x86-64 or aarch64, and this is {platform.system()} on {platform.machine()}",
            "Run on such a machine, or in a container of one.",
        )


def _key(compiler: list[str]) -> str:
    sources = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".c", ".h", ".txt"))
    return compiling.key(compiler, [platform.machine()], (Path(__file__), Path(simulated_libraries.__file__), *sources))


class _Build:
    """One compilation of all libraries, in a separate folder."""

    def __init__(self, compiler: list[str], folder: Path) -> None:
        self._compiler, self._folder, self._libraries = compiler, folder, folder / "libraries"

    def run(self) -> Path:
        """Compiles and links all libraries; returns their folder."""
        self._libraries.mkdir(0o755)
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            started = {library.name: self._start_compiling(pool, library) for library in LIBRARIES}
            linking = []
            for library in LIBRARIES:
                objects = [future.result() for future in started[library.name]]
                links = [
                    pool.submit(self._link, library, version, objects)
                    for version in sorted(set(library.sonames.values()))
                ]
                if not library.needs:  # the driver: the other libraries are linked with it
                    for link in links:
                        link.result()
                linking += links
            for link in linking:
                link.result()
        return self._libraries

    def _start_compiling(self, pool: ThreadPoolExecutor, library: Library) -> list[Future[Path]]:
        listed = self._folder / (library.name + "_listed.c")
        listed.write_text(_listed_functions(library), encoding="utf-8")
        sources = [listed]
        for folder in filter(None, (library.name, library.shares)):
            files = (path for path in (SOURCES / folder).rglob("*.c") if path.name != "version.c")
            sources += sorted(files, key=lambda path: path.name)  # a file's folder doesn't change the library
        return [pool.submit(self._compile, source, library.name) for source in sources]

    def _compile(self, source: Path, name: str, *options: str) -> Path:
        object_file = self._folder / f"{name}-{source.parent.name}-{source.stem}.o"
        files = ["-I", str(SOURCES), "-c", str(source), "-o", str(object_file)]
        compiling.run([*self._compiler, *COMPILE, *options, *files])
        return object_file

    def _link(self, library: Library, version: int, objects: list[Path]) -> None:
        sonames = [soname for soname, number in library.sonames.items() if number == version]
        source = SOURCES / library.name / "version.c"
        if source.exists():
            objects = [*objects, self._compile(source, sonames[0], f"-DSIM_VERSION={version}")]
        needs = [f"-L{self._libraries}", f"-l:{library.needs}"] if library.needs else []
        target = str(self._libraries / sonames[0])
        link = [*self._compiler, *LINK, "-Wl,-soname," + sonames[0], "-o", target]
        compiling.run([*link, *map(str, objects), *needs, "-ldl"])
        for soname in sonames[1:]:
            (self._libraries / soname).symlink_to(sonames[0])


def _listed_functions(library: Library) -> str:
    """Returns C source with a function for every name in the library's list, a file of `sources/symbols/`.

    A name may have a mark after it, such as "create": its function returns the mark's result (`Library.marks`). A
    function without a mark reports itself as unsupported in the trace. All are weak symbols, so that a function of the
    same name in the library's sources replaces them.
    """
    # The functions of the driver's list take no arguments, unlike their declarations.
    lines = ["#define WITHOUT_DECLARATIONS"] if library.name == "driver" else []
    lines.append('#include "driver/core/unsupported.h"')
    if library.header:
        lines.append(f'#include "{library.header}"')
    lines += [
        "#define LISTED(name, arguments) __attribute__((weak)) DRIVER_API int name arguments; int name arguments",
        "#define UNSUPPORTED(name) LISTED(name, (void)) { static int reported; "
        f'sim_unsupported(&reported, "{library.name}", #name); return {library.not_supported}; }}',
    ]
    for mark, result in library.marks:
        lines.append(f"#define {mark.upper()}(name) LISTED(name, (void *first)) {{ return {result}; }}")
    for line in (SOURCES / "symbols" / library.symbols).read_text(encoding="utf-8").splitlines():
        name, _, mark = line.partition(" ")
        lines.append("{}({})".format(mark.upper() or "UNSUPPORTED", name))
    return "\n".join([*lines, ""])
