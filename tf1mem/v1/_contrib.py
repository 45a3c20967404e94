"""The namespaces of tf.contrib: TensorFlow's own on TensorFlow 1; modules that tf1mem makes on TensorFlow 2.

A name in such a module resolves to an object of TensorFlow 2, or to one of tf1mem in the files below `contrib/`.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any, Callable

from tf1mem.errors import RemovedSymbolError, Tf1memError
from tf1mem.hooks.wrappers import put
from tf1mem.machine.modules import dotted_name
from tf1mem.machine.tensorflow import installed_version
from tf1mem.machine.versions import NEWEST
from tf1mem.names import internals, used_names
from tf1mem.names.contrib import FILES, FOLDERS, MODULES, NAMESPACES, TABLE, advice, shortened
from tf1mem.settings import takers
from tf1mem.v1._configs import with_config
from tf1mem.v1._estimators import run_config
from tf1mem.v1._namespace import ROOT, Factory, Files, Layer, empty_module, import_or_none, is_on_path, located

# Namespace of contrib -> the parameter that is a config, and the functions that take it.
_CONFIGURED: dict[str, tuple[str, list[str]]] = {}
for _taker in (takers.SLIM, takers.CONTRIB_TRAINING):
    for _name in _taker.names:
        _root, _, _path = _name.partition(".")
        _namespace, _, _leaf = _path.rpartition(".")
        if _root == "contrib" and ".python." not in _name:
            _CONFIGURED.setdefault(_namespace, (_taker.keyword, []))[1].append(_leaf)


def layers(is_tf1: bool) -> dict[str, Layer]:
    """Returns a `_namespace.Layer` for each of contrib's namespaces, by dotted name.

    Args:
        is_tf1: True on TensorFlow 1, which has contrib; there, configs passed to contrib's functions are applied.
    """
    return _layers_on_tf1() if is_tf1 else _layers_on_tf2()


def _configured(namespace: str, base: Callable[[], Any]) -> Layer:
    """Returns a layer over a namespace of contrib, in which functions that take a config also apply it."""
    parameter, names = _CONFIGURED[namespace]

    def factory(name: str) -> Factory:
        return lambda: with_config(getattr(base(), name), parameter)

    return Layer({name: factory(name) for name in names}, base=base)


def _layers_on_tf1() -> dict[str, Layer]:
    def base(namespace: str) -> Callable[[], Any]:
        return lambda: attrgetter(namespace)(import_module("tensorflow.contrib"))

    def with_run_config(namespace: str) -> Layer:
        module = base(namespace)
        return Layer({"RunConfig": lambda: run_config(module().RunConfig, f"{ROOT}.contrib.{namespace}")}, base=module)

    overlays = {
        "contrib": Layer({}, base=lambda: import_module("tensorflow.contrib")),
        "contrib.learn": with_run_config("learn"),
        "contrib.slim": Layer({}, base=base("slim")),
        "contrib.tpu": with_run_config("tpu"),
    }
    overlays.update({"contrib." + namespace: _configured(namespace, base(namespace)) for namespace in _CONFIGURED})
    return overlays


def _layers_on_tf2() -> dict[str, Layer]:
    names = _names()
    overlays = {"contrib": Layer(names.get("", {}), base=empty_module("contrib"), missing=_missing)}
    for namespace in NAMESPACES:
        dotted = "contrib." + namespace
        while dotted not in overlays:
            below = names.get(dotted[len("contrib.") :], {})
            overlays[dotted] = Layer(below, base=empty_module(dotted), missing=_missing)
            dotted = dotted.rpartition(".")[0]
    for namespace in [*NAMESPACES]:
        dotted = f"contrib.{namespace}.python"
        overlays[dotted] = Layer({}, base=empty_module(dotted), missing=_missing_in_python)
    for folder, leaves in FOLDERS.items():
        namespace = f"{ROOT}.contrib.{shortened(folder)}"
        overlays["contrib." + folder] = Layer(
            {leaf: partial(import_module, f"{namespace}.{leaf}") for leaf in leaves},
            base=partial(import_module, namespace),
        )
    return overlays


def leave_unconverted() -> None:
    """Excludes tf1mem from AutoGraph's conversion. TensorFlow 1's contrib, as part of TensorFlow, was excluded, too."""
    config: Any = import_or_none("tensorflow.python.autograph.core.config")
    if hasattr(config, "CONVERSION_RULES") and hasattr(config, "DoNotConvert"):
        put(config, "CONVERSION_RULES", (*config.CONVERSION_RULES, config.DoNotConvert("tf1mem")))


def files() -> Files:
    """Returns tf1mem's folder `contrib/` as a namespace, for a TensorFlow without contrib."""
    return Files("contrib", lambda path: dotted_name("contrib", shortened(path)))


def _names() -> dict[str, dict[str, Factory]]:
    """Returns the functions for the names of each namespace below contrib: those of the table, and its files."""
    names: dict[str, dict[str, Factory]] = {}
    for path in {*TABLE, *MODULES, *FILES}:
        above, _, name = path.rpartition(".")
        file = partial(import_module, dotted_name(ROOT, "contrib", path))
        names.setdefault(above, {})[name] = partial(_resolve, path) if path in TABLE else file
    return names


def _resolve(path: str) -> Any:
    """Returns the object that `TABLE` gives for a path below contrib, such as "layers.conv2d"."""
    home = TABLE[path]
    try:
        with used_names.ignore_lookups():
            return _object_at(home)
    except (AttributeError, ModuleNotFoundError) as error:
        if isinstance(error, Tf1memError) or (isinstance(error, ModuleNotFoundError) and not is_on_path(error, home)):
            raise
        raise _removed("contrib." + path, f"This TensorFlow no longer has {home} either") from None


def _object_at(home: str) -> Any:
    """Returns the object with a dotted name: in TensorFlow 1's API, or in a package if it begins with one's name."""
    if home.split(".", 1)[0] not in ("tensorflow", "tf1mem"):
        return attrgetter(home)(sys.modules[ROOT])
    file = home[len("tensorflow.") :]
    if internals.is_file(file):  # a file, whose overlay has the names that TensorFlow 1 had there
        return import_module(dotted_name(ROOT, file))
    module, _, leaf = home.rpartition(".")
    value = getattr(import_module(module), leaf, None)
    return import_module(home) if value is None else value


def _missing(dotted: str, name: str) -> Any:
    """Returns an object of contrib that no layer has: one from `TABLE`, or a module.

    Raises:
        RemovedSymbolError: tf1mem doesn't supply the name.
    """
    path = f"{dotted}.{name}"[len("contrib.") :]
    if path in TABLE:
        return _resolve(path)
    if path in MODULES or path in FILES:
        return import_module(dotted_name(ROOT, "contrib", path))
    raise _removed("contrib." + path, advice(path, _release()))


def _missing_in_python(dotted: str, name: str) -> Any:
    """Returns what `_missing` returns, for a namespace such as "contrib.layers.python", whose modules come first."""
    module = import_or_none(f"{ROOT}.{dotted}.{name}")
    return _missing(dotted, name) if module is None else module


def _release() -> tuple[int, int]:
    """Returns TensorFlow's (major, minor); a build without a version counts as the newest."""
    version = installed_version()
    return NEWEST if version is None else (version.major, version.minor)


def _removed(dotted: str, remedy: str) -> RemovedSymbolError:
    return RemovedSymbolError(located("tf." + dotted), "TensorFlow 2 has no tf.contrib", remedy)
