"""Settings as the record has them, and which of them TensorFlow reads once for the whole process."""

from __future__ import annotations

from typing import Any

from tf1mem.doctor.observed import Event
from tf1mem.settings import fields

GROWTH = "gpu_options.allow_growth"
FRACTION = "gpu_options.per_process_gpu_memory_fraction"
VISIBLE = "gpu_options.visible_device_list"
VIRTUAL = "gpu_options.experimental.virtual_devices"
THREADS = ("intra_op_parallelism_threads", "inter_op_parallelism_threads")
PER_SESSION = "use_per_session_threads"

_ONCE = frozenset(path for path in fields.FIELDS if path.startswith("gpu_options."))

# The calls of tf.config that say something of GPUs, and of thread pools.
OF_GPUS = (
    "set_memory_growth",
    "set_virtual_device_configuration",
    "set_logical_device_configuration",
    "set_visible_devices",
)
OF_THREADS = ("set_intra_op_parallelism_threads", "set_inter_op_parallelism_threads")

_SPELLED = {
    "set_memory_growth": "tf.config.experimental.set_memory_growth",
    "set_virtual_device_configuration": "tf.config.experimental.set_virtual_device_configuration",
    "set_logical_device_configuration": "tf.config.set_logical_device_configuration",
    "set_visible_devices": "tf.config.set_visible_devices",
    "set_soft_device_placement": "tf.config.set_soft_device_placement",
    "set_intra_op_parallelism_threads": "tf.config.threading.set_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads": "tf.config.threading.set_inter_op_parallelism_threads",
    "set_optimizer_jit": "tf.config.optimizer.set_jit",
    "set_log_device_placement": "tf.debugging.set_log_device_placement",
}


def call_text(event: Event) -> str:
    """A call of tf.config as one writes it."""
    name = event["call"]
    return "{}({})".format(_SPELLED.get(name, "tf.config." + name), ", ".join(event["arguments"]))


def of_gpus(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Those settings that TensorFlow reads when it makes the first GPU device, and never again.

    Which GPUs are visible is not among them: TensorFlow refuses another list of them rather than ignore it.
    """
    return {name: value for name, value in (settings or {}).items() if name in _ONCE and name != VISIBLE and value}


def of_threads(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Those settings that TensorFlow reads when it makes its thread pools, and never again."""
    found = settings or {}
    return {} if found.get(PER_SESSION) else {name: found[name] for name in THREADS if found.get(name)}


def text(settings: dict[str, Any]) -> str:
    """Settings in a few words, by the last part of their names; "no growth and no cap" where there are none."""
    if not settings:
        return "no growth and no cap"
    return ", ".join("{}={}".format(name.rsplit(".", 1)[-1], value) for name, value in settings.items())
