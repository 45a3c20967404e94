"""What tf1mem.v1 lays over TensorFlow, namespace by namespace."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import RemovedModuleError
from tf1mem.settings import takers
from tf1mem.v1 import _configs, _estimators, _keras, _sessions
from tf1mem.v1._contrib import namespaces
from tf1mem.v1._namespace import ROOT, Factory, Layer, below, located


def layers(tf: Any, package: Any, is_tf1: bool, version: Any) -> dict[str, Layer]:
    """Every namespace that tf1mem changes.

    Args:
        tf: TensorFlow's TF1 API.
        package: The module `tensorflow`.
        is_tf1: Whether it is TensorFlow 1.
        version: TensorFlow's.
    """
    train: dict[str, Callable[..., Any]] = {
        "ChiefSessionCreator": _sessions.session_creator,
        "MonitoredTrainingSession": _configs.with_config,
        "Server": _sessions.server,
        "SessionManager": _sessions.with_methods,
        "SingularMonitoredSession": _sessions.with_methods,
        "Supervisor": _sessions.with_methods,
        "WorkerSessionCreator": _sessions.session_creator,
    }

    def factory(name: str) -> Factory:
        return lambda: train[name](getattr(tf.train, name))

    found = {
        "": Layer(
            {
                "InteractiveSession": lambda: _sessions.interactive_session(tf),
                "Session": lambda: _sessions.session(tf.Session),
                "enable_eager_execution": lambda: _sessions.enable_eager_execution(tf, package),
            }
        ),
        "compat": Layer({"v1": lambda: import_module(ROOT)}),
        "test": Layer({"TestCase": lambda: _sessions.test_case(tf.test.TestCase)}),
        "train": Layer({name: factory(name) for name in train}),
    }
    found.update(_files_of_tensorflow(package))
    found.update(_keras.layers(version))
    found.update(_estimators.layers(tf, version))
    found.update(namespaces.layers(is_tf1))
    if not is_tf1:
        found["examples"] = Layer({}, base=_no_examples, required=True)
    return found


def _files_of_tensorflow(package: Any) -> dict[str, Layer]:
    """The same classes where programs take them from TensorFlow's own files."""

    def device_lib() -> Any:
        base = import_module(package.__name__ + ".python.client.device_lib").list_local_devices

        @functools.wraps(base)
        def list_local_devices(session_config: Any = None) -> Any:
            return base(session_config=_configs.session_config(session_config))

        return list_local_devices

    def ours(namespace: str, name: str) -> Factory:
        return lambda: getattr(import_module(below(ROOT, namespace)), name)

    def names(namespace: str, *leaves: str) -> dict[str, Factory]:
        return {name: ours(namespace, name) for name in leaves}

    def new_checkpoint_reader(dotted: str, name: str) -> Any:
        """TensorFlow 2.1 and later have it among the public names only."""
        if name == "NewCheckpointReader":
            return ours("train", name)()
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
        "Use tf.keras.datasets.mnist, or bring input_data.py of TensorFlow 1.15 into the program",
    )
