"""TensorFlow 1's API and behaviour, whichever TensorFlow is installed: `import tf1mem.v1 as tf`.

On TensorFlow 1 this is TensorFlow itself; on TensorFlow 2 it is `tensorflow.compat.v1` with v2 behavior off. Laid over
it are Session and everything else that takes a ConfigProto: there the config goes through `tf1mem.apply`, so that it
means what it meant in TensorFlow 1. Names that are not TensorFlow's any more lead to where they went.
"""

from __future__ import annotations

import logging as _logging
from typing import Any

from tf1mem.machine.tensorflow import import_tensorflow as _import_tensorflow
from tf1mem.machine.tensorflow import installed_version as _installed_version
from tf1mem.machine.tensorflow import is_tf1 as _is_tf1
from tf1mem.v1 import _legacy_keras


def _v1_api(package: Any) -> Any:
    """TensorFlow's TF1 API, with TF1's behavior."""
    from tf1mem.routes import eager_config

    eager_config.claim(package)  # Before anything makes the eager context, which takes its config only once.
    if _is_tf1(package):
        return package

    def essential(record: _logging.LogRecord) -> bool:
        # disable_v2_behavior() warns of its own deprecation; a program that asks for TF1's behavior can't heed that.
        return "disable_resource_variables" not in record.getMessage()

    logger = _logging.getLogger("tensorflow")
    logger.addFilter(essential)
    try:
        package.compat.v1.disable_v2_behavior()
    finally:
        logger.removeFilter(essential)
    return package.compat.v1


def _make_tree() -> Any:
    from pkgutil import iter_modules

    from tf1mem.v1 import _namespace

    package = _import_tensorflow()
    base = _v1_api(package)

    from tf1mem.v1 import _overlays

    version = _installed_version()
    found = _overlays.layers(base, package, _is_tf1(package), version)
    tree = _namespace.Tree(base, found)
    _namespace.install(tree, [entry.name for entry in iter_modules(__path__)])
    return tree


_legacy_keras.choose(_installed_version())
_tree = _make_tree()


def __getattr__(name: str) -> Any:
    value = _tree.get("", name)
    if name != "__all__":
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()).union(_tree.dir("")))
