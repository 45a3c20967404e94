"""Reads the state of the eager context, whose settings apply to eager ops and to Sessions without a config.

TensorFlow has no public way to ask whether its eager context exists or has started, so this reads the private variables
of tensorflow/python/eager/context.py. If a TensorFlow lacks them, the functions return the more cautious answer.
"""

from __future__ import annotations

import sys
from typing import Any

from tf1mem.machine import own_changes
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import lookup

# The results of `state`.
FREE = "free"  # the context doesn't exist yet, and can still get a ConfigProto
OURS = "ours"  # the context holds a ConfigProto of tf1mem's
TAKEN = "taken"  # the context exists, or can't get a ConfigProto any more


def context_module() -> Any:
    """Returns TensorFlow's module that holds the eager context, or None if it isn't loaded."""
    return loaded_module("python.eager.context")


def exists() -> bool:
    """Returns True if the eager context exists, with any config, or if that can't be determined."""
    return getattr(context_module(), "_context", True) is not None


def current() -> Any:
    """Returns the eager context, or None if it doesn't exist yet or can't be found."""
    return getattr(context_module(), "_context", None)


def has_started() -> bool:
    """Returns True if the eager context has created its devices."""
    context = getattr(context_module(), "_context", None)
    return getattr(context, "_context_handle", None) is not None


def has_listed_devices() -> bool:
    """Returns True if the eager context has listed the physical devices, which starts CUDA."""
    context = getattr(context_module(), "_context", None)
    return getattr(context, "_physical_devices", None) is not None


def limits() -> dict[str, tuple[float, ...]]:
    """Returns GPU name -> limits in MiB that the program itself has set by tf.config, without tf1mem's."""
    sizes = {
        device.name: tuple(part.memory_limit for part in parts if part.memory_limit is not None)
        for device, parts in _split_by_program().items()
        if device.device_type == "GPU"
    }
    return {name: limits for name, limits in sizes.items() if limits}


def splits() -> bool:
    """Returns True if the program itself created logical devices by tf.config, of GPUs or of the CPU.

    In either case the context drops growth and refuses a ConfigProto's fraction, since it configures logical devices
    for every GPU (none for those left whole).
    """
    return bool(_split_by_program())


def _split_by_program() -> dict[Any, Any]:
    configured = getattr(getattr(context_module(), "_context", None), "_virtual_device_map", {})
    return {device: parts for device, parts in configured.items() if device.name not in own_changes.limited}


def shown() -> tuple[int, ...] | None:
    """Returns the numbers of the GPUs that tf.config shows if the program hid others, or None if it shows all."""
    context = getattr(context_module(), "_context", None)
    visible = getattr(context, "_visible_device_list", None) or ()
    listed = [gpu for gpu in getattr(context, "_physical_devices", None) or () if gpu.device_type == "GPU"]
    numbers = tuple(number for number, gpu in enumerate(listed) if gpu in visible)
    return None if len(numbers) == len(listed) or own_changes.chose_visible else numbers


def state(tf: Any) -> str:
    """Returns `FREE` if the eager context can still get a ConfigProto, `OURS` if it has tf1mem's, else `TAKEN`."""
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
        return TAKEN  # 1.13: Sessions without a config don't read the context's
    if getattr(module, "default_execution_mode", None) == getattr(module, "EAGER_MODE", 1):
        return FREE
    # In graph mode TensorFlow refuses once the default graph exists.
    return TAKEN if has_default_graph() else FREE


def has_default_graph() -> bool:
    """Returns True if the default graph exists, or if that can't be determined."""
    name = getattr(context_module(), "__name__", "").replace("eager.context", "framework.ops")
    stack = getattr(sys.modules.get(name), "_default_graph_stack", None)
    return getattr(stack, "_global_default_graph", stack or True) is not None
