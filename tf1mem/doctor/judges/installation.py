"""Findings about the machine: installed packages, the driver, the libraries, and the environment variables."""

from __future__ import annotations

from typing import Iterator

from tf1mem.doctor.checkup import Checkup, listed_devices
from tf1mem.doctor.checkup.driver import ABSENT, ERROR, Driver, PhysicalGpu
from tf1mem.doctor.finding import Finding, Kind
from tf1mem.machine import legacy_keras, tf32
from tf1mem.machine.architectures import CANNOT, COMPILES, NATIVE
from tf1mem.machine.builds import KnownFailure, builds_for, capability, how_and_failure
from tf1mem.machine.call_versions import CALLS
from tf1mem.machine.child import FAILED, SILENT
from tf1mem.machine.tensorflow import INSTALL
from tf1mem.machine.versions import OLDEST
from tf1mem.settings.environment import malformed
from tf1mem.settings.units import size

_MUCH = 0.1  # the fraction of a GPU's memory that others may hold without a finding

NO_TENSORFLOW = Kind.error(
    "TFD101",
    "No TensorFlow is installed for this Python.",
    f"`{INSTALL}`, or run the doctor with the Python that has it",
)
GET_TENSORFLOW = f"{INSTALL}, or run tf1mem doctor with the Python that has it: python -m tf1mem doctor"


def findings(checkup: Checkup) -> Iterator[Finding]:
    """Yields all findings about the machine, in no order.

    Args:
        checkup: facts about the machine and the environment.
    """
    yield from _driver(checkup.driver)
    if checkup.installed.folder is None:
        yield NO_TENSORFLOW.finding(
            f"No TensorFlow is installed for this Python ({checkup.installed.python}).",
            GET_TENSORFLOW,
        )
    else:
        yield from _package(checkup)
        yield from _keras(checkup)
        yield from _gpus(checkup)
    yield from _visible(checkup)
    yield from _variables(checkup)


IMPORT_FAILS = Kind.error(
    "TFD102",
    "TensorFlow is installed and can't be imported.",
    "Read the error; make a fresh environment with one TensorFlow",
)
SEVERAL = Kind.warning(
    "TFD103", "Several TensorFlow packages overwrite each other's files.", "Uninstall all of them, then install one"
)
TOO_OLD = Kind.error("TFD104", "TensorFlow is older than 1.13.", "`pip install 'tensorflow>=1.13'`")
IMPORT_HANGS = Kind.warning(
    "TFD105",
    "TensorFlow's import doesn't end in time.",
    "`python -X faulthandler -c 'import tensorflow'`; a slow disk or a driver that hangs",
)


def _package(checkup: Checkup) -> Iterator[Finding]:
    here, devices_listed = checkup.installed, checkup.devices
    if here.tensorflow is not None and (0, 0) < here.release < OLDEST:
        yield TOO_OLD.finding(f"TensorFlow {here.tensorflow} is older than 1.13, the oldest that tf1mem knows.")
    if len(here.distributions) > 1:
        names = " ".join(name.split()[0] for name in here.distributions)
        yield SEVERAL.finding(
            f"{' and '.join(here.distributions)} overwrite each other's files in {here.folder}.",
            f"Uninstall all of them, then install one: pip uninstall {names}",
        )
    if devices_listed.state == FAILED:
        yield IMPORT_FAILS.finding(
            f"import tensorflow fails: {devices_listed.error}",
            "See python -c 'import tensorflow' for the whole traceback; a fresh environment with one TensorFlow is "
            "the surest fix",
        )
    if devices_listed.state == SILENT:
        yield IMPORT_HANGS.finding(
            f"import tensorflow, and asking it for its devices, did not end within {listed_devices.SECONDS} seconds.",
            "Try python -X faulthandler -c 'import tensorflow'; a slow disk, or a driver that hangs, may be the cause",
        )


