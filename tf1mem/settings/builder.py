"""Builds configs and Settings from keyword arguments such as `allow_growth`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from tf1mem.errors import SettingError, SettingTypeError
from tf1mem.machine import cuda, eager_context
from tf1mem.settings.field_names import FRACTION
from tf1mem.settings.settings import Settings
from tf1mem.settings.units import MIB
from tf1mem.settings.values import assignment

if TYPE_CHECKING:
    from tf1mem.settings.proto_types import ConfigProto


def config(
    *,
    allow_growth: bool = False,
    memory_fraction: float | Sequence[float] | None = None,
    memory_limit_mib: float | None = None,
    visible_gpus: Sequence[int] | None = None,
    split_mib: Sequence[float] | Sequence[Sequence[float]] | None = None,
    managed_memory: bool = False,
    soft_placement: bool | None = None,
    log_placement: bool = False,
    threads: int | tuple[int, int] | None = None,
    jit: bool = False,
) -> ConfigProto:
    """Builds a ConfigProto from keyword arguments in place of its nested messages.

    Args:
        allow_growth: True to start small and reserve memory as it is needed. Defaults to False.
        memory_fraction: The share of each GPU's memory to use, such as 0.4; above 1 means managed memory, as in
            TensorFlow 1. A list with a share for each GPU becomes limits in whole MiB, by the memory that this
            machine's driver reports.
        memory_limit_mib: The memory to use on each GPU in use, in MiB.
        visible_gpus: The GPUs to use, in order, such as [1, 0]; numbered within CUDA_VISIBLE_DEVICES. An empty list
            hides all of them.
        split_mib: Logical devices on the first GPU in use, in MiB, such as [2048, 2048]; or such a list for each GPU.
        managed_memory: True for CUDA's managed memory, which can exceed the GPU's: the driver moves it between GPU and
            host. Defaults to False.
        soft_placement: True to move ops to a device that has a kernel for them; False not to, as TF1 does by default;
            None leaves it to TensorFlow.
        log_placement: True to print the device of each op. Defaults to False.
        threads: The number of threads inside one op; or a pair (intra_op, inter_op), also with the number of ops that
            run side by side.
        jit: True to compile with XLA where possible. Defaults to False.

    Returns:
        A `tf.compat.v1.ConfigProto` for `tf1mem.apply` or a Session.

    Raises:
        SettingError: Two arguments contradict each other, or a value can't be used.
        SettingTypeError: A value is of the wrong type.
        TensorFlowNotFoundError: No TensorFlow is installed.
    """
    return settings(**locals()).to_proto()


def settings(
    *,
    allow_growth: bool | None = None,
    memory_fraction: float | Sequence[float] | None = None,
    memory_limit_mib: float | None = None,
    visible_gpus: Sequence[int] | None = None,
    split_mib: Sequence[float] | Sequence[Sequence[float]] | None = None,
    managed_memory: bool = False,
    soft_placement: bool | None = None,
    log_placement: bool | None = None,
    threads: int | tuple[int, int] | None = None,
    jit: bool = False,
) -> Settings:
    """Returns Settings from the arguments of `config`, without TensorFlow; arguments that are None are left out.

    Raises:
        SettingError: Two arguments contradict each other, or a value can't be used.
        SettingTypeError: A value is of the wrong type.
    """
    sizes = {"memory_fraction": memory_fraction, "memory_limit_mib": memory_limit_mib, "split_mib": split_mib}
    used = [name for name, value in sizes.items() if value is not None]
    if len(used) > 1:
        raise SettingError(
            " with ".join(used),
            "each sets how much memory to use",
            "Give one of memory_fraction, memory_limit_mib, split_mib",
        )
    gpu: dict[str, Any] = {"allow_growth": allow_growth}
    tree: dict[str, Any] = {
        "gpu_options": gpu,
        "log_device_placement": log_placement,
    }
    if soft_placement is not None:
        tree["allow_soft_placement"] = soft_placement
    if managed_memory is not False:
        gpu["experimental"] = {"use_unified_memory": managed_memory}
    if visible_gpus is not None:
        gpus = _list("visible_gpus", visible_gpus)
        if gpus:
            gpu["visible_device_list"] = ",".join(str(_whole("visible_gpus", number)) for number in gpus)
        else:
            tree["device_count"] = {"GPU": 0}
    count = len(visible_gpus) if visible_gpus else None
    if isinstance(memory_fraction, (list, tuple)):
        _fraction_for_each(gpu, memory_fraction, visible_gpus)
    elif memory_fraction is not None:
        gpu["per_process_gpu_memory_fraction"] = memory_fraction
    if memory_limit_mib is not None:
        entry = {"memory_limit_mb": [_limit("memory_limit_mib", memory_limit_mib)]}
        gpu.setdefault("experimental", {})["virtual_devices"] = [entry] * (count or _gpus_here() or 1)
    if split_mib is not None:
        gpu.setdefault("experimental", {})["virtual_devices"] = split(
            split_mib, count or _gpus_here(), None if visible_gpus else eager_context.shown()
        )
    if threads is not None:
        tree.update(_threads(threads))
    if jit:
        tree["graph_options"] = {"optimizer_options": {"global_jit_level": "ON_1"}}
    return Settings.of(tree)


def _threads(threads: int | tuple[int, int]) -> dict[str, int]:
    pair = threads if isinstance(threads, (list, tuple)) else (threads,)
    if len(pair) > 2:
        raise SettingError(assignment("threads", threads), "is not one number or two", "Give (intra_op, inter_op)")
    names = ("intra_op_parallelism_threads", "inter_op_parallelism_threads")
    return {name: _whole("threads", number) for name, number in zip(names, pair)}


def _fraction_for_each(gpu: dict[str, Any], fractions: Sequence[float], visible: Any) -> None:
    """Sets a fraction for each GPU; ConfigProto has only one for all, so different ones become limits."""
    options = [{**gpu, "per_process_gpu_memory_fraction": fraction} for fraction in fractions]
    checked = [Settings.of({"gpu_options": entry}).get(FRACTION, 0.0) for entry in options]
    setting = assignment("memory_fraction", fractions)
    if not checked or min(checked) <= 0:
        raise SettingError(setting, "leaves a GPU without memory", "Give each GPU a number above 0")
    if len(set(checked)) == 1:
        gpu["per_process_gpu_memory_fraction"] = checked[0]
        return
    here = cuda.ask()
    order = list(visible) if visible else list(range(len(here or ())))
    if not here or len(order) != len(checked) or any(number >= len(here) for number in order):
        raise SettingError(
            setting,
            "{} shares for {} GPUs".format(len(checked), "an unknown number of" if here is None else len(order)),
            "Different shares become limits: give one share for each GPU that is there, or one number for all GPUs",
        )
    totals = [here[number].total_bytes for number in order]
    if None in totals or max(checked) > 1:
        raise SettingError(setting, "can't be expressed as limits", "Give one number for all GPUs")
    limits = [int((total or 0) * fraction) // MIB for total, fraction in zip(totals, checked)]
    gpu.setdefault("experimental", {})["virtual_devices"] = [{"memory_limit_mb": [limit]} for limit in limits]


def _gpus_here() -> int:
    return len(cuda.ask() or ())


def split(sizes_mib: Any, count: int, shown: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Returns the `virtual_devices` for sizes in MiB, of one GPU or of each.

    Args:
        sizes_mib: The sizes, as in `config`'s `split_mib`.
        count: The number of GPUs, 0 if it is unknown; GPUs without sizes get an empty entry.
        shown: The indices of the GPUs in use, or None for all of them.

    Raises:
        SettingError: A list of sizes is empty.
        SettingTypeError: `sizes_mib` isn't a list of numbers.
    """
    parts = _list("split_mib", sizes_mib)
    lists = parts if parts and isinstance(parts[0], (list, tuple)) else [parts]
    if not all(_list("split_mib", sizes) for sizes in lists):
        setting = assignment("split_mib", sizes_mib)
        raise SettingError(setting, "names no sizes", "Give sizes in MiB, such as [2048, 2048]")
    entries = [{"memory_limit_mb": [_limit("split_mib", size) for size in sizes]} for sizes in lists]
    # TensorFlow wants an entry for each GPU; one without sizes leaves that GPU whole.
    placed = dict(zip(shown if shown and len(entries) <= len(shown) else range(len(entries)), entries))
    return [placed.get(gpu, {}) for gpu in range(max(count, len(entries)))]


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, (list, tuple, range)):
        return list(value)
    raise SettingTypeError(assignment(name, value), "is not a list", "Give a list, such as [0]")


def _whole(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise SettingTypeError(assignment(name, value), "is not a whole number", "Give a number without quotes")


def _limit(name: str, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise SettingTypeError(assignment(name, value), "is not a number", "Give MiB as a number, such as 2048")
