"""The namespaces of tf.contrib: TensorFlow 1's own, or names that lead where TensorFlow or tf_slim still has them."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, Callable

from tf1mem.errors import MissingPackageError, RemovedSymbolError, Tf1memError
from tf1mem.machine.contrib import FILES, NAMESPACES, NOT_IN_SLIM, SLIM, SLIM_MISSING, TABLE, advice
from tf1mem.machine.tensorflow import installed_version
from tf1mem.machine.versions import NEWEST
from tf1mem.settings import takers
from tf1mem.v1._configs import with_config
from tf1mem.v1._estimators import run_config
from tf1mem.v1._namespace import ROOT, Factory, Layer, below, empty_module, import_or_none, located

# Namespace of contrib -> the parameter that is a config, and the functions that take it.
_CONFIGURED: dict[str, tuple[str, list[str]]] = {}
for _taker in (takers.SLIM, takers.CONTRIB_TRAINING):
    for _name in _taker.names:
        _root, _, _rest = _name.partition(".")
        _namespace, _, _leaf = _rest.rpartition(".")
        if _root == "contrib" and ".python." not in _name:
            _CONFIGURED.setdefault(_namespace, (_taker.keyword, []))[1].append(_leaf)


def layers(is_tf1: bool) -> dict[str, Layer]:
    """The namespaces of contrib.

    Args:
        is_tf1: Whether TensorFlow is TensorFlow 1 and has its own. Configs given there are applied too, for the report.
    """
    return _of_tensorflow_1() if is_tf1 else _of_tensorflow_2()


def _configured(namespace: str, base: Callable[[], Any]) -> Layer:
    parameter, names = _CONFIGURED[namespace]

    def factory(name: str) -> Factory:
        return lambda: with_config(getattr(base(), name), parameter)

    return Layer({name: factory(name) for name in names}, base=base)


def _of_tensorflow_1() -> dict[str, Layer]:
    def base(namespace: str) -> Callable[[], Any]:
        return lambda: attrgetter(namespace)(import_module("tensorflow.contrib"))

    def with_run_config(namespace: str) -> Layer:
        module = base(namespace)
        return Layer({"RunConfig": lambda: run_config(module().RunConfig, f"{ROOT}.contrib.{namespace}")}, base=module)

    found = {
        "contrib": Layer({}, base=lambda: import_module("tensorflow.contrib")),
        "contrib.learn": with_run_config("learn"),
        "contrib.slim": Layer({}, base=base("slim")),
        "contrib.tpu": with_run_config("tpu"),
    }
    found.update({"contrib." + namespace: _configured(namespace, base(namespace)) for namespace in _CONFIGURED})
    return found


def _of_tensorflow_2() -> dict[str, Layer]:
    found = {"contrib": Layer({}, base=empty_module("contrib"), missing=_missing)}

    def add(dotted: str) -> None:
        while dotted not in found:
            found[dotted] = Layer(_names(dotted), base=empty_module(dotted), missing=_missing)
            dotted = dotted.rpartition(".")[0]

    for namespace in NAMESPACES - {"slim"}:
        add("contrib." + namespace)
    for file, namespace in FILES.items():
        dotted = "contrib." + file
        found[dotted] = Layer({}, base=partial(import_module, f"{ROOT}.contrib.{namespace}"))
        add(dotted.rpartition(".")[0])
    found["contrib.slim"] = Layer({}, base=_slim, missing=_missing_in_slim, required=True)
    for submodule in ("learning", "evaluation"):
        found["contrib.slim." + submodule] = _configured("slim." + submodule, partial(_slim, submodule))
    return found


def _names(dotted: str) -> dict[str, Factory]:
    names = (path.rpartition(".") for path in TABLE)
    return {name: partial(_resolve, f"{above}.{name}") for above, _, name in names if "contrib." + above == dotted}


def _resolve(path: str) -> Any:
    """The object that a name of the table leads to; tf_slim's own where tf_slim is installed and has it."""
    namespace, _, name = path.rpartition(".")
    home = TABLE[path]
    if namespace in SLIM and home.startswith("tf1mem."):
        found = _in_slim(namespace, name)
        if found is not None:
            return found
    try:
        return _object_at(home)
    except (AttributeError, ModuleNotFoundError) as error:
        if isinstance(error, Tf1memError):
            raise
        package = home.split(".", 1)[0]
        if package == "tensorboard" and find_spec(package) is None:
            raise MissingPackageError(
                located("tf.contrib." + path),
                "it is part of tensorboard, which is not installed",
                "pip install tensorboard",
            ) from None
        raise _removed("contrib." + path, f"This TensorFlow no longer has {home} either") from None


def _object_at(home: str) -> Any:
    if home.split(".", 1)[0] not in ("tensorflow", "tensorboard", "tf1mem"):
        return attrgetter(home)(sys.modules[ROOT])
    module, _, leaf = home.rpartition(".")
    found = getattr(import_module(module), leaf, None)
    return import_module(home) if found is None else found


def _missing(dotted: str, name: str) -> Any:
    path = f"{dotted}.{name}"[len("contrib.") :]
    namespace = path.rpartition(".")[0]
    if path in TABLE:
        return _resolve(path)
    if namespace in SLIM and name not in NOT_IN_SLIM.get(namespace, ()):
        found = _in_slim(namespace, name)
        if found is not None:
            parameter, names = _CONFIGURED.get(namespace, ("", ()))
            return with_config(found, parameter) if name in names else found
        if not _slim_installed():
            raise _without_slim("contrib." + path)
    raise _removed("contrib." + path, advice(path, _release()))


def _missing_in_slim(dotted: str, name: str) -> Any:
    module = import_or_none("tf_slim." + name)
    if module is None:
        raise _removed(f"{dotted}.{name}", advice("layers." + name, _release()))
    return module


def _release() -> tuple[int, int]:
    """TensorFlow's; a build that doesn't tell its version counts as new."""
    version = installed_version()
    return NEWEST if version is None else (version.major, version.minor)


def _removed(dotted: str, remedy: str) -> RemovedSymbolError:
    return RemovedSymbolError(located("tf." + dotted), "TensorFlow 2 has no tf.contrib", remedy)


def _slim_installed() -> bool:
    return find_spec("tf_slim") is not None


def _without_slim(dotted: str) -> MissingPackageError:
    return MissingPackageError(
        located("tf." + dotted),
        "TensorFlow 2 has no tf.contrib; this part of it lives on in tf_slim, which is not installed",
        SLIM_MISSING,
    )


def _slim(submodule: str = "") -> Any:
    if not _slim_installed():
        raise _without_slim("contrib.slim")
    return import_module(below("tf_slim", submodule))


def _in_slim(namespace: str, name: str) -> Any:
    if not _slim_installed():
        return None
    for module in SLIM[namespace]:
        found = getattr(import_module(module), name, None)
        if found is None:
            found = import_or_none(f"{module}.{name}")
        if found is not None:
            return found
    return None
