"""Reads the installed packages from their files, without importing TensorFlow."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from importlib.machinery import PathFinder

from tf1mem.machine import legacy_keras
from tf1mem.machine.distributions import DISTRIBUTIONS, package_records
from tf1mem.machine.tensorflow import installed_version

_KERAS_3 = (2, 16)  # the first TensorFlow whose tf.keras is Keras 3; it has no tf.estimator either


@dataclass(frozen=True)
class Installed:
    """The packages installed for this Python.

    Attributes:
        python: Python's version.
        platform: Operating system and machine type, such as "Linux x86_64".
        tensorflow: TensorFlow's version; None if it is missing or unknown.
        distributions: Names and versions of the installed distributions of TensorFlow, such as "tensorflow-cpu 2.16.1",
            usually one; empty if pip has no record of them.
        folder: TensorFlow's folder, or None.
        build: "CUDA", "ROCm", "CPU" or "unknown".
        keras: Version of the separate package keras, or None. Versions of packages are "?" without pip's record.
        tf_keras: Version of tf_keras, or None.
        keras_in_use: Implementation of `tf.keras` that the environment variables select, such as "Keras 3 (3.3.3)".
        tensorflow_estimator: Version of tensorflow-estimator, or None.
        contrib: True if `tf.contrib` exists.
    """

    python: str
    platform: str
    tensorflow: str | None = None
    distributions: tuple[str, ...] = ()
    folder: str | None = None
    build: str = "unknown"
    keras: str | None = None
    tf_keras: str | None = None
    keras_in_use: str = ""
    tensorflow_estimator: str | None = None
    contrib: bool = False

    @property
    def estimator(self) -> bool:
        """Returns True if `tf.estimator` exists."""
        return self.tensorflow_estimator is not None and self.release < _KERAS_3

    @property
    def release(self) -> tuple[int, int]:
        """Returns the first two numbers of TensorFlow's version; (0, 0) without TensorFlow."""
        numbers = re.match(r"(\d+)\.(\d+)", self.tensorflow or "")
        return (int(numbers.group(1)), int(numbers.group(2))) if numbers else (0, 0)


def look(environment: dict[str, str]) -> Installed:
    """Returns the packages that are installed for this Python.

    Args:
        environment: The environment variables, of which TF_USE_LEGACY_KERAS selects the Keras in use.
    """
    python, machine = platform.python_version(), f"{platform.system()} {platform.machine()}"
    folder, version = _folder("tensorflow"), installed_version()
    if folder is None:
        return Installed(python, machine)
    packages = package_records(os.path.dirname(folder))
    named = sorted({f"{name.replace('_', '-')} {number}" for name, number in packages if DISTRIBUTIONS.match(name)})
    keras, tf_keras = _version_of("keras"), _version_of("tf_keras")
    release = (0, 0) if version is None else (*version.release, 0, 0)[:2]
    return Installed(
        python,
        machine,
        None if version is None else str(version),
        tuple(named),
        folder,
        _build(folder),
        keras,
        tf_keras,
        _keras_in_use(release, keras, tf_keras, environment),
        _version_of("tensorflow_estimator"),
        release[0] == 1,
    )


def inner_folder(folder: str) -> str:
    """Returns the folder with TensorFlow's own files: tensorflow_core in TensorFlow 1.15 and 2.0.

    Args:
        folder: The folder of the package `tensorflow`.
    """
    core = os.path.join(os.path.dirname(folder), "tensorflow_core")
    return core if os.path.isdir(os.path.join(core, "python")) else folder


def _folder(package: str) -> str | None:
    """Returns a package's folder without importing the package, or None."""
    spec = PathFinder.find_spec(package)
    return next(iter(spec.submodule_search_locations or ()), None) if spec is not None else None


def _version_of(package: str) -> str | None:
    """Returns a package's version from pip's records, "?" without a record, None without the package."""
    folder = _folder(package)
    if folder is None:
        return None
    for name, version in sorted(package_records(os.path.dirname(folder))):
        if name.replace("-", "_") in (package, package + "_nightly"):
            return version
    return "?"


def _build(folder: str) -> str:
    """Returns "CUDA", "ROCm", "CPU" or "unknown", read from TensorFlow's build_info.py."""
    try:
        with open(os.path.join(inner_folder(folder), "python", "platform", "build_info.py"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return "unknown"
    for kind, name in (("cuda", "CUDA"), ("rocm", "ROCm")):
        if re.search(rf"is_{kind}_build'?\s*[,=:]\s*True", text):
            return name
    return "CPU" if "is_cuda_build" in text else "unknown"


def _keras_in_use(
    release: tuple[int, ...], keras: str | None, tf_keras: str | None, environment: dict[str, str]
) -> str:
    if release < (2, 14):
        return "Keras 2" if keras is None or release < (2, 6) else f"Keras 2 ({keras})"
    if legacy_keras.is_selected(environment):
        return "none: TF_USE_LEGACY_KERAS is set and tf_keras is missing" if tf_keras is None else "Keras 2 (tf_keras)"
    if keras is None:
        return "none: the package keras is missing"
    return "Keras {} ({})".format(keras.split(".")[0], keras)