NO_TF_KERAS = Kind.error(
    "TFD124",
    "TF_USE_LEGACY_KERAS asks for tf_keras, which isn't installed.",
    "`pip install tf_keras`, or unset it: TensorFlow before 2.16 has Keras 2 anyway",
)
KERAS_3 = Kind.note(
    "TFD125",
    "Keras 3 is in use: Keras code of TensorFlow 1 finds its Sessions gone.",
    "`tf1mem run`, `tf1mem.v1`, or TF_USE_LEGACY_KERAS=1 before the import; each needs `tf_keras`",
)
NO_ESTIMATOR = Kind.note(
    "TFD127",
    "tf.estimator is gone from this TensorFlow, and the package from which `tf1mem.v1` restores it is missing.",
    "`tensorflow-estimator` 2.15.0 and `tf_keras`; or TensorFlow 2.15",
)


def _keras(checkup: Checkup) -> Iterator[Finding]:
    here = checkup.installed
    legacy = legacy_keras.is_selected(checkup.environment)
    if legacy and here.tf_keras is None and here.release >= (2, 14):
        anyway = ": this TensorFlow has Keras 2 anyway" if here.release < (2, 16) else ""
        yield NO_TF_KERAS.finding(
            f"TF_USE_LEGACY_KERAS={checkup.value('TF_USE_LEGACY_KERAS')} asks for the package tf_keras, which isn't "
            "installed: tf.keras fails.",
            "pip install tf_keras~={}.{}.0; or unset TF_USE_LEGACY_KERAS{}".format(*here.release, anyway),
        )
    elif here.release >= (2, 16) and not legacy:
        have = "pip install tf_keras and set" if here.tf_keras is None else "set"
        yield KERAS_3.finding(
            f"tf.keras is {here.keras_in_use}: set_session and the rest of TensorFlow 1's Keras are gone.",
            f"For old Keras code: {have} TF_USE_LEGACY_KERAS=1 before TensorFlow is imported; tf1mem run and tf1mem.v1 "
            "do so themselves",
        )
    missing = [] if here.tf_keras else ["pip install tf_keras"]
    if here.tensorflow_estimator is None:
        missing.append("pip install --no-deps tensorflow-estimator==2.15.0")
    if here.release >= (2, 16) and missing:
        yield NO_ESTIMATOR.finding(
            "tf.estimator is gone from TensorFlow 2.16 on, and the package from which tf1mem.v1 restores it is "
            "missing.",
            "For programs that use it: {}; or stay on TensorFlow 2.15".format(", then ".join(missing)),
        )


CPU_BUILD = Kind.error(
    "TFD110",
    "This TensorFlow is built for the CPU, and the machine has a GPU.",
    "Install the build for GPUs: `'tensorflow[and-cuda]'`; `tensorflow` before 2.14, `tensorflow-gpu` before 2.1",
)
NO_LIBRARIES = Kind.error(
    "TFD111",
    "CUDA libraries that TensorFlow opens are missing: it uses no GPU.",
    "`pip install 'tensorflow[and-cuda]'` (2.14 and up), or CUDA and cuDNN of the versions named",
)
NO_DRIVER = Kind.note(
    "TFD112",
    "There is no CUDA driver: TensorFlow runs on the CPU.",
    "Install the driver; `--gpus all` for a container; or `tf1mem doctor --gpu 8GiB -- script.py`",
)
OLD_DRIVER = Kind.error(
    "TFD115", "The driver is older than the CUDA that TensorFlow is built with.", "Update the driver"
)
NOT_LISTED = Kind.error(
    "TFD116",
    "The driver shows GPUs that TensorFlow doesn't list.",
    "TensorFlow's log says why, such as libraries of another version",
)
NO_CODE = Kind.error(
    "TFD130",
    "This TensorFlow has no code that a GPU of this machine can run.",
    "The TensorFlow named, or a newer driver",
)
COMPILES_CODE = Kind.warning(
    "TFD131",
    "This TensorFlow has no machine code for a GPU of this machine: the driver compiles PTX at the first start.",
    "Wait up to half an hour, once; or the TensorFlow named",
)
FAILS = Kind.error(
    "TFD132",
    "This TensorFlow is known to fail on a GPU of this machine, or to compute wrong values.",
    "The TensorFlow named",
)

TF32 = Kind.note(
    "TFD133",
    "TensorFlow computes float32 in TF32 on a GPU of this machine: other numbers than TensorFlow 1.15's.",
    "TF1MEM_TF32=false, or `tf1mem run --no-tf32`, where the old numbers count",
)


