"""What tf1mem.v1 lays over TensorFlow, namespace by namespace."""

from __future__ import annotations

import logging
import sys
from functools import partial, wraps
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Callable

from tf1mem.errors import RemovedModuleError
from tf1mem.machine.contrib import EXAMPLES
from tf1mem.machine.tensorflow import import_tensorflow, installed_version, is_tf1
from tf1mem.routes import eager_config
from tf1mem.settings import takers
from tf1mem.v1 import _configs, _estimators, _keras, _sessions
from tf1mem.v1._contrib import namespaces
from tf1mem.v1._namespace import ROOT, Factory, Layer, Tree, below, install, located


def make_tree() -> Tree:
    """TensorFlow's TF1 API with tf1mem's names laid over it, importable below tf1mem.v1."""
    version = installed_version()
    _keras.choose_keras_2(version)
    package = import_tensorflow()
    tf = _v1_api(package)
    tree = Tree(tf, _layers(tf, package, version))
    install(tree, [entry.name for entry in iter_modules(sys.modules[ROOT].__path__)])
    return tree


def _v1_api(package: Any) -> Any:
    """TensorFlow's TF1 API, with TF1's behavior."""
    eager_config.claim(package)  # Before anything makes the eager context, which takes its config only once.
    if is_tf1(package):
        return package

    def essential(record: logging.LogRecord) -> bool:
        # disable_v2_behavior() warns of its own deprecation; a program that asks for TF1's behavior can't heed that.
        return "disable_resource_variables" not in record.getMessage()

    logger = logging.getLogger("tensorflow")
    logger.addFilter(essential)
    try:
        package.compat.v1.disable_v2_behavior()
    finally:
        logger.removeFilter(essential)
    return package.compat.v1


def _layers(tf: Any, package: Any, version: Any) -> dict[str, Layer]:
    """Every namespace that tf1mem changes, of TensorFlow's TF1 API, its package and its version."""
    train: dict[str, Callable[..., Any]] = {
        "ChiefSessionCreator": _sessions.session_creator,
        "MonitoredTrainingSession": _configs.with_config,
        "Server": _sessions.server,
        "SessionManager": _sessions.with_methods,
        "SingularMonitoredSession": _sessions.with_methods,
        "Supervisor": _sessions.with_methods,
        "WorkerSessionCreator": _sessions.session_creator,
    }

    def in_train(name: str) -> Any:
        return train[name](getattr(tf.train, name))

    found = {
        "": Layer(
            {
                "InteractiveSession": partial(_sessions.interactive_session, tf),
                "Session": lambda: _sessions.session(tf.Session),
                "enable_eager_execution": partial(_sessions.enable_eager_execution, tf, package),
            }
        ),
        "compat": Layer({"v1": lambda: import_module(ROOT)}),
        "test": Layer({"TestCase": lambda: _sessions.test_case(tf.test.TestCase)}),
        "train": Layer({name: partial(in_train, name) for name in train}),
    }
    found.update(_files_of_tensorflow(package))
    found.update(_keras.layers(version))
    found.update(_estimators.layers(tf, version))
    found.update(namespaces.layers(is_tf1(package)))
    if not is_tf1(package):
        found["examples"] = Layer({}, base=_no_examples, required=True)
    return found


def _files_of_tensorflow(package: Any) -> dict[str, Layer]:
    """The same classes where programs take them from TensorFlow's own files."""

    def device_lib() -> Any:
        base = import_module(package.__name__ + ".python.client.device_lib").list_local_devices

        @wraps(base)
        def list_local_devices(session_config: Any = None) -> Any:
            return base(session_config=_configs.session_config(session_config))

        return list_local_devices

    def ours(namespace: str, name: str) -> Any:
        return getattr(import_module(below(ROOT, namespace)), name)

    def names(namespace: str, *leaves: str) -> dict[str, Factory]:
        return {name: partial(ours, namespace, name) for name in leaves}

    def new_checkpoint_reader(dotted: str, name: str) -> Any:
        """TensorFlow 2.1 and later have it among the public names only."""
        if name == "NewCheckpointReader":
            return ours("train", name)
        raise AttributeError(f"module 'tensorflow.{dotted}' has no attribute {name!r}")

    return {
        "python.client.device_lib": Layer({"list_local_devices": device_lib}),
        "python.client.session": Layer(names("", *takers.SESSION.names, *takers.INTERACTIVE_SESSION.names)),
        "python.framework.ops": Layer(names("", *takers.EAGER.names)),
        "python.pywrap_tensorflow": Layer({}, missing=new_checkpoint_reader),
        "python.training.monitored_session": Layer(
            names("train", *takers.SESSION_CREATOR.leaves, *takers.MONITORED_SESSION.leaves)
        ),
        "python.training.server_lib": Layer(names("train", "Server")),
        "python.training.session_manager": Layer(names("train", "SessionManager")),
        "python.training.supervisor": Layer(names("train", "Supervisor")),
    }


def _no_examples() -> Any:
    raise RemovedModuleError(
        located("tf.examples"),
        "TensorFlow 2 has no tensorflow.examples, and so no input_data",
        EXAMPLES,
    )
