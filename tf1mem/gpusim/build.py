"""The simulator's libraries: those that the wheel for Linux x86-64 holds, else compiled from `sources/`, once per user.

TensorFlow looks every function up by name in libraries that it opens by soname, so what must be there is a folder with
a file for each soname. `library_folder` gives that folder: from the wheel, which wheels.py makes, or from the cache of
`compiling`.
"""

from __future__ import annotations

import os
import platform
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tf1mem.gpusim import compiling, libraries, manifest
from tf1mem.gpusim.libraries import LIBRARIES, SOURCES, Library

MACHINES = ("x86_64", "aarch64")
PREBUILT = Path(__file__).resolve().parent / "prebuilt"  # in the wheel for Linux x86-64, and nowhere else
COMPILE = ("-std=gnu11", "-O1", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall")
# -z nodelete: threads of the simulator may outlive a dlclose. $ORIGIN: the runtime finds the driver beside it.
LINK = ("-shared", "-pthread", "-Wl,-z,defs", "-Wl,-z,nodelete", "-Wl,-rpath,$ORIGIN")


def library_folder() -> Path:
    """The folder with the simulator's libraries, for the front of LD_LIBRARY_PATH.

    Where tf1mem came without them, the first use compiles them, which takes a few seconds. What isn't as it was made,
    as after a disk was full, is made anew, which a line on stderr says. Of processes that use it for the first time at
    once one compiles, and the others wait for it.

    Returns:
        A folder with a file for each soname that TensorFlow 1.14 to 2.22 opens. What is compiled is in
        `TF1MEM_SIM_CACHE` where that is set, else in `tf1mem` below XDG_CACHE_HOME or ~/.cache; for a user who has
        neither, or where others could write there, in a folder of the user's own below the one for temporary files.

    Raises:
        SimulatorNotBuiltError: This is not Linux on x86-64 or aarch64; or they have to be compiled, and there is no C
            compiler, it failed, or the cache can't be written, others could write to it, or LD_LIBRARY_PATH can't name
            it.
    """
    _require_platform()
    if PREBUILT.is_dir() and compiling.loadable_from(PREBUILT):
        wrong = manifest.wrong_with(PREBUILT)
        if not wrong:
            return PREBUILT
        remedy = "install tf1mem anew (pip install --force-reinstall --no-deps tf1mem)"
        print(f"tf1mem sim: {PREBUILT} isn't as it came ({wrong}): {remedy}; compiling another", file=sys.stderr)
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
    return compiling.key(compiler, [platform.machine()], (Path(__file__), Path(libraries.__file__), *sources))


class _Build:
    """One compilation of all libraries, in a folder of its own."""

    def __init__(self, compiler: list[str], folder: Path) -> None:
        self._compiler, self._folder, self._made = compiler, folder, folder / "libraries"

    def run(self) -> Path:
        """Compiles and links everything; returns the folder of the libraries."""
        self._made.mkdir(0o755)
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            started = {library.name: self._start_compiling(pool, library) for library in LIBRARIES}
            linking = []
            for library in LIBRARIES:
                objects = [future.result() for future in started[library.name]]
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
        compiling.run([*self._compiler, *COMPILE, *options, "-I", str(SOURCES), "-c", str(source), "-o", str(made)])
        return made

    def _link(self, library: Library, version: int, objects: list[Path]) -> None:
        sonames = [soname for soname, has in library.sonames.items() if has == version]
        source = SOURCES / library.name / "version.c"
        if source.exists():
            objects = [*objects, self._compile(source, sonames[0], f"-DSIM_VERSION={version}")]
        needs = [f"-L{self._made}", f"-l:{library.needs}"] if library.needs else []
        made = str(self._made / sonames[0])
        link = [*self._compiler, *LINK, "-Wl,-soname," + sonames[0], "-o", made]
        compiling.run([*link, *map(str, objects), *needs, "-ldl"])
        for soname in sonames[1:]:
            (self._made / soname).symlink_to(sonames[0])


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
