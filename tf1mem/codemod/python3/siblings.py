"""Files beside a file of a package, and the name by which each is loaded: its package's, or a script's.

Python 2 looked beside a package's file for what the file imports by a plain name. A script has no package: it finds the
same files by `sys.path`, and what it imports so has no package either.
"""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from typing import NamedTuple

# How a file imports what lies beside it.
RELATIVE = "relative"  # as its package's
ABSOLUTE = "absolute"  # it is a script
EITHER = "either"  # it is loaded both ways

_MOST_BYTES = 1 << 20
_MOST_FILES = 2000
_SCRIPT = re.compile(rb"\A(?:\xef\xbb\xbf)?#!.*\bpython|__name__\s*==")
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*\(?|import[ \t]+)([^#;\n]*)", re.MULTILINE)


class _Sibling(NamedTuple):
    is_script: bool
    imports: frozenset[str]


def way(path: str) -> str:
    """Returns how a file imports what lies beside it: RELATIVE, ABSOLUTE or EITHER.

    Args:
        path: The file, in a folder with an `__init__.py`.
    """
    folder, name = os.path.split(path)
    files = _files(folder)
    own = name.rpartition(".")[0]
    this = files.get(own)
    if this is not None and this.is_script:
        is_imported = any(own in one.imports for other, one in files.items() if other != own)
        return EITHER if is_imported else ABSOLUTE
    reached, waiting = set(), [name for name, one in files.items() if one.is_script]
    while waiting:
        one = waiting.pop()
        if one not in reached and one in files:
            reached.add(one)
            waiting += files[one].imports
    return EITHER if own in reached else RELATIVE


@lru_cache(maxsize=64)
def _files(folder: str) -> dict[str, _Sibling]:
    """The modules of a folder. Read once: what is written meanwhile imports the same."""
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
    # Python starts __init__.py and __main__.py as their package's.
    is_script = name not in ("__init__.py", "__main__.py") and _SCRIPT.search(source) is not None
    imports: set[str] = set()
    for found in _IMPORT.finditer(source):
        owner, rest = (found[1] or b"").decode(), found[2].decode("utf-8", "replace")
        names = [one.split()[0].partition(".")[0] for one in rest.split(",") if one.strip()]
        if owner in ("", ".", package, "." + package):
            imports.update(names)
        parts = owner.lstrip(".").split(".")
        imports.add(parts[1] if parts[0] == package and len(parts) > 1 else parts[0])
    return _Sibling(is_script, frozenset(imports))
