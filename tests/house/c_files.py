"""Computes which C and C++ file needs which: by includes, and by the symbols that the linker would look up."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tf1mem.gpusim.build import COMPILE
from tf1mem.gpusim.simulated_libraries import SOURCES

_INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.MULTILINE)


def c_graph(objects: Path) -> dict[str, set[str]]:
    """Returns the files that each file needs; a source and the header of its name beside it are one.

    A symbol of several libraries is that of the file's own library.

    Args:
        objects: An empty folder for object files.
    """
    paths = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".c", ".cc", ".h"))
    units = {path: path.relative_to(SOURCES).with_suffix("").as_posix() for path in paths}
    graph: dict[str, set[str]] = {unit: set() for unit in units.values()}
    for path in paths:
        for included in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            places = ((path.parent / included).resolve(), SOURCES / included)
            graph[units[path]] |= {units[place] for place in places if place in units}  # others are TensorFlow's
    defined: dict[str, set[str]] = {}
    undefined: dict[str, set[str]] = {}
    for path in (path for path in paths if path.suffix == ".c"):
        defined[units[path]], undefined[units[path]] = _symbols(path, objects / (units[path].replace("/", "-") + ".o"))
    for unit, names in undefined.items():
        for name in names:
            homes = {other for other, defined_names in defined.items() if name in defined_names}
            in_unit = {home for home in homes if home.split("/")[0] == unit.split("/")[0]}
            graph[unit] |= in_unit or homes
    return {unit: needed - {unit} for unit, needed in graph.items()}


def _symbols(source: Path, compiled: Path) -> tuple[set[str], set[str]]:
    """Returns the symbols that a C file defines for others, and those that it looks up."""
    compiler = os.environ.get("CC", "cc").split()
    files = ["-I", str(SOURCES), "-DSIM_VERSION=11", "-c", str(source), "-o", str(compiled)]
    subprocess.run([*compiler, *COMPILE, "-O0", *files], check=True)
    nm = ["nm", "--extern-only", str(compiled)]
    listed = subprocess.run(nm, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    rows = [line.split()[-2:] for line in listed.stdout.splitlines()]
    return {name for kind, name in rows if kind != "U"}, {name for kind, name in rows if kind == "U"}
