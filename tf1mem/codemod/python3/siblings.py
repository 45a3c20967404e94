"""Decides how a file of a package is loaded, as a part of its package or as a script, from the files beside it.

In a package's file, Python 2 looked for an imported module beside the file first. A script has no package: it finds the
same files by `sys.path`, and the modules that it imports that way have no package either.
"""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from typing import NamedTuple

# The ways in which a file imports the modules beside it.
RELATIVE = "relative"  # as part of its package
ABSOLUTE = "absolute"  # as a script
EITHER = "either"  # the file is loaded both ways

_MOST_BYTES = 1 << 20
_MOST_FILES = 2000
_SCRIPT = re.compile(rb"\A(?:\xef\xbb\xbf)?#!.*\bpython|__name__\s*==")
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*\(?|import[ \t]+)([^#;\n]*)", re.MULTILINE)


class _Sibling(NamedTuple):
    is_script: bool
    imports: frozenset[str]


def way(path: str) -> str:
    """Returns the way in which a file imports the modules beside it: RELATIVE, ABSOLUTE or EITHER.

    Args:
        path: Path of the file, in a folder with an `__init__.py`.
    """
    folder, name = os.path.split(path)
    files = _files(folder)
    own = name.rpartition(".")[0]
    this = files.get(own)
    if this is not None and this.is_script:
        is_imported = any(own in sibling.imports for other, sibling in files.items() if other != own)
        return EITHER if is_imported else ABSOLUTE
    reached, waiting = set(), [name for name, sibling in files.items() if sibling.is_script]
    while waiting:
        module = waiting.pop()
        if module not in reached and module in files:
            reached.add(module)
            waiting += files[module].imports
    return EITHER if own in reached else RELATIVE


@lru_cache(maxsize=64)
def _files(folder: str) -> dict[str, _Sibling]:
    """Returns the modules of a folder. They are read once: translations don't change what they import."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return {}
    files = {}
    for name in names[:_MOST_FILES]:
        try:
            info = os.stat(os.path.join(folder, name))
            if stat.S_ISREG(info.st_mode) and info.st_size <= _MOST_BYTES:
                with open(os.path.join(folder, name), "rb") as file:
                    files[name[:-3]] = _read(file.read(_MOST_BYTES), name, os.path.basename(folder))
        except OSError:
            continue
    return files


def _read(source: bytes, name: str, package: str) -> _Sibling:
    """Returns a file's entry: True for a script, and the names of its folder's modules that it may import."""
    # Python starts __init__.py and __main__.py as parts of their package.
    is_script = name not in ("__init__.py", "__main__.py") and _SCRIPT.search(source) is not None
    imports: set[str] = set()
    for match in _IMPORT.finditer(source):
        owner, listed = (match[1] or b"").decode(), match[2].decode("utf-8", "replace")
        names = [item.split()[0].partition(".")[0] for item in listed.split(",") if item.strip()]
        if owner in ("", ".", package, "." + package):
            imports.update(names)
        parts = owner.lstrip(".").split(".")
        imports.add(parts[1] if parts[0] == package and len(parts) > 1 else parts[0])
    return _Sibling(is_script, frozenset(imports))