def _gpus(checkup: Checkup) -> Iterator[Finding]:
    """Yields findings about GPUs that TensorFlow can't use: its build, its libraries, the driver."""
    here, libraries, driver = checkup.installed, checkup.libraries, checkup.driver
    if here.build == "CPU" and driver.gpus:
        yield CPU_BUILD.finding(
            f"TensorFlow {here.tensorflow} is built without CUDA, and the driver shows "
            f"{_gpus_text(len(driver.gpus))}: they stay unused.",
            _gpu_build(here.release, here.tensorflow),
        )
    if libraries.missing and (driver.gpus or driver.state != ABSENT):
        yield NO_LIBRARIES.finding(
            f"TensorFlow opens {_count(len(libraries.wanted), 'CUDA library', 'CUDA libraries')} and finds no "
            f"{', '.join(libraries.missing)}: while one is missing it uses no GPU.",
            _install_cuda(here.release, libraries.cuda, libraries.cudnn),
        )
    if here.build == "CUDA" and driver.state == ABSENT:
        yield NO_DRIVER.finding(
            "There is no CUDA driver (libcuda.so.1): TensorFlow runs on the CPU.",
            "Install NVIDIA's driver; in a container, start it with --gpus all. To try GPU settings without a GPU: "
            "tf1mem doctor --gpu 8GiB -- script.py",
        )
    if driver.cuda and libraries.cuda and _numbers(driver.cuda)[:1] < _numbers(libraries.cuda)[:1]:
        yield OLD_DRIVER.finding(
            f"The driver ({driver.version or 'version unknown'}) runs CUDA up to {driver.cuda}, and TensorFlow is "
            f"built with {libraries.cuda}.",
            f"Update the driver to one for CUDA {libraries.cuda} or newer",
        )
    physical = checkup.devices.physical
    if physical is not None and here.build == "CUDA" and not libraries.missing:
        listed = sum(name.startswith("GPU:") for name in physical)
        unusable = [it for it in visible_gpus(checkup) if _how_it_runs(checkup, driver.gpus[it])[0] == CANNOT]
        expected = len(visible_gpus(checkup)) - len(unusable)
        if listed < expected:
            yield NOT_LISTED.finding(
                f"CUDA shows {_gpus_text(expected)}, and TensorFlow lists {listed or 'none'}.",
                "python -c 'import tensorflow as tf; tf.config.list_physical_devices()' says why in its log, such as "
                "a library of another version",
            )
    yield from _code(checkup)
    if here.build == "CUDA":
        yield from _tf32(checkup)


def _how_it_runs(checkup: Checkup, gpu: PhysicalGpu) -> tuple[str, KnownFailure | None]:
    """Returns how the installed TensorFlow runs on a GPU, and its known failure there."""
    built, cuda = checkup.architectures, checkup.libraries.cuda
    if built is None or not built.sass or not gpu.compute_capability:
        return NATIVE, None
    runs, failure = how_and_failure(built, cuda, capability(gpu.compute_capability))
    # A driver compiles no PTX of a newer CUDA.
    if runs == COMPILES and checkup.driver.cuda and _numbers(checkup.driver.cuda)[:2] < _numbers(cuda)[:2]:
        return CANNOT, None
    return runs, failure


def _code(checkup: Checkup) -> Iterator[Finding]:
    """Yields a finding for each GPU for which this TensorFlow has no machine code, or is known to fail."""
    version = checkup.installed.tensorflow
    for number in visible_gpus(checkup):
        gpu = checkup.driver.gpus[number]
        runs, failure = _how_it_runs(checkup, gpu)
        named = f"{gpu.name} (compute capability {gpu.compute_capability})"
        if failure is not None:
            yield FAILS.finding(
                f"TensorFlow {version}, built with CUDA {checkup.libraries.cuda}, is known to fail on the {named}: "
                f"{failure.description}.",
                f"{_usable_builds(gpu)}. Reported in {failure.sources[0]}",
            )
        elif runs == CANNOT:
            yield NO_CODE.finding(f"TensorFlow {version} has no code that the {named} can run.", _usable_builds(gpu))
        elif runs == COMPILES:
            yield COMPILES_CODE.finding(
                f"TensorFlow {version} has no machine code for the {named}: at the first start the driver compiles its "
                "PTX, which can take half an hour.",
                f"Wait once, and keep ~/.nv/ComputeCache (CUDA_CACHE_MAXSIZE=4294967296); or: {_usable_builds(gpu)}",
            )


