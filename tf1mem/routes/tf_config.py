"""Makes settings by the documented calls: tf.config.*, tf.debugging.*, tf.config.threading.*, tf.config.optimizer.*.

These settings apply to eager ops, tf.function, Keras, tf.distribute and Sessions without a config. TensorFlow rounds
the memory limit of `set_logical_device_configuration` down to whole MiB
(tensorflow/core/common_runtime/gpu/gpu_device.cc), and silently drops memory growth under such a limit
(tensorflow/python/eager/context.py, `_compute_device_options`); `planning` takes both into account.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Callable, Mapping, Sequence

from tf1mem.hooks.wrappers import take_out
from tf1mem.machine import own_changes, tf32
from tf1mem.machine.call_versions import spellings
from tf1mem.machine.eager_context import context_module
from tf1mem.machine.tensorflow import lookup

Undo = Callable[[], None]


class NoGpuError(Exception):
    """TensorFlow registers no GPU, although the plan counted on one."""


def _config(tf: Any, name: str) -> Any:
    """Returns `tf.config.<name>` of this TensorFlow, or the call by its earlier experimental name."""
    for spelling in spellings(name):
        value = lookup(tf, spelling)
        if value is not None:
            return value
    raise AttributeError("TensorFlow has none of tf.{}, tf.{}".format(*spellings(name)))


def _list_gpus(tf: Any) -> list[Any]:
    gpus = _config(tf, "list_physical_devices")("GPU")
    if not gpus:
        raise NoGpuError
    return list(gpus)


def _visible(tf: Any) -> list[Any]:
    _list_gpus(tf)
    return list(_config(tf, "get_visible_devices")("GPU"))


def _set_visible(tf: Any, indices: Sequence[int] | None, count: int | None) -> Undo:
    """Makes only some GPUs visible: the first `count` of those listed by `indices`."""
    gpus = _list_gpus(tf)
    before = _visible(tf)
    shown = gpus if indices is None else [gpus[index] for index in indices]
    setter = _config(tf, "set_visible_devices")
    setter(shown[:count], "GPU")
    chosen_before, own_changes.chose_visible = own_changes.chose_visible, True

    def undo() -> None:
        own_changes.chose_visible = chosen_before
        setter(before, "GPU")

    return undo


def _memory_growth(tf: Any) -> Undo:
    """Turns memory growth on for every visible GPU; TensorFlow requires the same growth on all that are visible."""
    setter = tf.config.experimental.set_memory_growth
    with ExitStack() as undo:
        for gpu in _visible(tf):
            before = tf.config.experimental.get_memory_growth(gpu)
            setter(gpu, True)
            undo.callback(_restore_growth, tf, gpu, before)
        return undo.pop_all().close


def _restore_growth(tf: Any, gpu: Any, before: bool) -> None:
    # TensorFlow refuses to change growth for a GPU that the program has split since, and ignores it there anyway.
    if _config(tf, "get_logical_device_configuration")(gpu) is None:
        tf.config.experimental.set_memory_growth(gpu, before)


def _set_logical(tf: Any, device: Any, parts: Sequence[Mapping[str, Any]]) -> Undo:
    """Splits or limits a device."""
    make = _config(tf, "LogicalDeviceConfiguration")
    setter = _config(tf, "set_logical_device_configuration")
    before = _config(tf, "get_logical_device_configuration")(device)
    setter(device, [make(**part) for part in parts])
    own_changes.limited.add(device.name)

    def undo() -> None:
        own_changes.limited.discard(device.name)
        if before is not None:
            setter(device, before)
        else:
            _forget_logical(device)

    return undo


def _forget_logical(device: Any) -> None:
    """Removes a logical device configuration. No public call can: an empty list hides the device instead."""
    take_out(context_module().context()._virtual_device_map, device)


def _logical_gpus(tf: Any, devices: Sequence[Sequence[Mapping[str, Any]]]) -> Undo:
    """Limits or splits the visible GPUs, one entry for each; an empty entry leaves the GPU whole."""
    with ExitStack() as undo:
        for gpu, parts in zip(_visible(tf), devices):
            if parts:
                undo.callback(_set_logical(tf, gpu, parts))
        return undo.pop_all().close


def _logical_cpus(tf: Any, count: int) -> Undo:
    return _set_logical(tf, _config(tf, "list_physical_devices")("CPU")[0], [{}] * count)


def _pair(getter: str, setter: str) -> Callable[[Any, Any], Undo]:
    """Returns an action that calls a setter, and whose undo sets the value that the getter returned before."""

    def act(tf: Any, value: Any) -> Undo:
        get, put = lookup(tf, getter), lookup(tf, setter)
        before = get() if get is not None else False
        put(value)
        return lambda: put(before)

    return act


def _options(tf: Any, name: str, value: Any) -> Undo:
    before = tf.config.optimizer.get_experimental_options().get(name)
    tf.config.optimizer.set_experimental_options({name: value})
    return lambda: tf.config.optimizer.set_experimental_options({name: before})


ACTIONS = {
    "visible": _set_visible,
    "growth": _memory_growth,
    "logical_gpus": _logical_gpus,
    "logical_cpus": _logical_cpus,
    "soft": _pair("config.get_soft_device_placement", "config.set_soft_device_placement"),
    "log": _pair("debugging.get_log_device_placement", "debugging.set_log_device_placement"),
    "intra": _pair(
        "config.threading.get_intra_op_parallelism_threads", "config.threading.set_intra_op_parallelism_threads"
    ),
    "inter": _pair(
        "config.threading.get_inter_op_parallelism_threads", "config.threading.set_inter_op_parallelism_threads"
    ),
    "jit": _pair("config.optimizer.get_jit", "config.optimizer.set_jit"),
    "options": _options,
    "tf32": _pair(tf32.GETTER, tf32.SETTER),
}
