"""Builds tf1mem.v1's tree of namespaces: TensorFlow's TF1 API, and the names that tf1mem lays over it."""

from __future__ import annotations

import linecache
import logging
import os
import sys
from functools import partial, wraps
from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import RemovedModuleError
from tf1mem.hooks.wrappers import take_out
from tf1mem.machine import legacy_keras
from tf1mem.machine.first_start import user_frame
from tf1mem.machine.modules import dotted_name, loaded_module
from tf1mem.machine.tensorflow import import_tensorflow, installed_version, is_tf1
from tf1mem.names.contrib import EXAMPLES
from tf1mem.routes import eager_config
from tf1mem.settings import environment, takers
from tf1mem.v1 import (
    _arrays,
    _batch_norm,
    _before_1,
    _configs,
    _contrib,
    _dropout,
    _estimators,
    _init_scope,
    _internals,
    _keras,
    _methods,
    _py_func,
    _seeds,
    _sessions,
    _shapes,
    _sparse_placeholders,
    _variables,
)
from tf1mem.v1._namespace import ROOT, Factory, Files, Layer, Tree, empty_module, import_or_none, install, located

_EVENT_FILES = "tensorflow.python.summary.writer.event_file_writer"
_TF1MEM_FOLDER = os.path.dirname(os.path.dirname(__file__)) + os.sep


def make_tree() -> Tree:
    """Returns the tree of TensorFlow's TF1 API with tf1mem's names over it, and makes it importable below tf1mem.v1."""
    version = installed_version()
    legacy_keras.select(version)
    package = import_tensorflow()
    tf = _v1_api(package)
    _init_scope.follow_mode()
    layers = _layers(tf, package, version)
    if is_tf1(package):
        tree = Tree(tf, layers)
    else:
        _seeds.follow(tf, version)
        _shapes.take_whole_floats()
        _arrays.hold_tensors(tf.Tensor)
        _batch_norm.raise_epsilon()
        _dropout.drop_as_tf1(tf.Tensor)
        _sparse_placeholders.feed_the_shape(tf.Tensor)
        _variables.take_resource_variables(tf.Variable)
        _contrib.leave_unconverted()
        _methods.give_to_strategies(tf)
        files = [_contrib.files(), *_examples(package)]
        tree = Tree(tf, layers, files, {"python": _internals.layers}, _internals.origin)
    install(tree)
    return tree


def _v1_api(package: Any) -> Any:
    """Returns TensorFlow's TF1 API, after disabling v2 behavior."""
    eager_config.claim(package)  # before anything creates the eager context, which reads its config once
    logger = logging.getLogger("tensorflow")
    logger.addFilter(_is_for_the_program)
    if is_tf1(package):
        return package

    def essential(record: logging.LogRecord) -> bool:
        # disable_v2_behavior() warns of its own deprecation; a program that asks for TF1's behavior can't heed that.
        return "disable_resource_variables" not in record.getMessage()

    logger.addFilter(essential)
    try:
        package.compat.v1.disable_v2_behavior()
    finally:
        logger.removeFilter(essential)
    return package.compat.v1


def _is_for_the_program(record: logging.LogRecord) -> bool:
    """Returns False for a deprecation warning about code of tf1mem or Keras 2, since the program can't change that.

    If a line of the program uses the deprecated name through such code, the warning is changed to point to that line.
    """
    if not (isinstance(record.args, tuple) and len(record.args) > 1 and str(record.msg).startswith("From %s:")):
        return True
    place, name, *arguments = record.args
    if not str(place).startswith((_TF1MEM_FOLDER, *_folders_of_keras())):
        return True
    filename, line = user_frame()
    if filename is None or str(name).rpartition(".")[2] not in linecache.getline(filename, line):
        _warn_again()
        return False
    record.args = (f"{filename}:{line}", name, *arguments)
    return True


def _folders_of_keras() -> list[str]:
    modules = (sys.modules.get(name) for name in ("tf_keras", "keras"))
    files = (getattr(module, "__file__", None) for module in modules)
    return [os.path.dirname(file) + os.sep for file in files if file and "-packages" in file]


def _warn_again() -> None:
    """Makes TensorFlow, which warns of each name once, forget that it has warned of the current one."""
    warned = getattr(loaded_module("python.util.deprecation"), "_PRINTED_WARNING", None)
    if warned:
        take_out(warned, list(warned)[-1])