def _tf32(checkup: Checkup) -> Iterator[Finding]:
    refused = tf32.is_refused(checkup.environment) or checkup.value(tf32.OVERRIDE) == "0"
    if refused or checkup.installed.release < CALLS[tf32.SETTER]:
        return
    for number in visible_gpus(checkup):
        gpu = checkup.driver.gpus[number]
        if gpu.compute_capability and capability(gpu.compute_capability) >= tf32.FIRST_CAPABILITY:
            yield TF32.finding(
                f"On the {gpu.name} TensorFlow {checkup.installed.tensorflow} computes matmuls and convolutions of "
                "float32 in TF32, with 10 bits for each factor: other numbers than TensorFlow 1.15's.",
                f"Where the old numbers count: tf1mem run --no-tf32, {tf32.VARIABLE}=false, or tf.{tf32.SETTER}(False)",
            )
            return


def _usable_builds(gpu: PhysicalGpu) -> str:
    """Returns a sentence that names the TensorFlows that run on a GPU."""
    runs, builds = builds_for(capability(gpu.compute_capability))
    if not builds:
        return "No recorded TensorFlow of PyPI runs on it; NVIDIA's container (nvcr.io/nvidia/tensorflow) may"
    oldest, newest = (".".join(build.version.split(".")[:2]) for build in (builds[0], builds[-1]))
    how = "have machine code for it" if runs == NATIVE else "compile for it at the first start"
    return f"TensorFlow {oldest} to {newest} {how}"


def _gpu_build(release: tuple[int, int], version: str | None) -> str:
    extra = "'tensorflow[and-cuda]=={}'" if release >= (2, 14) else "tensorflow=={}"  # the extra begins with 2.14
    package = (extra if release >= (2, 1) else "tensorflow-gpu=={}").format(version)
    return "Uninstall this one, then pip install " + package


def _install_cuda(release: tuple[int, int], cuda: str, cudnn: str) -> str:
    by_hand = f"nstall CUDA {cuda} and cuDNN {cudnn}, and put their folders into LD_LIBRARY_PATH"
    return "pip install 'tensorflow[and-cuda]'; or i" + by_hand if release >= (2, 14) else "I" + by_hand


SILENT_DRIVER = Kind.error(
    "TFD113",
    "The driver doesn't answer: programs that use it hang.",
    "Look into `dmesg` for Xid errors; reload the driver or restart the machine",
)
DRIVER_ERROR = Kind.error(
    "TFD114",
    "The driver answers with an error.",
    "Restart after an update of the driver; in a container it has to be the host's",
)
TAKEN_BY_OTHERS = Kind.note(
    "TFD117", "Other processes use memory of a GPU.", "`nvidia-smi` shows which; set growth or a smaller fraction"
)


def _driver(driver: Driver) -> Iterator[Finding]:
    if driver.state == SILENT:
        yield SILENT_DRIVER.finding(
            "The CUDA driver did not answer in time. Programs that start a GPU will hang.",
            "See nvidia-smi (it may hang too) and dmesg for Xid errors; reload the driver, or restart the machine",
        )
    if driver.state == ERROR:
        yield DRIVER_ERROR.finding(
            "The CUDA driver answers with an error: {}.".format(driver.error.rstrip(".")),
            "After an update of the driver, restart the machine; in a container, its driver has to be the host's",
        )
    for number, gpu in enumerate(driver.gpus):
        if gpu.total_bytes and gpu.used_bytes and gpu.used_bytes > gpu.total_bytes * _MUCH:
            yield TAKEN_BY_OTHERS.finding(
                f"Of GPU {number}'s {size(gpu.total_bytes)}, {size(gpu.used_bytes)} is taken already: a fraction "
                "is of the whole GPU, and so much may not be free.",
                "nvidia-smi shows by which process. Growth, or a smaller fraction, lets programs share a GPU",
            )


