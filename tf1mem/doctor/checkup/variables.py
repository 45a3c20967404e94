"""A table of the environment variables that affect the settings: the effect of each value, and the variable's reader.

Sources: gpu_device.cc and gpu_process_state.cc (TF_FORCE_GPU_ALLOW_GROWTH, TF_GPU_ALLOCATOR, TF_GPU_THREAD_MODE),
gpu_bfc_allocator.cc (TF_ENABLE_GPU_GARBAGE_COLLECTION), lazy_loader.py (TF_USE_LEGACY_KERAS), the CUDA programming
guide's "Environment Variables", NVIDIA's container toolkit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, NamedTuple

from tf1mem.doctor.checkup.installed import Installed
from tf1mem.doctor.watch.within.set_variables import is_own
from tf1mem.machine import legacy_keras, tf32
from tf1mem.settings.environment import VARIABLES as FROM_ENV_VARIABLES
from tf1mem.settings.environment import unread
from tf1mem.settings.variable_names import TF1_SEEDS, TF_VERSION

# The readers: each reads its variables once, when it starts or is imported.
RUNTIME, CUDA, TENSORFLOW, KERAS = "the GPU runtime", "CUDA", "TensorFlow", "Keras"


@dataclass(frozen=True)
class Variable:
    """An environment variable that is set.

    Attributes:
        name: Variable name.
        value: Variable value.
        does: Effect on the settings, in words.
        understood: True if the value has a meaning for the variable's reader.
    """

    name: str
    value: str
    does: str
    understood: bool = True


class _Meaning(NamedTuple):
    """The meaning of a value; see `Variable`."""

    does: str
    understood: bool = True


class _Row(NamedTuple):
    """A variable's row: the function that returns the meaning of a value, and the variable's reader."""

    meaning: Callable[[str, Installed], _Meaning]
    reader: str = ""


def names() -> list[str]:
    """Returns the variables that matter, except tf1mem's own, which are recognised by their prefix."""
    return [*_TABLE, *(name for name in FROM_ENV_VARIABLES if not is_own(name))]


def read_by(name: str) -> str:
    """Returns the reader of a variable, `RUNTIME`, `CUDA`, `TENSORFLOW` or `KERAS`; "" if unknown."""
    return _TABLE[name].reader if name in _TABLE else ""


def look(environment: dict[str, str], installed: Installed) -> list[Variable]:
    """Returns the variables that are set and matter, with their effects.

    Args:
        environment: All environment variables.
        installed: The TensorFlow that reads them.
    """
    order = {name: place for place, name in enumerate(_TABLE)}
    relevant = {*names(), *filter(is_own, environment)} & set(environment)
    return [
        Variable(name, environment[name], *(_TABLE.get(name) or _own_row(name)).meaning(environment[name], installed))
        for name in sorted(relevant, key=lambda name: (order.get(name, len(order)), name))
    ]


def _nothing(why: str) -> _Meaning:
    return _Meaning("nothing: " + why, understood=False)


def _is_older(installed: Installed, release: tuple[int, int]) -> bool:
    """Returns True if TensorFlow is installed, and older than a release."""
    return (0, 0) < installed.release < release


def _always(does: str, reader: str = "") -> _Row:
    """Returns the row of a variable that has the same effect with any value."""
    return _Row(lambda value, installed: _Meaning(does), reader)


def _one_of(does: dict[str, str], otherwise: str, reader: str = "") -> _Row:
    """Returns the row of a variable that accepts only some values."""
    return _Row(lambda value, installed: _Meaning(does[value]) if value in does else _nothing(otherwise), reader)


def _switch(on: str, off: str) -> _Row:
    """Returns the row of a variable that is on or off, by 1, true, 0 or false in any case."""
    does = {"1": on, "true": on, "0": off, "false": off}
    row = _one_of(does, "it takes true or false")
    return _Row(lambda value, installed: row.meaning(value.lower(), installed))