def _layers(tf: Any, package: Any, version: Any) -> dict[str, Layer]:
    """Returns the layer of each namespace that tf1mem changes.

    Args:
        tf: TensorFlow's TF1 API.
        package: The module `tensorflow`.
        version: TensorFlow's version, or None if it isn't known.

    Raises:
        EnvironmentVariableError: TF1MEM_TF_VERSION isn't a version.
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

    environment.tf_version(os.environ)  # a wrong one is refused now, not when a program looks

    def version_for_programs() -> str:
        return environment.tf_version(os.environ) or str(tf.__version__)

    def in_train(name: str) -> Any:
        return train[name](getattr(tf.train, name))

    overlays = {
        "": Layer(
            {
                "InteractiveSession": partial(_sessions.interactive_session, tf),
                "Session": lambda: _sessions.session(tf.Session),
                "enable_eager_execution": partial(_sessions.enable_eager_execution, tf, package),
                **_py_func.factories(tf),
                "VERSION": version_for_programs,
                "__version__": version_for_programs,
            }
        ),
        "compat": Layer({"v1": lambda: import_module(ROOT)}),
        "test": Layer({"TestCase": lambda: _sessions.test_case(tf.test.TestCase)}),
        "train": Layer({name: partial(in_train, name) for name in train}),
        "version": Layer({"VERSION": version_for_programs}),
    }
    overlays.update(_files_of_tensorflow(package))
    overlays.update(_keras.layers(tf, package, version))
    overlays.update(_estimators.layers(tf, version))
    overlays.update(_contrib.layers(is_tf1(package)))
    if not is_tf1(package):
        # TensorFlow 2 moved RPCOptions to another file (tsl/protobuf/rpc_options.proto).
        overlays["core.protobuf.config_pb2"] = Layer({"RPCOptions": lambda: type(tf.ConfigProto().rpc_options)})
        overlays["examples"] = Layer({}, base=empty_module("examples"), missing=_no_example)
        for namespace, layer in _before_1.layers(tf).items():
            names = {**layer.names, **overlays.get(namespace, layer).names}
            overlays[namespace] = layer._replace(names=names)
    return overlays


def _files_of_tensorflow(package: Any) -> dict[str, Layer]:
    """Returns layers of TensorFlow's own files, so that classes imported from there are tf1mem's as well."""

    def device_lib() -> Any:
        base = import_module(package.__name__ + ".python.client.device_lib").list_local_devices

        @wraps(base)
        def list_local_devices(session_config: Any = None) -> Any:
            return base(session_config=_configs.session_config(session_config))

        return list_local_devices

    def from_tf1mem(namespace: str, name: str) -> Any:
        return getattr(import_module(dotted_name(ROOT, namespace)), name)

    def names(namespace: str, *leaves: str) -> dict[str, Factory]:
        return {name: partial(from_tf1mem, namespace, name) for name in leaves}

    def in_pywrap(dotted: str, name: str) -> Any:
        """Returns an object of pywrap_tensorflow, whose names TensorFlow 2.1 distributed over other files."""
        if name == "NewCheckpointReader":
            return from_tf1mem("train", name)
        if name == "EventsWriter":  # its file moved again, but the event writer imports it in all versions
            return import_module(_EVENT_FILES)._pywrap_events_writer.EventsWriter
        sessions = import_or_none("tensorflow.python.client.pywrap_tf_session")
        if name.startswith(("TF_", "EqualGraphDef")) and hasattr(sessions, name):
            return getattr(sessions, name)
        raise AttributeError(f"module 'tensorflow.{dotted}' has no attribute {name!r}")

    return {
        "python.client.device_lib": Layer({"list_local_devices": device_lib}),
        "python.client.session": Layer(names("", *takers.SESSION.names, *takers.INTERACTIVE_SESSION.names)),
        "python.framework.ops": Layer(names("", *takers.EAGER.names)),
        "python.pywrap_tensorflow": Layer({}, missing=in_pywrap),
        "python.training.monitored_session": Layer(
            names("train", *takers.SESSION_CREATOR.leaves, *takers.MONITORED_SESSION.leaves)
        ),
        "python.training.server_lib": Layer(names("train", "Server")),
        "python.training.session_manager": Layer(names("train", "SessionManager")),
        "python.training.supervisor": Layer(names("train", "Supervisor")),
    }


def _examples(package: Any) -> list[Files]:
    """Returns tf1mem's tensorflow.examples; an empty list if the user has copied TensorFlow 1's into TensorFlow."""
    # TensorFlow adds None to its path if TF_USE_LEGACY_KERAS is set and tf_keras is missing.
    folders = [os.path.join(folder, "examples", "tutorials") for folder in package.__path__ if folder]
    if any(map(os.path.isdir, folders)):
        return []
    return [Files("examples", partial(dotted_name, "examples"))]


def _no_example(dotted: str, name: str) -> Any:
    raise RemovedModuleError(
        located(f"tf.{dotted}.{name}"), "TensorFlow 2 has no tensorflow.examples; tf1mem has only their MNIST", EXAMPLES
    )
