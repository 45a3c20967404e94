"""Findings about the machine: what is installed, the driver, the libraries, and the environment variables."""

from __future__ import annotations

from typing import Iterator

from tf1mem.doctor.checkup import Checkup
from tf1mem.doctor.driver import Driver
from tf1mem.doctor.findings import Finding
from tf1mem.doctor.installed import legacy_keras
from tf1mem.doctor.variables import malformed
from tf1mem.machine.versions import OLDEST
from tf1mem.settings.units import size

_MUCH = 0.1  # the part of a GPU that others may hold before it is said


def findings(checkup: Checkup) -> Iterator[Finding]:
    """All findings about the machine, in no order.

    Args:
        checkup: What was asked.
    """
    yield from _driver(checkup.driver)
    if checkup.installed.folder is None:
        yield Finding(
            "TFD101",
            f"No TensorFlow is installed for this Python ({checkup.installed.python}).",
            "pip install tensorflow, or run tf1mem doctor with the Python that has it: python -m tf1mem doctor",
        )
    else:
        yield from _package(checkup)
        yield from _keras(checkup)
        yield from _gpus(checkup)
    yield from _visible(checkup)
    yield from _variables(checkup)


def _package(checkup: Checkup) -> Iterator[Finding]:
    here, listed = checkup.installed, checkup.devices
    if here.tensorflow is not None and (0, 0) < here.release < OLDEST:
        yield Finding(
            "TFD104",
            f"TensorFlow {here.tensorflow} is older than 1.13, the oldest that tf1mem knows.",
            "pip install 'tensorflow>=1.13'",
        )
    if len(here.distributions) > 1:
        yield Finding(
            "TFD103",
            "{} lie over each other in {}: which files are whose is chance.".format(
                " and ".join(here.distributions), here.folder
            ),
            "Uninstall all of them, then install one: pip uninstall {}".format(
                " ".join(name.split()[0] for name in here.distributions)
            ),
        )
    if listed.state == "failed":
        yield Finding(
            "TFD102",
            f"import tensorflow fails: {listed.error}",
            "See python -c 'import tensorflow' for the whole traceback; a fresh environment with one TensorFlow is "
            "the surest mend",
        )
    if listed.state == "silent":
        yield Finding(
            "TFD105",
            "import tensorflow, and asking it for its devices, did not end in time.",
            "Try python -X faulthandler -c 'import tensorflow'; a slow disk, or a driver that hangs, would do this",
        )


def _keras(checkup: Checkup) -> Iterator[Finding]:
    here = checkup.installed
    asked = legacy_keras(checkup.environment)
    if asked and here.tf_keras is None and here.release >= (2, 14):
        yield Finding(
            "TFD124",
            "TF_USE_LEGACY_KERAS={} asks for the package tf_keras, which isn't installed: tf.keras fails.".format(
                checkup.value("TF_USE_LEGACY_KERAS")
            ),
            "pip install tf_keras~={}.{}.0; or unset TF_USE_LEGACY_KERAS{}".format(
                *here.release, ": this TensorFlow has Keras 2 anyway" if here.release < (2, 16) else ""
            ),
        )
    elif here.release >= (2, 16) and not asked:
        have = "pip install tf_keras and set" if here.tf_keras is None else "set"
        yield Finding(
            "TFD125",
            f"tf.keras is {here.keras_in_use}: set_session and the rest of TensorFlow 1's Keras are gone.",
            f"For old Keras code: {have} TF_USE_LEGACY_KERAS=1 before TensorFlow is imported; tf1mem run and tf1mem.v1 "
            "see to it themselves",
        )
    if here.release >= (2, 16):
        yield Finding(
            "TFD127",
            "tf.estimator is gone from TensorFlow 2.16 on.",
            "pip install tf_keras, then pip install --no-deps tensorflow-estimator==2.15.0, and import tf1mem.v1 as "
            "tf, which puts it back; or stay on TensorFlow 2.15",
        )


def _gpus(checkup: Checkup) -> Iterator[Finding]:
    here, wanted, asked = checkup.installed, checkup.libraries, checkup.driver
    if here.build == "CPU" and asked.gpus:
        yield Finding(
            "TFD110",
            f"TensorFlow {here.tensorflow} is built without CUDA, and the driver shows "
            f"{_gpus_text(len(asked.gpus))}: they stay unused.",
            _gpu_build(here.release, here.tensorflow),
        )
    if wanted.missing and (asked.gpus or asked.state != "absent"):
        yield Finding(
            "TFD111",
            "TensorFlow opens {} and finds no {}: while one is missing it uses no GPU.".format(
                _count(len(wanted.wanted), "CUDA library", "CUDA libraries"), ", ".join(wanted.missing)
            ),
            _install_cuda(here.release, wanted.cuda, wanted.cudnn),
        )
    if here.build == "CUDA" and asked.state == "absent":
        yield Finding(
            "TFD112",
            "There is no CUDA driver (libcuda.so.1): TensorFlow runs on the CPU.",
            "Install NVIDIA's driver; in a container, start it with --gpus all. To try GPU settings without a GPU: "
            "tf1mem doctor --sim 8GiB -- script.py",
        )
    if asked.cuda and wanted.cuda and _numbers(asked.cuda)[:1] < _numbers(wanted.cuda)[:1]:
        yield Finding(
            "TFD115",
            "The driver ({}) runs CUDA up to {}, and TensorFlow is built with {}.".format(
                asked.version or "version unknown", asked.cuda, wanted.cuda
            ),
            f"Update the driver to one for CUDA {wanted.cuda} or newer",
        )
    physical = checkup.devices.physical
    if physical is not None and here.build == "CUDA" and not wanted.missing:
        listed = sum(name.startswith("GPU:") for name in physical)
        expected = len(visible_gpus(checkup))
        if listed < expected:
            yield Finding(
                "TFD116",
                "CUDA shows {}, and TensorFlow lists {}.".format(_gpus_text(expected), listed or "none"),
                "python -c 'import tensorflow as tf; tf.config.list_physical_devices()' says why in its log: too old a "
                "compute capability, or a library of another version",
            )


