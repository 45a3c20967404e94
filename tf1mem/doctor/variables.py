"""What each environment variable does to the settings, as TensorFlow, CUDA and Keras read it.

Sources: gpu_device.cc and gpu_process_state.cc (TF_FORCE_GPU_ALLOW_GROWTH, TF_GPU_ALLOCATOR, TF_GPU_THREAD_MODE),
gpu_bfc_allocator.cc (TF_ENABLE_GPU_GARBAGE_COLLECTION), lazy_loader.py (TF_USE_LEGACY_KERAS), the CUDA programming
guide's "Environment Variables", NVIDIA's container toolkit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from tf1mem.doctor.installed import Installed, legacy_keras
from tf1mem.doctor.within.names import GUIDES, NAMES, TF1MEM, matters
from tf1mem.errors import EnvironmentVariableError
from tf1mem.settings import builder


@dataclass(frozen=True)
class Variable:
    """An environment variable that is set.

    Attributes:
        name: Its name.
        value: Its value.
        does: What it does to the settings.
        understood: Whether its value means anything to who reads it.
    """

    name: str
    value: str
    does: str
    understood: bool = True


_Said = Callable[[str, Installed], str]
_NOT_UNDERSTOOD = "nothing: "


def look(environment: dict[str, str], installed: Installed) -> list[Variable]:
    """The variables that matter and are set, with what they do.

    Args:
        environment: All environment variables.
        installed: The TensorFlow that reads them.
    """
    order = {name: place for place, name in enumerate(NAMES)}
    found = []
    for name in sorted(filter(matters, environment), key=lambda name: (order.get(name, len(order)), name)):
        value = environment[name]
        does = _does(name)(value, installed)
        understood = not does.startswith(_NOT_UNDERSTOOD)
        found.append(Variable(name, value, does, understood))
    return found


def malformed(environment: dict[str, str]) -> list[tuple[str, str, str]]:
    """The variables that `tf1mem.from_env` would refuse: for each what it is, what is wrong, and what to do."""
    found = []
    for keyword, names, parse in builder._VARIABLES:
        for name in names:
            text = environment.get(name, "").strip()
            if not text:
                continue
            shown = f"{name}={text!r}"
            try:
                builder._check_alone(keyword, parse(text), shown)
            except EnvironmentVariableError as error:
                found.append((error.asked, error.wrong, error.remedy))
            except (ValueError, OverflowError):
                found.append((shown, "is malformed", f"Set it to {builder._SHAPES[parse]}"))
            break
    return found


def _does(name: str) -> _Said:
    if name in _MEANINGS:
        return _MEANINGS[name]
    if name.startswith(TF1MEM) or name in GUIDES:
        return lambda value, installed: "a setting that tf1mem.apply(tf1mem.from_env()) makes; nothing by itself"
    return lambda value, installed: "read by TensorFlow"


def _cuda_visible(value: str, installed: Installed) -> str:
    if value.strip() in ("", "-1"):
        return "hides every GPU"
    return (
        "CUDA shows these GPUs, in this order; visible_device_list and /gpu:N count within it. Read once, when CUDA "
        "starts"
    )


def _force_growth(value: str, installed: Installed) -> str:
    if value == "true":
        return "growth is on for every GPU and every Session, whatever configs say; caps stay"
    if value == "false":
        return "growth is off for every GPU and every Session, whatever configs say"
    return _NOT_UNDERSTOOD + "TensorFlow knows true and false only, in lower case"


def _allocator(value: str, installed: Installed) -> str:
    if value == "cuda_malloc_async" and (0, 0) < installed.release < (2, 5):
        return _NOT_UNDERSTOOD + "TensorFlow 2.4 and before don't know it"
    if value == "cuda_malloc_async":
        return "memory comes from CUDA's own pool (CUDA 11.2 and up), not from TensorFlow's BFC allocator"
    if value == "cuda_malloc":
        return "memory is taken from the driver piece by piece (for debugging): no growth, slow"
    if value == "memory_guard":
        return "each tensor is checked for what is written beside it (for debugging); growth and caps stay"
    return _NOT_UNDERSTOOD + "TensorFlow knows cuda_malloc_async, cuda_malloc and memory_guard"


def _legacy_keras(value: str, installed: Installed) -> str:
    if not legacy_keras({"TF_USE_LEGACY_KERAS": value}):
        return _NOT_UNDERSTOOD + "1, true and True turn it on; anything else is as if it weren't set"
    if installed.release < (2, 14):
        return "nothing in this TensorFlow: its tf.keras is Keras 2 anyway"
    return "tf.keras is the package tf_keras (Keras 2); read when TensorFlow is imported"


def _log_level(value: str, installed: Installed) -> str:
    placement = ", and with it where eager ops run" if (0, 0) < installed.release < (2, 10) else ""
    hidden = {"0": "nothing", "1": "INFO" + placement, "2": "INFO and WARNING", "3": "all but fatal"}
    if value not in hidden:
        return _NOT_UNDERSTOOD + "it takes 0 to 3"
    return f"of TensorFlow's C++ log hides {hidden[value]}"


def _container(value: str, installed: Installed) -> str:
    if value.strip() in ("", "void", "none"):
        return "the container toolkit gives this container no GPU"
    return "the container toolkit gives this container these GPUs"


def _switch(on: str, off: str) -> _Said:
    def said(value: str, installed: Installed) -> str:
        lowered = value.lower()
        if lowered in ("1", "true"):
            return on
        return off if lowered in ("0", "false") else _NOT_UNDERSTOOD + "it takes true or false"

    return said


def _garbage(value: str, installed: Installed) -> str:
    if value == "true":
        return "free regions go back to the driver when a larger one is needed, the default"
    if value == "false":
        return "regions are never given back"
    return _NOT_UNDERSTOOD + "TensorFlow knows true and false only, in lower case"


def _left_free(value: str, installed: Installed) -> str:
    if (0, 0) < installed.release < (2, 5):
        return "nothing in this TensorFlow: 2.4 and before don't read it"
    return "what TensorFlow leaves free on each GPU, in MiB, when nothing caps it"


def _always(text: str) -> _Said:
    return lambda value, installed: text


def _order_of_devices(value: str, installed: Installed) -> str:
    if value == "PCI_BUS_ID":
        return "GPUs are numbered as nvidia-smi numbers them"
    if value == "FASTEST_FIRST":
        return "GPUs are numbered from the fastest, CUDA's default: not as nvidia-smi does"
    return _NOT_UNDERSTOOD + "it takes PCI_BUS_ID or FASTEST_FIRST"


def _thread_mode(value: str, installed: Installed) -> str:
    modes = {
        "global": "GPU ops share the CPU's threads, the default",
        "gpu_private": "each GPU has threads of its own",
        "gpu_shared": "all GPUs share threads of their own",
    }
    return modes.get(value, _NOT_UNDERSTOOD + "it takes global, gpu_private or gpu_shared")


def _tf2_behavior(value: str, installed: Installed) -> str:
    if installed.release[0] == 2 and value != "0":
        return "what TensorFlow 2 sets itself; set before, 2.0 to 2.14 make their eager context later than on import"
    return "TensorFlow {}'s behaviour is asked for".format("1" if value == "0" else "2")


_JAX = _always("a setting of JAX, which shares the GPU with TensorFlow if both run; TensorFlow doesn't read it")
_MEANINGS: dict[str, _Said] = {
    "CUDA_VISIBLE_DEVICES": _cuda_visible,
    "CUDA_DEVICE_ORDER": _order_of_devices,
    "NVIDIA_VISIBLE_DEVICES": _container,
    "TF_FORCE_GPU_ALLOW_GROWTH": _force_growth,
    "TF_GPU_ALLOCATOR": _allocator,
    "TF_ENABLE_GPU_GARBAGE_COLLECTION": _garbage,
    "TF_FORCE_UNIFIED_MEMORY": _JAX,
    "TF_PER_DEVICE_MEMORY_LIMIT_MB": _always("each GPU counts as no larger than this, in MiB"),
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB": _left_free,
    "TF_GPU_THREAD_MODE": _thread_mode,
    "TF_GPU_THREAD_COUNT": _always("threads for each GPU, where TF_GPU_THREAD_MODE gives it its own"),
    "TF_USE_LEGACY_KERAS": _legacy_keras,
    "KERAS_BACKEND": _always("what Keras 3 computes with; without tensorflow, tf.config settings don't reach it"),
    "TF2_BEHAVIOR": _tf2_behavior,
    "TF_XLA_FLAGS": _always("turns on or tunes XLA, as global_jit_level does; read once"),
    "XLA_FLAGS": _always("tunes XLA; read once"),
    "XLA_PYTHON_CLIENT_PREALLOCATE": _JAX,
    "XLA_PYTHON_CLIENT_MEM_FRACTION": _JAX,
    "XLA_PYTHON_CLIENT_ALLOCATOR": _JAX,
    "TF_DETERMINISTIC_OPS": _switch(
        "ops are deterministic where they can be; memory settings stay", "nothing is changed"
    ),
    "TF_CUDNN_DETERMINISTIC": _switch("cuDNN is deterministic; memory settings stay", "nothing is changed"),
    "TF_CPP_MIN_LOG_LEVEL": _log_level,
    "TF_CPP_VMODULE": _always("says more of the named C++ files in TensorFlow's log"),
    "TF_NUM_INTRAOP_THREADS": _always("the size of intra_op thread pools that configs leave open"),
    "TF_NUM_INTEROP_THREADS": _always("the size of inter_op thread pools that configs leave open"),
    "TF_CONFIG": _always(
        "this process's place in a cluster: Estimator and MultiWorkerMirroredStrategy start Servers by it"
    ),
}
