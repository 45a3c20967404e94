"""Collects the facts that a plan depends on: TensorFlow's version and calls, the GPUs, and the runtime's state.

It collects them without starting the GPU runtime. A fact that can't be read is "unknown", and the plan takes a route
that doesn't depend on it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Callable

from packaging.version import Version

from tf1mem.errors import SettingError
from tf1mem.machine import cuda, eager_context, first_start, own_changes, tf32
from tf1mem.machine.call_versions import CALLS, calls_in
from tf1mem.machine.cuda import CudaGpu
from tf1mem.machine.eager_context import FREE, TAKEN
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.tensorflow import has, import_tensorflow, is_tf1, lookup, parse_leniently, parse_version

FORCE_GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
CUDA_VISIBLE = "CUDA_VISIBLE_DEVICES"
_READ = (FORCE_GROWTH, CUDA_VISIBLE, tf32.VARIABLE)


@dataclass(frozen=True)
class Runtime:
    """The TensorFlow to plan for.

    Attributes:
        version: TensorFlow's version.
        is_tf1: True for TensorFlow 1, where Sessions carry the settings.
        names: The dotted names, without "tf.", of the calls that routes use and this TensorFlow has.
        gpus: The GPUs that TensorFlow sees, or None if they weren't counted.
        context: The eager context's state: "free" if it can get a ConfigProto, "ours" if it has tf1mem's, else "taken".
        context_started: True if the eager context has created its devices, or any start of the runtime has just begun.
        started: True if the runtime has started; its thread pools then stay until the process ends.
        gpus_started: True if GPU settings were read: a GPU device was created, or the eager context has started.
        reorderable: True if CUDA hasn't started in this process, so that CUDA_VISIBLE_DEVICES can still be set.
        environment: The environment variables that TensorFlow, CUDA or a plan reads.
        hypothetical: True for another machine's TensorFlow, not the one installed here.
        order: The GPUs that tf1mem started CUDA with, in order, by their original numbers; None for all of them.
        limits: GPU name -> limits in MiB that the program itself has set by tf.config.
        splits: True if the program itself created logical devices by tf.config, of GPUs or of the CPU.
        shown: The numbers of the GPUs that tf.config shows if the program hid others; None if it shows all.
        keras_has_own_config: True if Keras creates its Session from a fixed config, not from the context's.
        uses_tf32: True if TensorFlow computes float32 in TF32 on GPUs that can; False if it can't, or if the program or
            the environment has turned that off.
    """

    version: Version
    is_tf1: bool
    names: frozenset[str]
    gpus: tuple[CudaGpu, ...] | None = None
    context: str = TAKEN
    context_started: bool = False
    started: bool = False
    gpus_started: bool = False
    reorderable: bool = True
    environment: dict[str, str] = dataclass_field(default_factory=dict)
    hypothetical: bool = False
    order: tuple[int, ...] | None = None
    limits: dict[str, tuple[float, ...]] = dataclass_field(default_factory=dict)
    splits: bool = False
    shown: tuple[int, ...] | None = None
    keras_has_own_config: bool = False
    uses_tf32: bool = False

    def has(self, name: str) -> bool:
        """Returns True if this TensorFlow has `tf.<name>`."""
        return name in self.names


def detect(count_gpus: Callable[[], tuple[CudaGpu, ...] | None] = cuda.ask) -> Runtime:
    """Returns the facts about the installed TensorFlow, without starting the GPU runtime.

    Args:
        count_gpus: A function that returns the GPUs; by default it asks the driver in a child process, so that CUDA
            doesn't start in this one.

    Raises:
        TensorFlowNotFoundError: No TensorFlow is installed.
        TensorFlowTooOldError: TensorFlow is older than 1.13.
    """
    tf = import_tensorflow()
    started = has_started()
    context_started = eager_context.has_started() or first_start.has_begun()
    gpus: tuple[CudaGpu, ...] | None = None
    if not _built_for(tf, "rocm"):  # CUDA doesn't list ROCm's GPUs
        gpus = count_gpus() if _built_for(tf, "cuda", default=True) else ()
    return Runtime(
        version=parse_leniently(getattr(tf, "__version__", None)) or Version("0"),
        is_tf1=is_tf1(tf),
        names=frozenset(name for name in CALLS if has(tf, name)),
        gpus=gpus,
        context=eager_context.state(tf),
        context_started=context_started,
        started=started,
        gpus_started=gpus != () and (context_started or (started and cuda.in_use(without_driver=True))),
        reorderable=not cuda_started(),
        environment=_environment(),
        order=own_changes.cuda_order,
        limits=eager_context.limits(),
        splits=eager_context.splits(),
        shown=eager_context.shown(),
        keras_has_own_config=_keras_has_own_config(tf),
        uses_tf32=tf32.is_in_use(tf),
    )


def suppose(version: Any, gpus: Any) -> Runtime:
    """Returns the facts about a TensorFlow that isn't installed here, as in a fresh process that has imported it.

    Args:
        version: TensorFlow's version.
        gpus: The number of GPUs, a list of their sizes in bytes or of `CudaGpu`, or None if they aren't known.

    Raises:
        SettingError: The version isn't a version number, or the GPUs aren't a number from 0 or sizes above 0.
        TensorFlowTooOldError: The version is older than 1.13.
    """
    parsed = parse_version(version)
    creates_context = parsed.release[:2] == (2, 0) or (2, 3) <= parsed.release[:2] < (2, 15)
    return Runtime(
        version=parsed,
        is_tf1=parsed.release[0] < 2,
        names=calls_in(parsed),
        gpus=supposed_gpus(gpus),
        # These versions create the context while they are imported, unless tf1mem is imported first (hooks/finder.py).
        context=TAKEN if creates_context or parsed.release[:2] == (1, 13) else FREE,
        hypothetical=True,
        keras_has_own_config=parsed.release[:2] < (1, 15),
        uses_tf32=tf32.GETTER in calls_in(parsed),
    )


def supposed_gpus(gpus: Any) -> tuple[CudaGpu, ...] | None:
    """Returns GPUs from their number, or from a list of their sizes in bytes or of `CudaGpu`.

    Raises:
        SettingError: The number is negative, a size isn't positive, or `gpus` is neither a number nor a list of sizes.
    """
    if gpus is None:
        return None
    if isinstance(gpus, bool) or (isinstance(gpus, int) and gpus < 0):
        raise SettingError(f"gpus={gpus!r}", "is not a number of GPUs", "Give 0 or more")
    if isinstance(gpus, int):
        return tuple(CudaGpu() for _ in range(gpus))
    try:
        if isinstance(gpus, (str, bytes)):
            raise TypeError
        listed = [gpu if isinstance(gpu, CudaGpu) else CudaGpu(int(gpu)) for gpu in gpus]
    except (TypeError, ValueError, OverflowError):
        raise SettingError(
            f"gpus={gpus!r}", "is neither a number nor a list of sizes", "Give 2, or [8589934592, 8589934592]"
        ) from None
    if any(gpu.total_bytes is not None and gpu.total_bytes <= 0 for gpu in listed):
        raise SettingError(f"gpus={gpus!r}", "a GPU has no memory", "Give sizes in bytes")
    return tuple(listed)


def _built_for(tf: Any, kind: str, default: bool = False) -> bool:
    built = lookup(tf, "test.is_built_with_" + kind)
    return default if built is None else bool(built())


def has_started() -> bool:
    """Returns True if TensorFlow's runtime has started, by a Session, an eager op or a device listing."""
    if first_start.seen() is not None or first_start.has_begun() or eager_context.has_started():
        return True
    if _started_unseen():
        first_start.note_unseen()
        return True
    return False


