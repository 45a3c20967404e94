"""Listings of devices that start them: `device_lib.list_local_devices`, and what asks it (`tf.test.is_gpu_available`).

Such a listing makes the GPU devices of the process, from a config of its own, and the first ones made decide: growth
and caps that `tf.config` was told are lost without a word. Here it takes the config that was applied. Source:
tensorflow/python/client/device_lib.py, and DeviceFactory::AddDevices, which it calls with that config.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrapping import wrap
from tf1mem.machine import runtime

_default: Any = None


def set_default(tf: Any, config: Any) -> None:
    """Makes a ConfigProto the config of every listing that is given none from now on.

    Args:
        tf: TensorFlow.
        config: The ConfigProto that was applied.
    """
    global _default
    _default = config
    context = runtime.context_module(tf)
    if context is None:
        return
    try:
        module: Any = import_module(context.__name__.replace("eager.context", "client.device_lib"))
    except ImportError:
        return

    def with_default(before: Any) -> Callable[..., Any]:
        def list_local_devices(session_config: Any = None) -> Any:
            return before(_default if session_config is None else session_config)

        return list_local_devices

    wrap(module, "list_local_devices", with_default)
