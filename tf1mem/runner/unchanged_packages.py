"""Names the installed packages that a program may need to have rewritten, since they were written for TensorFlow 1.

`tf1mem run` leaves installed packages alone, so such a package gets TensorFlow 2, or Keras 3, and fails with an error
that shows neither; or it makes layers of Keras 3, which the program's Keras 2 takes and doesn't train.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Iterator

from tf1mem.runner.packages import FLAG
from tf1mem.runner.territory import TENSORFLOW, Territory

log = logging.getLogger("tf1mem")

# Import statements of a file: the whole first line, of which the top-level names count.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)[\w.]*[ \t]+import\b|import[ \t]+([A-Za-z_][\w., \t]*))", re.MULTILINE
)
_ROOTS = frozenset(("tensorflow", "keras"))
# Packages of TensorFlow 2 itself that a library may use.
_OF_TENSORFLOW_2 = ("tensorflow_", "tensorboard", "tf_")
_RUNNER = "tf1mem.runner."
# Errors that TensorFlow and Keras raise for what they no longer have or take.
_BY_TENSORFLOW = (AttributeError, ImportError, NotImplementedError, RuntimeError, TypeError, ValueError)


def remark(error: BaseException, territory: Territory) -> str:
    """Returns a remark for an error that an installed package written for TensorFlow 1 may have caused; "" for others.

    Args:
        error: The error that ends the program.
        territory: The program's own files.
    """
    packages = _packages_to_the_error(error, territory)
    names = [name for first in packages[:1] for name in _with_its_imports(first, territory)]
    if not packages or not names:
        return ""
    return f"tf1mem: the program stopped in an installed package, {packages[-1]}.\n  {_advice(names)}"


def follow_keras(territory: Territory, keras: ModuleType) -> None:
    """Warns if an installed package is the first to import Keras 3.

    Args:
        territory: The program's own files.
        keras: The package keras, just imported.
    """
    if str(getattr(keras, "__version__", "3")).startswith(("0.", "1.", "2.")):
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module, filename = _place(frame)
        top = module.partition(".")[0]
        is_ours = top == "tf1mem" and not module.startswith(_RUNNER)
        if is_ours or (os.path.isabs(filename) and territory.owns(module, filename)):  # importlib's files are frozen
            return
        if top not in TENSORFLOW and territory.is_installed(filename):
            log.warning(
                "%s, an installed package, imports Keras 3, whose layers aren't trained in models of Keras 2. %s",
                top,
                _advice(list(_with_its_imports(top, territory)) or [top]),
            )
            return
        frame = frame.f_back


def _advice(names: list[str]) -> str:
    flags = " ".join(f"{FLAG} {name}" for name in names)
    what = "it was" if len(names) == 1 else "these were"
    return f"tf1mem run leaves installed packages unchanged; if {what} written for TensorFlow 1 or Keras 2, add {flags}"


def _packages_to_the_error(error: BaseException, territory: Territory) -> list[str]:
    """Returns the installed packages on the way from the program's own file to an error; [] if they didn't cause it."""
    packages: list[str] = []
    is_below = False  # True once a package has called TensorFlow
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        module, filename = _place(trace.tb_frame)
        top = module.partition(".")[0]
        if top in TENSORFLOW or top == "tf1mem":
            is_below = True
        elif os.path.isabs(filename) and territory.owns(module, filename):
            packages, is_below = [], False
        elif territory.is_installed(filename) and _imports_of(top) & _ROOTS:
            packages, is_below = [*packages, top], False
        trace = trace.tb_next
    caused = isinstance(error, _BY_TENSORFLOW) if is_below else _is_missing_in_tensorflow(error)
    return packages if caused else []


def _place(frame: FrameType) -> tuple[str, str]:
    """Returns the module and the file of a frame."""
    return str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename


def _is_missing_in_tensorflow(error: BaseException) -> bool:
    """Returns True if TensorFlow or Keras lacks a module or a name, by the error's attributes."""
    if isinstance(error, ImportError):
        return (error.name or "").partition(".")[0] in TENSORFLOW
    if not isinstance(error, AttributeError):
        return False
    if sys.version_info < (3, 10):
        return True  # the error doesn't have the object
    return str(getattr(error.obj, "__name__", "")).partition(".")[0] in TENSORFLOW


def _with_its_imports(top: str, territory: Territory) -> Iterator[str]:
    """Yields a package that imports TensorFlow or Keras, and the installed ones that it imports and that do so, too."""
    names = [top]
    for name in names:
        imported = _imports_of(name)
        if imported & _ROOTS:
            yield name
            names += [other for other in sorted(imported) if other not in names and _may_be_old(other, territory)]


@functools.lru_cache(maxsize=None)  # a package has many frames on the way to an error
def _imports_of(top: str) -> frozenset[str]:
    """Returns the top-level names that the files of a package import."""
    return frozenset(module for file in _files(top) for module in _imported(file))


def _may_be_old(top: str, territory: Territory) -> bool:
    """Returns True for an installed package that isn't rewritten, and isn't one of TensorFlow 2."""
    if top in TENSORFLOW or top in territory.packages or top.startswith(_OF_TENSORFLOW_2):
        return False
    spec = PathFinder.find_spec(top)
    return spec is not None and spec.origin is not None and territory.is_installed(spec.origin)


def _files(top: str) -> Iterator[Path]:
    spec = PathFinder.find_spec(top)
    if spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        yield from Path(folder).rglob("*.py")
    if not spec.submodule_search_locations and spec.origin:
        yield Path(spec.origin)


def _imported(file: Path) -> Iterator[str]:
    """Yields the top-level names that a file imports."""
    try:
        source = file.read_bytes()
    except OSError:
        return
    for module, modules in _IMPORT.findall(source):
        for name in [module] if module else modules.split(b","):
            yield os.fsdecode(name.strip().partition(b" ")[0].partition(b".")[0])