def _cuda_visible(value: str, installed: Installed) -> _Meaning:
    if value.strip() in ("", "-1"):
        return _Meaning("hides every GPU")
    return _Meaning(
        "CUDA shows only these GPUs, in this order; visible_device_list and /gpu:N count within them. Read once, when "
        "CUDA starts"
    )


def _container(value: str, installed: Installed) -> _Meaning:
    which = "no GPU" if value.strip() in ("", "void", "none") else "the GPUs named"
    return _Meaning("the container toolkit gives this container " + which)


def _allocator(value: str, installed: Installed) -> _Meaning:
    if value == "cuda_malloc_async" and _is_older(installed, (2, 5)):
        return _nothing("TensorFlow 2.4 and before don't know it")
    return _ALLOCATORS.meaning(value, installed)


_ALLOCATORS = _one_of(
    {
        "cuda_malloc_async": "memory comes from CUDA's own pool (CUDA 11.2 and up), not from TensorFlow's BFC "
        "allocator",
        "cuda_malloc": "memory is taken from the driver piece by piece (for debugging): no growth, slow",
        "memory_guard": "writes past the ends of a tensor are detected (for debugging); growth and caps still hold",
    },
    "TensorFlow knows cuda_malloc_async, cuda_malloc and memory_guard",
)


def _legacy_keras(value: str, installed: Installed) -> _Meaning:
    if not legacy_keras.is_selected({legacy_keras.VARIABLE: value}):
        return _nothing("1, true and True turn it on; any other value has no effect")
    if installed.release < (2, 14):
        return _Meaning("nothing in this TensorFlow: its tf.keras is Keras 2 anyway")
    return _Meaning("tf.keras is the package tf_keras (Keras 2); read when TensorFlow is imported")


def _log_level(value: str, installed: Installed) -> _Meaning:
    placement = ", and with it where eager ops run" if _is_older(installed, (2, 10)) else ""
    hidden = {"0": "nothing", "1": "INFO" + placement, "2": "INFO and WARNING", "3": "all but fatal errors"}
    if value not in hidden:
        return _nothing("it takes 0 to 3")
    return _Meaning(f"hides {hidden[value]} of TensorFlow's C++ log")


def _left_free(value: str, installed: Installed) -> _Meaning:
    if _is_older(installed, (2, 5)):
        return _Meaning("nothing in this TensorFlow: 2.4 and before don't read it")
    return _Meaning("the memory that TensorFlow leaves free on each GPU, in MiB, where nothing caps it")


def _tf2_behavior(value: str, installed: Installed) -> _Meaning:
    if installed.release[0] == 2 and value != "0":
        return _Meaning(
            "TensorFlow 2 sets it itself; if it is set before the import, 2.0 to 2.14 make their eager context later, "
            "not during the import"
        )
    return _Meaning(f"TensorFlow {'1' if value == '0' else '2'}'s behaviour is requested")


_TRUE_AND_FALSE = "TensorFlow knows true and false only, in lower case"
_JAX = _always("a setting of JAX, which shares the GPU with TensorFlow if both run; TensorFlow doesn't read it")


def _own_row(name: str) -> _Row:
    why = unread(name)
    if why:
        return _Row(lambda value, installed: _nothing(why))
    by_run = ", and tf1mem run does for a program without settings" if is_own(name) else ""
    return _always(f"tf1mem.apply(tf1mem.from_env()) applies it{by_run}; it does nothing by itself")


