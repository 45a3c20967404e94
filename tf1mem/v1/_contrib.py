"""tf.contrib where TensorFlow has none: names lead where TensorFlow or tf_slim still has them."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Callable

from tf1mem.errors import MissingPackageError, RemovedSymbolError, Tf1memError
from tf1mem.v1._configs import with_config
from tf1mem.v1._contrib_names import FILES, NAMESPACES, NOT_IN_SLIM, SLIM, TABLE, advice
from tf1mem.v1._namespace import ROOT, Layer, import_or_none
from tf1mem.v1._where import asked


def layers() -> dict[str, Layer]:
    """The namespaces of contrib, for a TensorFlow that has none."""
    found = {"contrib": Layer({}, base=_nothing("contrib"), missing=_missing)}
    for namespace in NAMESPACES - {"slim"}:
        dotted = "contrib." + namespace
        while dotted != "contrib":
            found.setdefault(dotted, Layer(_names(dotted), base=_nothing(dotted), missing=_missing))
            dotted = dotted.rpartition(".")[0]
    for files, namespace in FILES.items():
        dotted = "contrib." + files
        found[dotted] = Layer({}, base=_overlay("contrib." + namespace))
        dotted = dotted.rpartition(".")[0]
        while dotted not in found:
            found[dotted] = Layer({}, base=_nothing(dotted), missing=_missing)
            dotted = dotted.rpartition(".")[0]
    found["contrib.slim"] = Layer({}, base=_slim, missing=_missing_in_slim, required=True)
    found["contrib.slim.learning"] = Layer(
        {"train": lambda: with_config(_slim("learning").train, "session_config")}, base=lambda: _slim("learning")
    )
    found["contrib.slim.evaluation"] = Layer(
        {
            "evaluate_once": lambda: with_config(_slim("evaluation").evaluate_once, "session_config"),
            "evaluation_loop": lambda: with_config(_slim("evaluation").evaluation_loop, "session_config"),
        },
        base=lambda: _slim("evaluation"),
    )
    return found


def _overlay(dotted: str) -> Callable[[], Any]:
    return lambda: import_module(f"{ROOT}.{dotted}")


def _nothing(dotted: str) -> Callable[[], Any]:
    empty = ModuleType(f"{ROOT}.{dotted}")

    def base() -> Any:
        return empty

    return base


def _names(dotted: str) -> dict[str, Callable[[], Any]]:
    namespace = dotted[len("contrib.") :]

    def leading(name: str) -> Callable[[], Any]:
        return lambda: _resolve(dotted, name)

    return {
        name.rpartition(".")[2]: leading(name.rpartition(".")[2])
        for name in TABLE
        if name.rpartition(".")[0] == namespace
    }


def _resolve(dotted: str, name: str) -> Any:
    """The object that a name of the table leads to; tf_slim's own where tf_slim is installed and has it."""
    path = f"{dotted}.{name}"[len("contrib.") :]
    namespace = path.rpartition(".")[0]
    home = TABLE[path]
    if namespace in SLIM and home.startswith("tf1mem.v1._"):
        found = _in_slim(namespace, name)
        if found is not None:
            return found
    value: Any
    try:
        if home.split(".", 1)[0] in ("tensorflow", "tensorboard", "tf1mem"):
            module, _, leaf = home.rpartition(".")
            value = getattr(import_module(module), leaf, None)
            if value is None:
                value = import_module(home)
        else:
            value = sys.modules[ROOT]
            for part in home.split("."):
                value = getattr(value, part)
    except (AttributeError, ModuleNotFoundError) as error:
        if isinstance(error, Tf1memError):
            raise
        package = home.split(".", 1)[0]
        if package == "tensorboard" and find_spec(package) is None:
            raise MissingPackageError(
                asked("tf.contrib." + path),
                "it is part of tensorboard, which is not installed",
                "pip install tensorboard",
            ) from None
        raise _removed("contrib." + path, f"This TensorFlow no longer has {home} either") from None
    return value


def _missing(dotted: str, name: str) -> Any:
    path = f"{dotted}.{name}"[len("contrib.") :]
    namespace = path.rpartition(".")[0]
    if path in TABLE:
        return _resolve(dotted, name)
    if namespace in SLIM and name not in NOT_IN_SLIM.get(namespace, ()):
        found = _in_slim(namespace, name)
        if found is not None:
            takes_config = namespace == "training" and name in ("evaluate_once", "evaluate_repeatedly", "train")
            return with_config(found) if takes_config else found
        if not _slim_installed():
            raise _without_slim("contrib." + path)
    raise _removed("contrib." + path, advice(path))


def _missing_in_slim(dotted: str, name: str) -> Any:
    module = import_or_none("tf_slim." + name)
    if module is None:
        raise _removed(f"{dotted}.{name}", advice("layers." + name))
    return module


def _removed(dotted: str, remedy: str) -> RemovedSymbolError:
    return RemovedSymbolError(asked("tf." + dotted), "TensorFlow 2 has no tf.contrib", remedy)


def _slim_installed() -> bool:
    return find_spec("tf_slim") is not None


def _without_slim(dotted: str) -> MissingPackageError:
    return MissingPackageError(
        asked("tf." + dotted),
        "TensorFlow 2 has no tf.contrib; this part of it lives on in tf_slim, which is not installed",
        "pip install tf_slim",
    )


def _slim(submodule: str = "") -> Any:
    if not _slim_installed():
        raise _without_slim("contrib.slim")
    return import_module(".".join(filter(None, ("tf_slim", submodule))))


def _in_slim(namespace: str, name: str) -> Any:
    if not _slim_installed():
        return None
    for module in SLIM[namespace]:
        found = getattr(import_module(module), name, None)
        if found is not None:
            return found
        child = import_or_none(f"{module}.{name}")
        if child is not None:
            return child
    return None
