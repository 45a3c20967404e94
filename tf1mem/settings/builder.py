"""Configs with plain names: from keywords, and from environment variables for containers."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence

from tf1mem.errors import EnvironmentVariableError, SettingError, SettingTypeError, Tf1memError
from tf1mem.machine import cuda
from tf1mem.settings.settings import Settings
from tf1mem.settings.units import MIB


def config(
    *,
    allow_growth: bool = False,
    memory_fraction: float | Sequence[float] | None = None,
    memory_limit_mib: float | None = None,
    visible_gpus: Sequence[int] | None = None,
    split_mib: Sequence[float] | Sequence[Sequence[float]] | None = None,
    soft_placement: bool = False,
    log_placement: bool = False,
    threads: int | tuple[int, int] | None = None,
    jit: bool = False,
) -> Any:
    """Builds a ConfigProto from plain names.

    Args:
        allow_growth: Start small and reserve memory as it is needed.
        memory_fraction: The share of each GPU's memory to use, such as 0.4; above 1 means managed memory. A list gives
            each GPU its own share: it becomes limits in whole MiB, for which this machine's driver is asked.
        memory_limit_mib: The memory to use on each GPU in use, in MiB.
        visible_gpus: The GPUs to use, in order, such as [1, 0]; counted within CUDA_VISIBLE_DEVICES. An empty list
            hides all of them.
        split_mib: Logical devices on the first GPU in use, in MiB, such as [2048, 2048]; or such a list for each GPU.
        soft_placement: Ops move to a device that has a kernel for them. TF1's default is False.
        log_placement: Print where each op runs.
        threads: Threads inside one op; or a pair, with the number of ops that run side by side.
        jit: XLA compiles what it can.

    Returns:
        A `tf.compat.v1.ConfigProto` for `tf1mem.apply` or a Session.

    Raises:
        SettingError: Two of these contradict each other, or a value can't be used.
        SettingTypeError: A value is of the wrong type.
        TensorFlowNotFoundError: No TensorFlow is installed.
    """
    sizes = {"memory_fraction": memory_fraction, "memory_limit_mib": memory_limit_mib, "split_mib": split_mib}
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) > 1:
        raise SettingError(
            " with ".join(given),
            "each says how much memory to use",
            "Give one of memory_fraction, memory_limit_mib, split_mib",
        )
    gpu: dict[str, Any] = {"allow_growth": allow_growth}
    tree: dict[str, Any] = {
        "gpu_options": gpu,
        "allow_soft_placement": soft_placement,
        "log_device_placement": log_placement,
    }
    if visible_gpus is not None:
        gpus = _list("visible_gpus", visible_gpus)
        if gpus:
            gpu["visible_device_list"] = ",".join(str(_whole("visible_gpus", number)) for number in gpus)
        else:
            tree["device_count"] = {"GPU": 0}
    count = len(visible_gpus) if visible_gpus else None
    if isinstance(memory_fraction, (list, tuple)):
        _own_fractions(gpu, memory_fraction, visible_gpus)
    elif memory_fraction is not None:
        gpu["per_process_gpu_memory_fraction"] = memory_fraction
    if memory_limit_mib is not None:
        entry = {"memory_limit_mb": [_limit("memory_limit_mib", memory_limit_mib)]}
        gpu["experimental"] = {"virtual_devices": [entry] * (count or _gpus_here() or 1)}
    if split_mib is not None:
        gpu["experimental"] = {"virtual_devices": _split(split_mib, count or _gpus_here())}
    if threads is not None:
        tree.update(_threads(threads))
    if jit:
        tree["graph_options"] = {"optimizer_options": {"global_jit_level": "ON_1"}}
    return Settings.of(tree).to_proto()


def _threads(threads: int | tuple[int, int]) -> dict[str, int]:
    pair = threads if isinstance(threads, (list, tuple)) else (threads,)
    if len(pair) > 2:
        raise SettingError(f"threads={threads!r}", "is not one number or two", "Give (intra_op, inter_op)")
    names = ("intra_op_parallelism_threads", "inter_op_parallelism_threads")
    return {name: _whole("threads", number) for name, number in zip(names, pair)}


def _own_fractions(gpu: dict[str, Any], fractions: Sequence[float], visible: Any) -> None:
    """A fraction for each GPU: ConfigProto has one for all, so different ones become limits."""
    checked = [
        Settings.of({"gpu_options": {"per_process_gpu_memory_fraction": fraction}}).get(
            "gpu_options.per_process_gpu_memory_fraction", 0.0
        )
        for fraction in fractions
    ]
    asked = f"memory_fraction={fractions!r}"
    if not checked or min(checked) <= 0:
        raise SettingError(asked, "leaves a GPU without memory", "Give each GPU a number above 0")
    if len(set(checked)) == 1:
        gpu["per_process_gpu_memory_fraction"] = checked[0]
        return
    here = cuda.ask()
    order = list(visible) if visible else list(range(len(here or ())))
    if not here or len(order) != len(checked) or any(number >= len(here) for number in order):
        raise SettingError(
            asked,
            "{} shares for {} GPUs".format(len(checked), "an unknown number of" if here is None else len(order)),
            "Different shares become limits, which takes one for each GPU that is there; or give one number for all",
        )
    totals = [here[number].total_bytes for number in order]
    if None in totals or max(checked) > 1:
        raise SettingError(asked, "can't be said as limits", "Give one number for all GPUs")
    limits = [int((total or 0) * fraction) // MIB for total, fraction in zip(totals, checked)]
    gpu["experimental"] = {"virtual_devices": [{"memory_limit_mb": [limit]} for limit in limits]}


def _gpus_here() -> int:
    return len(cuda.ask() or ())


def _split(split: Any, count: int) -> list[dict[str, Any]]:
    parts = _list("split_mib", split)
    lists = parts if parts and isinstance(parts[0], (list, tuple)) else [parts]
    if not all(_list("split_mib", sizes) for sizes in lists):
        raise SettingError(f"split_mib={split!r}", "names no sizes", "Give sizes in MiB, such as [2048, 2048]")
    entries = [{"memory_limit_mb": [_limit("split_mib", size) for size in sizes]} for sizes in lists]
    # TensorFlow wants an entry for each GPU in use; one without sizes leaves that GPU whole.
    return entries + [{}] * (count - len(entries))


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, (list, tuple, range)):
        return list(value)
    raise SettingTypeError(f"{name}={value!r}", "is not a list", "Give a list, such as [0]")


def _whole(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise SettingTypeError(f"{name}={value!r}", "is not a whole number", "Give a number without quotes")


def _limit(name: str, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise SettingTypeError(f"{name}={value!r}", "is not a number", "Give MiB as a number, such as 2048")


# --- environment variables -------------------------------------------------------------------------------------


def from_env(environ: Mapping[str, str] | None = None) -> Any:
    """Builds a ConfigProto from environment variables, for containers.

    Args:
        environ: The variables; by default `os.environ`. Read are TF1MEM_ALLOW_GROWTH, TF1MEM_MEMORY_FRACTION,
            TF1MEM_MEMORY_LIMIT_MB (MiB), TF1MEM_VISIBLE_GPUS ("1,0"), TF1MEM_SPLIT_MB ("2048,2048"; ";" between GPUs),
            TF1MEM_SOFT_PLACEMENT and TF1MEM_LOG_PLACEMENT; and, where the like of them is absent, VISIBLE_GPU and
            MEMORY_LIMIT_MB, which guides use. An empty variable counts as absent.

    Returns:
        A `tf.compat.v1.ConfigProto`.

    Raises:
        EnvironmentVariableError: A variable is set and malformed; the message names it.
    """
    source = os.environ if environ is None else environ
    keywords: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for keyword, names, parse in _VARIABLES:
        for name in names:
            text = source.get(name, "")
            if isinstance(text, str) and not text.strip():
                continue
            keywords[keyword] = _parsed(name, text, parse)
            origin[keyword] = f"{name}={text!r}"
            break
    for keyword, value in keywords.items():
        _check_alone(keyword, value, origin[keyword])
    try:
        return config(**keywords)
    except Tf1memError as error:
        if isinstance(error, (SettingError, SettingTypeError)):
            raise EnvironmentVariableError(", ".join(origin.values()), error.wrong, error.remedy) from error
        raise


def malformed(environ: Mapping[str, str]) -> list[EnvironmentVariableError]:
    """What `from_env` would refuse, each variable by itself.

    Args:
        environ: The variables.
    """
    found = []
    for keyword, names, parse in _VARIABLES:
        name = next((name for name in names if environ.get(name, "").strip()), None)
        if name is None:
            continue
        text = environ[name].strip()
        try:
            _check_alone(keyword, _parsed(name, text, parse), f"{name}={text!r}")
        except EnvironmentVariableError as error:
            found.append(error)
    return found


def _parsed(name: str, text: Any, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(text.strip())
    except (ValueError, OverflowError, AttributeError):  # AttributeError: it is no string
        raise EnvironmentVariableError(f"{name}={text!r}", "is malformed", f"Set it to {_SHAPES[parse]}") from None


def _check_alone(keyword: str, value: Any, origin: str) -> None:
    """Checks one variable by itself, so that an error names it and no other."""
    tree: dict[str, Any] = {}
    if keyword == "memory_fraction":
        tree = {"per_process_gpu_memory_fraction": value}
    elif keyword == "memory_limit_mib":
        tree = {"experimental": {"virtual_devices": [{"memory_limit_mb": value}]}}
    elif keyword == "visible_gpus":
        tree = {"visible_device_list": ",".join(map(str, value))}
    elif keyword == "split_mib":
        tree = {"experimental": {"virtual_devices": _split(value, 0)}}
    try:
        Settings.of({"gpu_options": tree})
    except (SettingError, SettingTypeError) as error:
        raise EnvironmentVariableError(origin, error.wrong, error.remedy) from error


def _flag(text: str) -> bool:
    lowered = text.lower()
    if lowered in ("1", "true", "yes", "on"):
        return True
    if lowered in ("0", "false", "no", "off"):
        return False
    raise ValueError(text)


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _gpu_list(text: str) -> list[int]:
    if text == "-1":
        return []  # as CUDA_VISIBLE_DEVICES=-1: no GPU
    return [int(word) for word in text.split(",")]


def _sizes(text: str) -> list[list[float]]:
    return [[_number(word) for word in part.split(",")] for part in text.split(";")]


_SHAPES: dict[Callable[[str], Any], str] = {
    _flag: "true or false",
    _number: "a number, such as 2048",
    float: "a number, such as 0.4",
    _gpu_list: "numbers of GPUs, such as 0 or 1,0 (-1 for none)",
    _sizes: "sizes in MiB, such as 2048,2048",
}

_VARIABLES: tuple[tuple[str, tuple[str, ...], Callable[[str], Any]], ...] = (
    ("allow_growth", ("TF1MEM_ALLOW_GROWTH",), _flag),
    ("memory_fraction", ("TF1MEM_MEMORY_FRACTION",), float),
    ("memory_limit_mib", ("TF1MEM_MEMORY_LIMIT_MB", "MEMORY_LIMIT_MB"), _number),
    ("visible_gpus", ("TF1MEM_VISIBLE_GPUS", "VISIBLE_GPU"), _gpu_list),
    ("split_mib", ("TF1MEM_SPLIT_MB",), _sizes),
    ("soft_placement", ("TF1MEM_SOFT_PLACEMENT",), _flag),
    ("log_placement", ("TF1MEM_LOG_PLACEMENT",), _flag),
)
# The names of all of them.
VARIABLES = tuple(name for _, names, _ in _VARIABLES for name in names)
