"""Passes the applied config to the parts of TensorFlow that would neither get one nor use the eager context's.

- A Server of a cluster creates its own devices from its own config; without one, on all GPUs with all of their memory.
  Source: GrpcServer::Init in tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc, which reads the ServerDef's
  default_session_config alone. The coordinator of a strategy starts one with a config of its own
  (tensorflow/python/distribute/distribute_coordinator.py).
- `device_lib.list_local_devices`, which `tf.test.is_gpu_available` calls too, creates the GPU devices of the process,
  and the first ones created decide: growth and caps set by `tf.config` are silently lost.
  Source: tensorflow/python/client/device_lib.py, and DeviceFactory::AddDevices.
- An InteractiveSession has a config of its own, with growth on. Source: tensorflow/python/client/session.py.
- A second eager context, which a program creates by `context.Context()`, has a config of its own.
  Source: tensorflow/python/eager/context.py.
- Grappler's Cluster creates the GPU devices of the process, and takes no config: a Session has to create them first.
  Source: tensorflow/python/grappler/cluster.py, and tensorflow/core/grappler/clusters/single_machine.cc.
- An Estimator without a session_config creates one itself, and starts its Server with it.
  Source: tensorflow_estimator/python/estimator/run_config.py.
- The Session that Keras creates on TensorFlow 1.13 and 1.14 has a fixed config, with soft placement; from 1.15 on it
  has the context's. Source: tensorflow/python/keras/backend.py, get_default_session_config.
"""

from __future__ import annotations

import functools
import inspect
import logging
from typing import Any, Callable

from tf1mem.hooks import starts
from tf1mem.hooks.finder import when_loaded
from tf1mem.hooks.wrappers import put, put_around_once, take_out
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import import_tensorflow

log = logging.getLogger("tf1mem")

_default_config: Any = None  # the ConfigProto of the last step that set one

# A function that returns the ConfigProto to merge into an estimator's own, or None for none. If it is set, estimators
# don't get `_default_config`.
for_estimators: Callable[[], Any] | None = None


def stand_by() -> None:
    """Hooks the parts of TensorFlow listed above.

    At each call a hook uses the config applied last. Settings that wait for the first start of the runtime are applied
    before that: see `hooks.starts`.
    """
    starts.put_between("python.training.server_lib", _server)
    starts.put_between("python.client.device_lib", functools.partial(_filled, "session_config"))
    when_loaded("python.client.session", _hook_interactive_session)
    when_loaded("python.eager.context", _hook_second_context)
    when_loaded("python.distribute.distribute_coordinator", _hook_coordinator)
    when_loaded("python.grappler.cluster", _hook_grappler)
    when_loaded("contrib.learn.python.learn.estimators.estimator", _hook_learn)
    when_loaded("tensorflow_estimator.python.estimator.run_config", hook_estimators)


def _set_default(tf: Any, config: Any, keras_has_own: bool) -> Callable[[], None]:
    """Makes `config` the default config, also of Keras's Session if that has a fixed one."""
    global _default_config
    _default_config = config
    stand_by()
    if keras_has_own:
        put_around_once(loaded_module("python.keras.backend"), "get_default_session_config", _keras)
    return lambda: None  # the config stays until another replaces it


def _copy() -> Any:
    """Returns a copy of the applied config, since its receiver may add to it, or None if none was applied."""
    if _default_config is None:
        return None
    copy = type(_default_config)()
    copy.CopyFrom(_default_config)
    return copy


def _filled(parameter: str, before: Any) -> Callable[..., Any]:
    """Returns a wrapper of a function of TensorFlow, which passes the applied config if the caller passes none.

    Args:
        parameter: The function's parameter for a config.
        before: TensorFlow's function.
    """
    signature = inspect.signature(before)

    @functools.wraps(before)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return before(*args, **kwargs)  # wrong arguments: TensorFlow raises its own error
        if bound.arguments.get(parameter) is None:
            starts.call_waiting()
            config = _copy()
            if config is not None:
                bound.arguments[parameter] = config
        return before(*bound.args, **bound.kwargs)

    return call


def _hook_interactive_session(module: Any) -> None:
    put_around_once(module.InteractiveSession, "__init__", functools.partial(_filled, "config"))


