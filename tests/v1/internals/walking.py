"""Walks the modules of `tensorflow.python` in the installed TensorFlow.

Modules have their names from TensorFlow 1, "python.ops.array_ops". So do those of Keras and the Estimator, wherever
they are today: "python.keras.layers.core", "python.estimator.estimator".
"""

from __future__ import annotations

import inspect
import types
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Iterable, Iterator

# Modules of C++ functions, whose arguments can't be read.
_WRAPPERS = ("_pywrap", "pywrap_tensorflow", "_tf_stack", "lib_")
# Programs and tests, which other files of TensorFlow don't use.
_BESIDE = (
    "kernel_tests",
    "benchmarks",
    "examples",
    "testdata",
    "tools",
    "generator",
    "api",
    "__main__",
    "flags_pybind",
)
# Names that `from __future__ import …` binds.
_FUTURE = ("absolute_import", "division", "print_function", "google_type_annotations", "unicode_literals")


def modules(roots: dict[str, str]) -> dict[str, Any]:
    """Returns every module that can be imported, by its name in TensorFlow 1.

    Args:
        roots: Package by its name in TensorFlow 1; the longest counts. "" for one that isn't installed.
    """
    by_name = {}
    for old, package in roots.items():
        for name, module in _below(package) if package else ():
            dotted = old + name[len(package) :]
            if not any((dotted + ".").startswith(other + ".") for other in roots if len(other) > len(old)):
                by_name[dotted] = module
    return by_name


def _below(package: str) -> Iterator[tuple[str, Any]]:
    waiting = [package]
    while waiting:
        name = waiting.pop()
        try:
            module = import_module(name)
        except BaseException:  # a script that runs when it is imported, or needs a package that isn't installed
            continue
        yield name, module
        for entry in iter_modules(getattr(module, "__path__", ())):
            if not (entry.name.endswith("_test") or entry.name in _BESIDE or entry.name.startswith(_WRAPPERS)):
                waiting.append(f"{name}.{entry.name}")


def names(module: Any, unlisted: Iterable[str]) -> dict[str, Any]:
    """Returns the public names of a module, without other modules.

    Args:
        module: The module.
        unlisted: Names that it may have without listing them.
    """
    values = {}
    for name in sorted({*dir(module), *unlisted}):
        if name.startswith("_") or name in _FUTURE or name.endswith("_eager_fallback"):
            continue
        try:
            value = getattr(module, name)
        except Exception:  # listed, but not there
            continue
        if not isinstance(value, types.ModuleType):
            values[name] = value
    return values


def kind(value: Any) -> str:
    """Returns the kind of a value: "class", "function", or a constant's type and value."""
    if inspect.isclass(value):
        return "class"
    if callable(value):
        return "function"
    plain = isinstance(value, (bool, int, float, str, tuple))
    return f"{type(value).__name__} {value!r}" if plain else type(value).__name__


def defined_in(value: Any, roots: dict[str, str]) -> str | None:
    """Returns TensorFlow 1's name of the module that defines a class or function; None for all other values."""
    home = getattr(value, "__module__", None) if callable(value) else None
    home = str(home).replace("tensorflow_core.", "tensorflow.")
    for old in sorted(roots, key=len, reverse=True):
        if roots[old] and (home + ".").startswith(roots[old] + "."):
            return old + home[len(roots[old]) :]
    return None


def parameters(value: Any) -> list[str] | None:
    """Returns the parameters of a function: "name", "name=" with a default, "*name", "**name"; None if unknown."""
    if not callable(value):
        return None
    try:
        of_signature = list(inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters.values())
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(parameter.kind, "") + parameter.name + ("" if parameter.default is parameter.empty else "=")  # type: ignore[call-overload]
        for parameter in of_signature[inspect.isclass(value) :]
    ]


def described(value: Any, roots: dict[str, str], ids: dict[int, int]) -> dict[str, Any]:
    """Returns a value's kind, home and parameters, for JSON."""
    return {
        "kind": kind(value),
        "home": defined_in(value, roots),
        "parameters": parameters(value),
        "id": ids.setdefault(id(value), len(ids)),
    }


def accepts(new: list[str] | None, old: list[str] | None) -> bool:
    """Returns True if a function accepts an older one's calls: required arguments by position, others by name.

    Args:
        new: The function's parameters.
        old: The older function's parameters.
    """
    if new is None or old is None:
        return new is old
    plain = [name for name in new if not name.startswith("*")]
    needed = [name for name in old if not name.startswith("*") and not name.endswith("=")]
    first = [name.rstrip("=") for name in plain[: len(needed)]]
    by_name = {name.rstrip("=") for name in old if not name.startswith("*")} <= {name.rstrip("=") for name in plain}
    takes_any = any(name.startswith("**") for name in new)
    return first == needed and (by_name or takes_any) and all(name.endswith("=") for name in plain[len(needed) :])
