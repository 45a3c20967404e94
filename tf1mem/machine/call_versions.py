"""A table of the `tf.` names that the routes call, and the TensorFlow versions that have them.

tests/machine/test_call_versions.py looks them up in every version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.version import Version

# Name without "tf." -> the first version that has it.
CALLS = {
    "config.experimental.list_physical_devices": (1, 14),
    "config.list_physical_devices": (2, 1),
    "config.experimental.get_visible_devices": (1, 14),
    "config.get_visible_devices": (2, 1),
    "config.experimental.set_visible_devices": (1, 14),
    "config.set_visible_devices": (2, 1),
    "config.experimental.get_memory_growth": (1, 14),
    "config.experimental.set_memory_growth": (1, 14),
    "config.experimental.VirtualDeviceConfiguration": (1, 14),
    "config.experimental.set_virtual_device_configuration": (1, 14),
    "config.experimental.get_virtual_device_configuration": (1, 14),
    "config.LogicalDeviceConfiguration": (2, 1),
    "config.set_logical_device_configuration": (2, 1),
    "config.get_logical_device_configuration": (2, 1),
    "config.get_soft_device_placement": (1, 14),
    "config.set_soft_device_placement": (1, 14),
    "debugging.get_log_device_placement": (1, 14),
    "debugging.set_log_device_placement": (1, 14),
    "config.threading.get_intra_op_parallelism_threads": (1, 14),
    "config.threading.set_intra_op_parallelism_threads": (1, 14),
    "config.threading.get_inter_op_parallelism_threads": (1, 14),
    "config.threading.set_inter_op_parallelism_threads": (1, 14),
    "config.optimizer.get_jit": (1, 14),
    "config.optimizer.set_jit": (1, 14),
    "config.optimizer.get_experimental_options": (1, 14),
    "config.optimizer.set_experimental_options": (1, 14),
    "config.experimental.enable_tensor_float_32_execution": (2, 4),
    "config.experimental.tensor_float_32_execution_enabled": (2, 4),
    "compat.v1.enable_eager_execution": (1, 13),
    "compat.v1.disable_eager_execution": (1, 13),
    "compat.v1.ConfigProto": (1, 13),
    "compat.v1.Session": (1, 13),
    "Session": (1, 13),
}
_ONLY_IN_TF1 = frozenset({"Session"})


def spellings(name: str) -> tuple[str, str]:
    """Returns a call's name in tf.config, from 2.1 on, and its older name, in tf.config.experimental.

    The older name has "virtual" in place of "logical".

    Args:
        name: The call's name in tf.config, such as "set_logical_device_configuration".

    Returns:
        Both names without "tf.": "config.set_logical_device_configuration" and
        "config.experimental.set_virtual_device_configuration".
    """
    older = name.replace("logical", "virtual").replace("Logical", "Virtual")
    return "config." + name, "config.experimental." + older


def calls_in(version: Version) -> frozenset[str]:
    """Returns the names of `CALLS` that a TensorFlow version has.

    Args:
        version: TensorFlow's version; a release candidate counts as its release.
    """
    release = version.release[:2]
    return frozenset(
        name for name, first in CALLS.items() if release >= first and (release < (2,) or name not in _ONLY_IN_TF1)
    )