def _hook_second_context(module: Any) -> None:
    """Gives a second eager context the applied config when it is first used."""

    def with_first_start(before: Any) -> Callable[..., None]:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            before(self, *args, **kwargs)

            def ensure_initialized() -> None:
                # The process's own context gets its settings by tf.config.
                if self is not getattr(module, "_context", self) and getattr(self, "_config", self) is None:
                    starts.call_waiting()
                    self._config = _copy()
                take_out(vars(self), "ensure_initialized")  # each eager op calls it
                self.ensure_initialized()

            put(self, "ensure_initialized", ensure_initialized)

        return init

    if hasattr(module.Context, "ensure_initialized"):  # from TensorFlow 1.14 on
        put_around_once(module.Context, "__init__", with_first_start)


def _hook_coordinator(module: Any) -> None:
    for name in ("run_distribute_coordinator", "run_standard_tensorflow_server"):
        if hasattr(module, name):
            put_around_once(module, name, functools.partial(_filled, "session_config"))


def _hook_grappler(module: Any) -> None:
    """Creates the GPU devices with the applied config before a Cluster of Grappler does."""

    def with_devices(before: Any) -> Callable[..., None]:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            starts.call_waiting()
            if _default_config is not None:
                tf = import_tensorflow()
                with tf.Graph().as_default():
                    tf.compat.v1.Session(config=_copy()).close()
            before(self, *args, **kwargs)

        return init

    put_around_once(module.Cluster, "__init__", with_devices)


def _hook_learn(module: Any) -> None:
    """Gives TensorFlow 1's tf.contrib.learn estimators the config, which they keep as an attribute."""

    def without_a_config(before: Any) -> Callable[..., None]:
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            before(self, *args, **kwargs)
            if self._config.session_config is None:
                self._session_config = _of_an_estimator(self._session_config)

        return init

    put_around_once(module.BaseEstimator, "__init__", without_a_config)


def hook_estimators(module: Any) -> None:
    """Merges the applied config into the config that estimators without a session_config create for themselves.

    TensorFlow uses the created config in place of the eager context's settings.

    Args:
        module: tensorflow_estimator's module run_config.
    """
    for owner, name in (
        (module, "get_default_session_config"),
        (module.RunConfig, "_get_default_session_config_distributed"),
    ):
        if hasattr(owner, name):
            put_around_once(owner, name, _estimators)


def _estimators(before: Any) -> Callable[..., Any]:
    def session_config_of_its_own(*args: Any) -> Any:
        return _of_an_estimator(before(*args))

    return session_config_of_its_own


def _of_an_estimator(own_config: Any) -> Any:
    """Merges the applied config into the config that an estimator created for itself, and returns it; None for None."""
    if own_config is not None:
        starts.call_waiting()
        applied = for_estimators() if for_estimators is not None else _default_config
        if applied is not None:
            own_config.MergeFrom(applied)
    return own_config


def _server(before: Any) -> Callable[..., None]:
    """Returns an `__init__` that gives a Server without a config the applied one; `before` is TensorFlow's."""

    def init(  # noqa: PLR0917 - TensorFlow's own signature
        self: Any,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        if config is None and _default_config is not None and not has_its_own(server_or_cluster_def):
            log.info("a Server without a config takes the settings that were applied")
            config = _copy()
        before(self, server_or_cluster_def, job_name, task_index, protocol, config, start)

    return init


def has_its_own(server_or_cluster_def: Any) -> bool:
    """Returns True for a ServerDef that contains a config; False for one without, and for a cluster."""
    return hasattr(server_or_cluster_def, "default_session_config") and server_or_cluster_def.HasField(
        "default_session_config"
    )


def _keras(before: Any) -> Callable[[], Any]:
    """Returns a wrapper of Keras's `get_default_session_config`, which merges the applied config into Keras's."""

    def get_default_session_config() -> Any:
        config = before()
        if _default_config is not None:
            config.MergeFrom(_default_config)
            config.allow_soft_placement = True  # as in Keras's own config
        return config

    return get_default_session_config


ACTIONS = {"set_default": _set_default}
