"""Names of `tf.config` that programs use and that no TensorFlow has, with the functions that their authors meant.

All names in this module are without "tf.". They were checked in TensorFlow 1.14, 1.15, 2.0, 2.1, 2.4, 2.10, 2.16, 2.21
and 2.22; tests/codemod/test_mistakes_measured.py checks them in the installed version. `tf.config.gpu` existed only in
the alpha of 2.0, and counts as a name that never existed.
"""

from __future__ import annotations

from typing import NamedTuple


class Meant(NamedTuple):
    """The real function behind a name that never existed.

    Attributes:
        name: The name that most versions of TensorFlow have.
        native: The name in the newest TensorFlow; it has no "experimental" if TensorFlow has such a name, too.
        arguments: The number of arguments that the function requires.
    """

    name: str
    native: str
    arguments: int = 0


_EXPERIMENTAL = "config.experimental."
# The functions for growth, for a logical GPU's size, for splitting a GPU, and for reading how it is split.
_GROWTH = Meant(_EXPERIMENTAL + "set_memory_growth", _EXPERIMENTAL + "set_memory_growth", 2)
SIZE = Meant(_EXPERIMENTAL + "VirtualDeviceConfiguration", "config.LogicalDeviceConfiguration")
SPLIT = Meant(_EXPERIMENTAL + "set_virtual_device_configuration", "config.set_logical_device_configuration", 2)
SPLIT_OF = Meant(_EXPERIMENTAL + "get_virtual_device_configuration", "config.get_logical_device_configuration", 1)
_SOFT = Meant("config.set_soft_device_placement", "config.set_soft_device_placement")
_LOG = Meant("debugging.set_log_device_placement", "debugging.set_log_device_placement")

# Name that never existed -> the function that its authors meant.
RENAMED = {
    "config.set_memory_growth": _GROWTH,
    "config.experimental.set_gpu_growth": _GROWTH,
    "config.experimental.set_gpu_growth_enabled": _GROWTH,
    "config.get_memory_growth": Meant(_EXPERIMENTAL + "get_memory_growth", _EXPERIMENTAL + "get_memory_growth", 1),
    "config.VirtualDeviceConfiguration": SIZE,
    "config.experimental.LogicalDeviceConfiguration": SIZE,
    "config.set_virtual_device_configuration": SPLIT,
    "config.experimental.set_logical_device_configuration": SPLIT,
    "config.get_virtual_device_configuration": SPLIT_OF,
    "config.experimental.get_logical_device_configuration": SPLIT_OF,
    "config.experimental.set_soft_device_placement": _SOFT,
    "config.set_log_device_placement": _LOG,
    "config.experimental.set_log_device_placement": _LOG,
}
# Names that never existed, for functions that would set a limit in MiB, a fraction of the GPU's memory, or growth.
LIMITS = ("config.set_memory_limit", "config.experimental.set_memory_limit")
_HOMES = ("config.gpu.", "config.experimental.gpu.", "config.", "config.experimental.")
FRACTIONS = tuple(home + "set_per_process_memory_fraction" for home in _HOMES)
GROWTHS = tuple(home + "set_per_process_memory_growth" for home in _HOMES)
_PROTO = "A ConfigProto is tf.compat.v1.ConfigProto; give it to tf1mem.apply."
# Other name that never existed -> the remedy for messages: no name has its meaning, so the codemod can't rewrite it.
REPORTED = {
    "config.ConfigProto": _PROTO,
    "config.experimental.ConfigProto": _PROTO,
    "config.GPUOptions": _PROTO,
    "config.experimental.GPUOptions": _PROTO,
    "config.gpu_options": "Use tf1mem.apply(tf1mem.config(allow_growth=True)).",
}
EVERY = (*RENAMED, *LIMITS, *FRACTIONS, *GROWTHS, *REPORTED)


def never(name: str) -> str:
    """Returns the sentence for messages that a name never existed."""
    return f"tf.{name} never existed"
