"""The config of whoever is given none and wouldn't ask the eager context: it takes the one that was applied.

- A Server of a cluster makes devices of its own, from its own config: without one, all GPUs and all of their memory.
  Source: GrpcServer::Init in tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc, which reads the ServerDef's
  default_session_config alone.
- A listing of devices that starts them, `device_lib.list_local_devices` and what asks it (`tf.test.is_gpu_available`),
  makes the GPU devices of the process, and the first ones made decide: growth and caps that `tf.config` was told are
  lost without a word. Source: tensorflow/python/client/device_lib.py, and DeviceFactory::AddDevices.
- The Session that Keras makes for itself on TensorFlow 1.13 and 1.14 has a fixed config, with soft placement; from 1.15
  on it has the context's. Source: tensorflow/python/keras/backend.py, get_default_session_config.
"""

from __future__ import annotations

import logging
from typing import Any, Callable

from tf1mem.hooks.finder import when_loaded
from tf1mem.hooks.wrappers import put_around_once
from tf1mem.machine.modules import loaded_module

log = logging.getLogger("tf1mem")

_default: Any = None


def _set_default(tf: Any, config: Any, keras_has_own: bool) -> Callable[[], None]:
    global _default
    _default = config
    when_loaded("python.training.server_lib", lambda module: put_around_once(module.Server, "__init__", _server))
    when_loaded("python.client.device_lib", lambda module: put_around_once(module, "list_local_devices", _listing))
    if keras_has_own:
        put_around_once(loaded_module("python.keras.backend"), "get_default_session_config", _keras)
    return lambda: None  # it stays until another takes its place


def _server(before: Any) -> Callable[..., None]:
    def init(  # noqa: PLR0917 - TensorFlow's own signature
        self: Any,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        if config is None and _default is not None and not has_its_own(server_or_cluster_def):
            log.info("a Server without a config takes the settings that were applied")
            config = _default
        before(self, server_or_cluster_def, job_name, task_index, protocol, config, start)

    return init


def has_its_own(server_or_cluster_def: Any) -> bool:
    """Whether it is a ServerDef with a config in it."""
    return hasattr(server_or_cluster_def, "default_session_config") and server_or_cluster_def.HasField(
        "default_session_config"
    )


def _listing(before: Any) -> Callable[..., Any]:
    def list_local_devices(session_config: Any = None) -> Any:
        return before(_default if session_config is None else session_config)

    return list_local_devices


def _keras(before: Any) -> Callable[[], Any]:
    def get_default_session_config() -> Any:
        made = before()
        if _default is not None:
            made.MergeFrom(_default)
            made.allow_soft_placement = True
        return made

    return get_default_session_config


ACTIONS = {"set_default": _set_default}