_has_searched = False  # True once the slow search for a runtime that started before the hooks is over


def _started_unseen() -> bool:
    """Returns True on signs that the runtime was started before tf1mem's hooks: a GPU in use, or a live Session."""
    global _has_searched
    if _has_searched or not first_start.hooks_are_late:
        return False
    _has_searched = True  # the hooks record every start from here on
    if "torch" not in sys.modules and cuda.in_use():
        return True
    if not eager_context.has_default_graph():
        return False  # no Session uses the default graph, so the slow search isn't worth it
    import gc

    base = getattr(loaded_module("python.client.session"), "BaseSession", None)
    classes = [] if base is None else [base, *_subclasses(base)]
    return any(isinstance(referrer, tuple(classes)) for referrer in gc.get_referrers(*classes))


def _subclasses(base: type) -> list[type]:
    classes: list[type] = []
    direct: type
    for direct in base.__subclasses__():
        classes += [direct, *_subclasses(direct)]
    return classes


def cuda_started() -> bool:
    """Returns True if CUDA has read CUDA_VISIBLE_DEVICES in this process, as far as can be determined."""
    return has_started() or eager_context.has_listed_devices()


def _environment() -> dict[str, str]:
    """Returns the variables that TensorFlow, CUDA or a plan reads, as far as others than tf1mem have set them."""
    ours = (FORCE_GROWTH,) if own_changes.forces_growth else ()
    return {name: os.environ[name] for name in _READ if name in os.environ and name not in ours}


def _keras_has_own_config(tf: Any) -> bool:
    """Returns True if Keras creates its Session from a fixed config, as on 1.13 and 1.14; reads Keras's code for it."""
    function = getattr(loaded_module("python.keras.backend"), "get_default_session_config", None)
    function = getattr(function, "__wrapped__", function)
    return is_tf1(tf) and "context" not in getattr(getattr(function, "__code__", None), "co_names", ("context",))
