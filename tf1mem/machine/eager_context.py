"""The eager context, which tells plain Sessions and eager ops their settings: is it there, and can it be told?

TensorFlow has no public way to ask whether its eager context exists or has started, so that is read off
tensorflow/python/eager/context.py; where a TensorFlow hides it, the answer is the one that promises least.
"""

from __future__ import annotations

import sys
from typing import Any

from tf1mem.machine import own_changes
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import lookup

# The states that `state` knows.
FREE = "free"  # it doesn't exist yet, and a ConfigProto can still be given to it
OURS = "ours"  # it holds a ConfigProto of tf1mem's
TAKEN = "taken"  # it exists, or can't be given a ConfigProto any more


def context_module() -> Any:
    """TensorFlow's module that holds the eager context; None where it isn't found."""
    return loaded_module("python.eager.context")


def exists() -> bool:
    """Whether there is an eager context already, of whichever config; True where that can't be told."""
    return getattr(context_module(), "_context", True) is not None


def current() -> Any:
    """The eager context; None where there is none yet, or it isn't found."""
    return getattr(context_module(), "_context", None)


def has_started() -> bool:
    """Whether the eager context has made its devices."""
    context = getattr(context_module(), "_context", None)
    return getattr(context, "_context_handle", None) is not None


def has_listed_devices() -> bool:
    """Whether the eager context has listed the physical devices, which starts CUDA."""
    context = getattr(context_module(), "_context", None)
    return getattr(context, "_physical_devices", None) is not None


def limits() -> dict[str, tuple[float, ...]]:
    """The limits in MiB that the program gave GPUs by tf.config, without tf1mem's own; by the GPU's name."""
    sizes = {
        device.name: tuple(part.memory_limit for part in parts if part.memory_limit is not None)
        for device, parts in _split_by_program().items()
        if device.device_type == "GPU"
    }
    return {name: limits for name, limits in sizes.items() if limits}


def splits() -> bool:
    """Returns True if the program itself made logical devices by tf.config, of GPUs or of the CPU.

    Whichever they are of, the context then drops growth and refuses a ConfigProto's fraction: it tells every GPU
    logical devices, none for those that are whole.
    """
    return bool(_split_by_program())


def _split_by_program() -> dict[Any, Any]:
    told = getattr(getattr(context_module(), "_context", None), "_virtual_device_map", {})
    return {device: parts for device, parts in told.items() if device.name not in own_changes.limited}


def shown() -> tuple[int, ...] | None:
    """The GPUs that tf.config shows, by number, where the program hid others; None where it shows all."""
    context = getattr(context_module(), "_context", None)
    visible = getattr(context, "_visible_device_list", None) or ()
    listed = [one for one in getattr(context, "_physical_devices", None) or () if one.device_type == "GPU"]
    numbers = tuple(number for number, one in enumerate(listed) if one in visible)
    return None if len(numbers) == len(listed) or own_changes.chose_visible else numbers


def state(tf: Any) -> str:
    """Whether the eager context can be given a ConfigProto: `FREE`, `OURS` or `TAKEN`."""
    module = context_module()
    if module is None or not hasattr(module, "_context"):
        return TAKEN
    context = module._context
    if context is not None:
        if getattr(context, "_context_handle", None) is not None:
            return TAKEN
        config = getattr(context, "_config", None)
        return OURS if config is not None and config is own_changes.eager_config else TAKEN
    if lookup(tf, "config.experimental.list_physical_devices") is None:
        return TAKEN  # 1.13: plain Sessions don't ask the context
    if getattr(module, "default_execution_mode", None) == getattr(module, "EAGER_MODE", 1):
        return FREE
    # In graph mode TensorFlow refuses once the default graph exists.
    return TAKEN if has_default_graph() else FREE


def has_default_graph() -> bool:
    """Whether the default graph exists; True where that can't be told."""
    name = getattr(context_module(), "__name__", "").replace("eager.context", "framework.ops")
    stack = getattr(sys.modules.get(name), "_default_graph_stack", None)
    return getattr(stack, "_global_default_graph", stack or True) is not None