def _gpu_build(release: tuple[int, int], version: str | None) -> str:
    extra = "'tensorflow[and-cuda]=={}'" if release >= (2, 14) else "tensorflow=={}"  # the extra begins with 2.14
    wanted = (extra if release >= (2, 1) else "tensorflow-gpu=={}").format(version)
    return "Uninstall this one, then pip install " + wanted


def _install_cuda(release: tuple[int, int], cuda: str, cudnn: str) -> str:
    by_hand = f"install CUDA {cuda} and cuDNN {cudnn}, and put their folders into LD_LIBRARY_PATH"
    return (
        "pip install 'tensorflow[and-cuda]'; or " + by_hand if release >= (2, 14) else by_hand[0].upper() + by_hand[1:]
    )


def _driver(asked: Driver) -> Iterator[Finding]:
    if asked.state == "silent":
        yield Finding(
            "TFD113",
            "The CUDA driver did not answer in time. Programs that start a GPU will hang.",
            "See nvidia-smi (it may hang too) and dmesg for Xid errors; reload the driver, or restart the machine",
        )
    if asked.state == "error":
        yield Finding(
            "TFD114",
            "The CUDA driver answers with an error: {}.".format(asked.error.rstrip(".")),
            "After an update of the driver, restart the machine; in a container, its driver has to be the host's",
        )
    for number, gpu in enumerate(asked.gpus):
        if gpu.total_bytes and gpu.used_bytes and gpu.used_bytes > gpu.total_bytes * _MUCH:
            yield Finding(
                "TFD117",
                f"Of GPU {number}'s {size(gpu.total_bytes)}, {size(gpu.used_bytes)} is taken already: a fraction "
                "counts from the whole, and may not be left.",
                "nvidia-smi shows by whom. Growth, or a smaller fraction, lets programs share a GPU",
            )


def visible_gpus(checkup: Checkup) -> list[int]:
    """The machine's GPUs that CUDA_VISIBLE_DEVICES leaves, by their numbers there, in its order."""
    value, gpus = checkup.value("CUDA_VISIBLE_DEVICES"), checkup.driver.gpus
    if value is None:
        return list(range(len(gpus)))
    found: list[int] = []
    for entry in value.split(","):
        number = _number_of(entry.strip(), checkup)
        if number is None:
            break  # CUDA stops at the first that it doesn't know
        found.append(number)
    return found


def _number_of(entry: str, checkup: Checkup) -> int | None:
    gpus = checkup.driver.gpus
    if entry.isdigit():
        return int(entry) if int(entry) < len(gpus) else None
    if entry.startswith("GPU-"):
        return next((number for number, gpu in enumerate(gpus) if gpu.uuid.startswith(entry)), None)
    return None


def _visible(checkup: Checkup) -> Iterator[Finding]:
    value = checkup.value("CUDA_VISIBLE_DEVICES")
    container = checkup.value("NVIDIA_VISIBLE_DEVICES")
    if container is not None and container.strip() in ("", "void", "none") and not checkup.driver.gpus:
        yield Finding(
            "TFD128",
            f"NVIDIA_VISIBLE_DEVICES={container} gives this container no GPU.",
            "Start it with --gpus all, or ask for nvidia.com/gpu in its manifest",
        )
    if value is None or (not checkup.driver.gpus and value.strip() not in ("", "-1")):
        return
    entries = [entry.strip() for entry in value.split(",")]
    seen = visible_gpus(checkup)
    if value.strip() in ("", "-1"):
        if checkup.driver.gpus:
            yield Finding(
                "TFD120",
                f"CUDA_VISIBLE_DEVICES={value!r} hides every GPU: TensorFlow runs on the CPU.",
                "Unset it, or name the GPUs: CUDA_VISIBLE_DEVICES=0",
            )
    elif len(seen) < len(entries) and not any(entry.startswith("MIG") for entry in entries):
        wrong = entries[len(seen)]
        yield Finding(
            "TFD121",
            "CUDA_VISIBLE_DEVICES={!r} names {!r}, and the machine has {}: CUDA shows {} of the GPUs named.".format(
                value, wrong, _gpus_text(len(checkup.driver.gpus)), len(seen) or "none"
            ),
            f"Name GPUs that are there: 0 to {len(checkup.driver.gpus) - 1}",
        )


def _variables(checkup: Checkup) -> Iterator[Finding]:
    for variable in checkup.variables:
        if not variable.understood:
            yield Finding(
                "TFD123",
                f"{variable.name}={variable.value} does {variable.does}.",
                "Correct its value, or unset it",
            )
        elif variable.name == "TF_FORCE_GPU_ALLOW_GROWTH":
            yield Finding(
                "TFD122",
                f"TF_FORCE_GPU_ALLOW_GROWTH={variable.value} overrides allow_growth and set_memory_growth: "
                f"{variable.does}.",
                "Unset it where programs are to decide themselves",
            )
        elif variable.name == "TF_GPU_ALLOCATOR" and variable.value != "memory_guard":
            yield Finding(
                "TFD126",
                f"TF_GPU_ALLOCATOR={variable.value}: {variable.does}.",
                "Unset it for TensorFlow 1's meaning of growth and fraction",
            )
    for asked, wrong, remedy in malformed(checkup.environment):
        yield Finding("TFD129", "{}: {}.".format(asked, wrong.rstrip(".")), remedy)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _gpus_text(number: int) -> str:
    return _count(number, "GPU", "GPUs")