# In the order of the report.
_TABLE = {
    "CUDA_VISIBLE_DEVICES": _Row(_cuda_visible, CUDA),
    "CUDA_DEVICE_ORDER": _one_of(
        {
            "PCI_BUS_ID": "GPUs are numbered as nvidia-smi numbers them",
            "FASTEST_FIRST": "GPUs are numbered from the fastest, CUDA's default: not as nvidia-smi does",
        },
        "it takes PCI_BUS_ID or FASTEST_FIRST",
        CUDA,
    ),
    "NVIDIA_VISIBLE_DEVICES": _Row(_container),
    "TF_FORCE_GPU_ALLOW_GROWTH": _one_of(
        {
            "true": "growth is on for every GPU and every Session, whatever configs say; caps still hold",
            "false": "growth is off for every GPU and every Session, whatever configs say",
        },
        _TRUE_AND_FALSE,
        RUNTIME,
    ),
    "TF_GPU_ALLOCATOR": _Row(_allocator, RUNTIME),
    "TF_ENABLE_GPU_GARBAGE_COLLECTION": _one_of(
        {
            "true": "free regions go back to the driver when a larger one is needed, the default",
            "false": "regions are never given back",
        },
        _TRUE_AND_FALSE,
        RUNTIME,
    ),
    "TF_FORCE_UNIFIED_MEMORY": _JAX,
    "TF_PER_DEVICE_MEMORY_LIMIT_MB": _always("each GPU counts as no larger than this, in MiB", RUNTIME),
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB": _Row(_left_free, RUNTIME),
    "TF_GPU_THREAD_MODE": _one_of(
        {
            "global": "GPU ops share the CPU's threads, the default",
            "gpu_private": "each GPU has its own threads",
            "gpu_shared": "all GPUs share one thread pool, apart from the CPU's",
        },
        "it takes global, gpu_private or gpu_shared",
        RUNTIME,
    ),
    "TF_GPU_THREAD_COUNT": _always("number of threads in each pool that TF_GPU_THREAD_MODE creates", RUNTIME),
    "TF_USE_LEGACY_KERAS": _Row(_legacy_keras, TENSORFLOW),
    "KERAS_BACKEND": _always("the backend of Keras 3; tf.config settings don't reach any other than tensorflow", KERAS),
    "TF2_BEHAVIOR": _Row(_tf2_behavior),
    TF1_SEEDS: _switch(
        "under tf1mem.v1 a graph with a seed draws the numbers that TensorFlow 1 drew, the default",
        "under tf1mem.v1, too, a graph with a seed draws TensorFlow 2's numbers",
    ),
    TF_VERSION: _always("programs see this as tf.__version__ under tf1mem.v1; nothing else changes"),
    tf32.VARIABLE: _switch(
        "float32 is computed in TF32 on GPUs that can, TensorFlow 2's default",
        "tf1mem turns TF32 off when it applies settings: float32 is computed as in TensorFlow 1.15",
    ),
    tf32.OVERRIDE: _one_of(
        {
            "0": "NVIDIA's libraries compute nothing in TF32",
            "1": "NVIDIA's libraries compute float32 in TF32 where TensorFlow asks for it, their default",
        },
        "it takes 0 or 1",
        CUDA,
    ),
    "TF_XLA_FLAGS": _always("turns on or tunes XLA, as global_jit_level does; read once", RUNTIME),
    "XLA_FLAGS": _always("tunes XLA; read once"),
    "XLA_PYTHON_CLIENT_PREALLOCATE": _JAX,
    "XLA_PYTHON_CLIENT_MEM_FRACTION": _JAX,
    "XLA_PYTHON_CLIENT_ALLOCATOR": _JAX,
    "TF_DETERMINISTIC_OPS": _switch(
        "ops are deterministic where they can be; memory settings still hold", "nothing is changed"
    ),
    "TF_CUDNN_DETERMINISTIC": _switch("cuDNN is deterministic; memory settings still hold", "nothing is changed"),
    "TF_CPP_MIN_LOG_LEVEL": _Row(_log_level),
    "TF_CPP_VMODULE": _always("logs more of the named C++ files in TensorFlow's log"),
    "TF_NUM_INTRAOP_THREADS": _always(
        "number of threads inside one op, where a config doesn't set intra_op_parallelism_threads", RUNTIME
    ),
    "TF_NUM_INTEROP_THREADS": _always(
        "number of ops that run side by side, where a config doesn't set inter_op_parallelism_threads", RUNTIME
    ),
    "TF_CONFIG": _always(
        "this process's place in a cluster: Estimator and MultiWorkerMirroredStrategy start Servers from it"
    ),
}