def visible_gpus(checkup: Checkup) -> list[int]:
    """Returns the numbers of the GPUs that CUDA_VISIBLE_DEVICES leaves, in its order."""
    value, gpus = checkup.value("CUDA_VISIBLE_DEVICES"), checkup.driver.gpus
    if value is None:
        return list(range(len(gpus)))
    visible: list[int] = []
    for entry in map(str.strip, value.split(",")):
        if entry.isdigit() and int(entry) < len(gpus):
            visible.append(int(entry))
            continue
        named = [number for number, gpu in enumerate(gpus) if entry.startswith("GPU-") and gpu.uuid.startswith(entry)]
        if not named:
            break  # CUDA stops at the first entry that it does not know
        visible.append(named[0])
    return visible


HIDES_ALL = Kind.warning("TFD120", "CUDA_VISIBLE_DEVICES hides every GPU.", "Unset it, or name the GPUs")
NO_SUCH_GPU = Kind.warning(
    "TFD121",
    "CUDA_VISIBLE_DEVICES names a GPU that isn't there: it and all that come after it are hidden.",
    "Name GPUs that are there",
)
CONTAINER = Kind.warning("TFD128", "This container gets no GPU.", "`--gpus all`, or `nvidia.com/gpu` in the manifest")


def _visible(checkup: Checkup) -> Iterator[Finding]:
    value, gpus = checkup.value("CUDA_VISIBLE_DEVICES"), checkup.driver.gpus
    container = checkup.value("NVIDIA_VISIBLE_DEVICES")
    if container is not None and container.strip() in ("", "void", "none") and not gpus:
        yield CONTAINER.finding(
            f"NVIDIA_VISIBLE_DEVICES={container} gives this container no GPU.",
            "Start it with --gpus all, or ask for nvidia.com/gpu in its manifest",
        )
    if value is None or not gpus:
        return
    entries = [entry.strip() for entry in value.split(",")]
    visible = visible_gpus(checkup)
    if value.strip() in ("", "-1"):
        yield HIDES_ALL.finding(
            f"CUDA_VISIBLE_DEVICES={value!r} hides every GPU: TensorFlow runs on the CPU.",
            "Unset it, or name the GPUs: CUDA_VISIBLE_DEVICES=0",
        )
    elif len(visible) < len(entries) and not any(entry.startswith("MIG") for entry in entries):
        yield NO_SUCH_GPU.finding(
            f"CUDA_VISIBLE_DEVICES={value!r} names {entries[len(visible)]!r}, and the machine has "
            f"{_gpus_text(len(gpus))}: CUDA shows {len(visible) or 'none'} of the GPUs named.",
            f"Name GPUs that are there: 0 to {len(gpus) - 1}",
        )


FORCED_GROWTH = Kind.warning(
    "TFD122",
    "TF_FORCE_GPU_ALLOW_GROWTH overrides the growth settings of programs.",
    "Unset it to let programs decide",
)
NOT_UNDERSTOOD = Kind.warning(
    "TFD123", "A variable has an unknown name or value, and so no effect.", "Correct it, or unset it"
)
OTHER_ALLOCATOR = Kind.warning(
    "TFD126",
    "TF_GPU_ALLOCATOR replaces TensorFlow's own allocator, whose settings then have no effect.",
    "Unset it to keep TensorFlow 1's growth and fraction",
)
MALFORMED = Kind.error("TFD129", "A variable of tf1mem is malformed.", "Follow the finding")


def _variables(checkup: Checkup) -> Iterator[Finding]:
    for variable in checkup.variables:
        if not variable.understood:
            yield NOT_UNDERSTOOD.finding(
                "{}={} does {}.".format(variable.name, variable.value, variable.does.rstrip("?")),
                "Correct it, or unset it",
            )
        elif variable.name == "TF_FORCE_GPU_ALLOW_GROWTH":
            yield FORCED_GROWTH.finding(
                f"TF_FORCE_GPU_ALLOW_GROWTH={variable.value} overrides allow_growth and set_memory_growth: "
                f"{variable.does}.",
                "Unset it to let programs decide",
            )
        elif variable.name == "TF_GPU_ALLOCATOR" and variable.value != "memory_guard":
            yield OTHER_ALLOCATOR.finding(f"TF_GPU_ALLOCATOR={variable.value}: {variable.does}.")
    for error in malformed(checkup.environment):
        yield MALFORMED.finding("{}: {}.".format(error.asked, error.wrong.rstrip(".")), error.remedy)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"


def _gpus_text(number: int) -> str:
    return _count(number, "GPU", "GPUs")
