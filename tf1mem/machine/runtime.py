"""Facts about TensorFlow: which one, which calls it has, which GPUs it sees, and whether its runtime has started.

All of it is found without starting the GPU runtime. TensorFlow has no public way to ask whether its eager context
exists or has started, so that is read off tensorflow/python/eager/context.py; where a TensorFlow hides it, the facts
say "unknown" and the plan takes a route that doesn't depend on it.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Callable

from packaging.version import InvalidVersion, Version

from tf1mem.errors import SettingError, TensorFlowNotFoundError, TensorFlowTooOldError
from tf1mem.machine import cuda as driver
from tf1mem.machine.cuda import Gpu

OLDEST = Version("1.13")
FORCE_GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
CUDA_VISIBLE = "CUDA_VISIBLE_DEVICES"

# The state of the eager context, which tells plain Sessions and eager ops their settings.
FREE = "free"  # it doesn't exist yet, and a ConfigProto can still be given to it
OURS = "ours"  # it holds a ConfigProto of tf1mem's
TAKEN = "taken"  # it exists, or can't be given a ConfigProto any more

_DISTRIBUTIONS = re.compile(
    r"(?:tensorflow|tf|intel|nvidia)[-_.]?(?:tensorflow|nightly)?"
    r"(?:[-_.](?:gpu|cpu|macos|rocm|intel|aarch64|cpu[-_.]aws))?$"
)


@dataclass(frozen=True)
class Runtime:
    """The TensorFlow to plan for.

    Attributes:
        version: TensorFlow's version.
        is_tf1: Whether it is TensorFlow 1: Sessions are the way in.
        names: The dotted names of the calls that routes use and this TensorFlow has, without "tf.".
        gpus: The GPUs that it sees, or None where they weren't counted.
        context: `FREE`, `OURS` or `TAKEN`.
        context_started: Whether the eager context has made its devices.
        started: Whether the runtime has started: thread pools are made, and hold until the process ends.
        gpus_started: Whether GPU settings have been read: a GPU device was made, or the eager context has started.
        reorderable: Whether CUDA_VISIBLE_DEVICES can still be set: CUDA hasn't started in this process.
        environment: The environment variables that TensorFlow or CUDA read.
        hypothetical: Whether this is another machine's TensorFlow, not the one installed here.
        order: The GPUs that tf1mem started CUDA with, in order, by their numbers before; None for all of them.
    """

    version: Version
    is_tf1: bool
    names: frozenset[str]
    gpus: tuple[Gpu, ...] | None = None
    context: str = TAKEN
    context_started: bool = False
    started: bool = False
    gpus_started: bool = False
    reorderable: bool = True
    environment: dict[str, str] = dataclass_field(default_factory=dict)
    hypothetical: bool = False
    order: tuple[int, ...] | None = None

    def has(self, name: str) -> bool:
        """Whether this TensorFlow has `tf.<name>`."""
        return name in self.names


def parse_version(text: Any) -> Version:
    """Parses a TensorFlow version: releases, candidates, nightlies, vendor suffixes.

    Raises:
        SettingError: It is not a version.
        TensorFlowTooOldError: It is older than 1.13.
    """
    try:
        version = Version(str(text))
    except ValueError:  # InvalidVersion, or a number of thousands of digits
        # "2.4.0-tf", "1.15.2+nv20.03 (custom)": the release in front is what counts.
        release = re.match(r"\s*v?(\d{1,9}\.\d{1,9}(?:\.\d{1,9})?)", str(text))
        if release is None:
            raise SettingError(f"tensorflow={text!r}", "is not a version", "Give one such as '2.21.0'") from None
        version = Version(release.group(1))
    if version.release[:2] < OLDEST.release:
        raise TensorFlowTooOldError(
            f"TensorFlow {text}",
            "is older than 1.13, the oldest that tf1mem knows",
            "pip install 'tensorflow>=1.13'",
        )
    return version


def installed_version() -> Version | None:
    """The version of the installed TensorFlow, read without importing it.

    Returns:
        None where there is none, or it doesn't say.
    """
    loaded = getattr(sys.modules.get("tensorflow"), "__version__", None)
    if loaded is not None:
        return _lenient(loaded)
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("tensorflow")
    if spec is None or not spec.submodule_search_locations:
        return None
    for package in spec.submodule_search_locations:
        try:
            entries = os.listdir(os.path.dirname(package))
        except OSError:
            continue
        for entry in entries:
            stem, ending = os.path.splitext(entry)
            name, _, version = stem.partition("-")
            if ending in (".dist-info", ".egg-info") and version and _DISTRIBUTIONS.match(name):
                found = _lenient(version.split("-py")[0])
                if found is not None:
                    return found
        stated = _stated_version(package)
        if stated is not None:
            return stated
    return None


def _stated_version(package: str) -> Version | None:
    """The version in the C headers that TensorFlow's wheels carry, for builds without metadata."""
    for name in ("release_version.h", "version.h"):
        try:
            with open(os.path.join(package, "include", "tensorflow", "core", "public", name), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        numbers = [re.search(rf"#define TF_{part}_VERSION\s+(\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
        if all(numbers):
            return _lenient(".".join(number.group(1) for number in numbers if number))
    return None


def _lenient(text: Any) -> Version | None:
    try:
        return Version(str(text))
    except InvalidVersion:
        release = re.match(r"\d+\.\d+(\.\d+)?", str(text))
        return Version(release.group(0)) if release else None


def check_installed() -> None:
    """Checks that there is a TensorFlow to apply settings to, without importing it.

    Raises:
        TensorFlowNotFoundError: There is none.
        TensorFlowTooOldError: It is older than 1.13.
    """
    from importlib.machinery import PathFinder

    version = installed_version()
    if version is not None:
        parse_version(version)
    elif PathFinder.find_spec("tensorflow") is None:
        raise _not_found()


def _not_found() -> TensorFlowNotFoundError:
    return TensorFlowNotFoundError("tensorflow", f"is not installed for {sys.executable}", "pip install tensorflow")


def import_tensorflow() -> Any:
    """The installed TensorFlow, imported.

    Raises:
        TensorFlowNotFoundError: There is none.
        TensorFlowTooOldError: It is older than 1.13.
    """
    try:
        import tensorflow as tf
    except ImportError as error:
        if getattr(error, "name", None) not in ("tensorflow", None):
            raise  # TensorFlow is there, and its own import fails: its message says more
        if error.name is None:
            raise
        raise _not_found() from None
    if not hasattr(tf, "__version__") and not hasattr(tf, "compat"):
        raise TensorFlowNotFoundError(
            "tensorflow",
            "{} is not TensorFlow".format(getattr(tf, "__path__", tf)),
            "Rename that folder, or pip install tensorflow",
        )
    if lookup(tf, "compat.v1.ConfigProto") is None:  # there since 1.13, whatever the version says
        parse_version(getattr(tf, "__version__", "0"))
    return tf


def is_tf1(tf: Any) -> bool:
    """Whether a TensorFlow is TensorFlow 1, whatever its version says."""
    return _has(tf, "Session")


def detect(count_gpus: Callable[[], tuple[Gpu, ...] | None] = driver.ask) -> Runtime:
    """The facts about the installed TensorFlow.

    Args:
        count_gpus: How the driver is asked; by default in a child process, so that CUDA does not start in this one.

    Returns:
        What there is, found without starting the GPU runtime.

    Raises:
        TensorFlowNotFoundError: No TensorFlow is installed.
        TensorFlowTooOldError: It is older than 1.13.
    """
    from tf1mem import routes
    from tf1mem.routes import environment

    tf = import_tensorflow()
    started, in_context = has_started(tf), context_started(tf)
    gpus: tuple[Gpu, ...] | None = None
    if not _built_for(tf, "rocm"):  # ROCm's GPUs are not CUDA's to count
        gpus = count_gpus() if _built_for(tf, "cuda", unless_said=True) else ()
    return Runtime(
        version=_lenient(getattr(tf, "__version__", None)) or Version("0"),
        is_tf1=is_tf1(tf),
        names=frozenset(name for name in routes.all_names() if _has(tf, name)),
        gpus=gpus,
        context=context_state(tf),
        context_started=in_context,
        started=started,
        gpus_started=gpus != () and (in_context or (started and driver.in_use(unless_known=True))),
        reorderable=not cuda_started(tf),
        environment=environment.outside((FORCE_GROWTH, CUDA_VISIBLE)),
        order=environment.cuda_order(),
    )


def suppose(version: Any, gpus: Any) -> Runtime:
    """The facts about a TensorFlow that isn't installed here: a fresh process that has imported it.

    Args:
        version: Its version.
        gpus: How many GPUs it has, their sizes in bytes, or None.

    Raises:
        SettingError: The version is none, or the number of GPUs is negative.
        TensorFlowTooOldError: The version is older than 1.13.
    """
    from tf1mem import routes

    parsed = parse_version(version)
    old = parsed.release[0] < 2
    creates_context = parsed.release[:2] == (2, 0) or (2, 3) <= parsed.release[:2] < (2, 15)
    return Runtime(
        version=parsed,
        is_tf1=old,
        names=routes.names_in(parsed),
        gpus=supposed_gpus(gpus),
        # tf1mem imported first keeps TensorFlow from creating it; otherwise these versions do (see hooks/watch.py).
        context=TAKEN if creates_context or parsed.release[:2] == (1, 13) else FREE,
        hypothetical=True,
    )


def supposed_gpus(gpus: Any) -> tuple[Gpu, ...] | None:
    """GPUs as a caller names them: how many, or their sizes in bytes.

    Raises:
        SettingError: The number is negative or no number.
    """
    if gpus is None:
        return None
    if isinstance(gpus, bool) or (isinstance(gpus, int) and gpus < 0):
        raise SettingError(f"gpus={gpus!r}", "is not a number of GPUs", "Give 0 or more")
    if isinstance(gpus, int):
        return tuple(Gpu() for _ in range(gpus))
    try:
        if isinstance(gpus, (str, bytes)):
            raise TypeError
        sizes = [int(size) for size in gpus]
    except (TypeError, ValueError, OverflowError):
        raise SettingError(
            f"gpus={gpus!r}",
            "is neither a number nor a list of sizes",
            "Give 2, or [8589934592, 8589934592]",
        ) from None
    if any(size <= 0 for size in sizes):
        raise SettingError(f"gpus={gpus!r}", "a GPU without memory", "Give sizes in bytes")
    return tuple(Gpu(size) for size in sizes)


def lookup(tf: Any, name: str) -> Any:
    """`tf.<name>`, or None where any part of it is missing."""
    value = tf
    for part in name.split("."):
        try:
            value = getattr(value, part, None)
        except ImportError:  # a lazily loaded part that isn't installed
            return None
        if value is None:
            return None
    return value


def _has(tf: Any, name: str) -> bool:
    # 1.15 logs a warning if a deprecated name is asked for: its own names are read off the list.
    return name in dir(tf) if "." not in name else lookup(tf, name) is not None


def _built_for(tf: Any, kind: str, unless_said: bool = False) -> bool:
    built = lookup(tf, "test.is_built_with_" + kind)
    return unless_said if built is None else bool(built())


def context_module(tf: Any) -> Any:
    """TensorFlow's module that holds the eager context; None where it isn't found."""
    for package in ("tensorflow", "tensorflow_core"):
        module = sys.modules.get(package + ".python.eager.context")
        if module is not None:
            return module
    return None


def has_context(tf: Any) -> bool:
    """Whether there is an eager context already, of whichever config; True where that can't be told."""
    return getattr(context_module(tf), "_context", True) is not None


def context_state(tf: Any) -> str:
    """Whether the eager context can be given a ConfigProto: `FREE`, `OURS` or `TAKEN`."""
    from tf1mem.routes import eager_config

    module = context_module(tf)
    if module is None or not hasattr(module, "_context"):
        return TAKEN
    context = module._context
    if context is not None:
        if getattr(context, "_context_handle", None) is not None:
            return TAKEN
        return OURS if eager_config.is_ours(getattr(context, "_config", None)) else TAKEN
    if lookup(tf, "config.experimental.list_physical_devices") is None:
        return TAKEN  # 1.13: plain Sessions don't ask the context
    if getattr(module, "default_execution_mode", None) == getattr(module, "EAGER_MODE", 1):
        return FREE
    # In graph mode TensorFlow refuses once the default graph exists.
    return TAKEN if _global_graph_used(module) else FREE


def _global_graph_used(context_module: Any) -> bool:
    """Whether the default graph exists; True where that can't be told."""
    name = getattr(context_module, "__name__", "").replace("eager.context", "framework.ops")
    stack = getattr(sys.modules.get(name), "_default_graph_stack", None)
    return getattr(stack, "_global_default_graph", stack or True) is not None


def has_started(tf: Any) -> bool:
    """Whether TensorFlow's runtime has started: a Session, an eager op or a device listing came before."""
    from tf1mem.hooks import watch

    if watch.first_start() is not None:
        return True
    if context_started(tf):
        return True
    if _started_unseen(tf):
        watch.started_unseen()
        return True
    return False


def context_started(tf: Any) -> bool:
    """Whether the eager context has made its devices."""
    context = getattr(context_module(tf), "_context", None)
    return getattr(context, "_context_handle", None) is not None


_looked = False


def _started_unseen(tf: Any) -> bool:
    """Signs that the runtime was started before tf1mem could watch: a GPU in use, or a Session that lives."""
    global _looked
    from tf1mem.hooks import watch

    if _looked or not watch.came_late():
        return False
    _looked = True  # what happens from here on is seen
    if "torch" not in sys.modules and driver.in_use():
        return True
    if not _global_graph_used(context_module(tf)):
        return False  # no Session was made without a graph of its own: spare the search
    import gc

    classes = []
    for package in ("tensorflow", "tensorflow_core"):
        base = getattr(sys.modules.get(package + ".python.client.session"), "BaseSession", None)
        classes += [] if base is None else [base, *_subclasses(base)]
    return any(isinstance(thing, tuple(classes)) for thing in gc.get_referrers(*classes))


def _subclasses(base: type) -> list[type]:
    found: list[type] = []
    direct: type
    for direct in base.__subclasses__():
        found += [direct, *_subclasses(direct)]
    return found


def cuda_started(tf: Any) -> bool:
    """Whether CUDA has read CUDA_VISIBLE_DEVICES in this process, as far as can be told."""
    context = getattr(context_module(tf), "_context", None)
    return has_started(tf) or getattr(context, "_physical_devices", None) is not None
