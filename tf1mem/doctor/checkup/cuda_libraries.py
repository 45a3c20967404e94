"""The CUDA libraries that a TensorFlow opens by name when it looks for GPUs, and which of them are missing.

TensorFlow 1.14 and up opens them with dlopen, by the versions in its own cuda_config.h, and uses no GPU while one is
missing (tensorflow/stream_executor/platform/default/dso_loader.cc). Wheels find the libraries of pip's nvidia packages
beside them by their rpath.
"""

from __future__ import annotations

import ctypes
import glob
import os
import sys
from dataclasses import dataclass

from tf1mem.doctor.checkup.installed import Installed, inner_folder
from tf1mem.machine.builds import cuda_versions
from tf1mem.machine.child import ANSWERED, ask

_FOLDERS = "TF1MEM_DOCTOR_FOLDERS"
_NAMES = "TF1MEM_DOCTOR_NAMES"
SECONDS = 120  # they are gigabytes, perhaps on a cold disk

# Library, name of its version in cuda_config.h, first CUDA version for which TensorFlow opens it.
_LIBRARIES = (
    ("cudart", "CUDART", 0),
    ("cublas", "CUBLAS", 0),
    ("cublasLt", "CUBLAS", 11),
    ("cufft", "CUFFT", 0),
    ("curand", "CURAND", 0),
    ("cusolver", "CUSOLVER", 0),
    ("cusparse", "CUSPARSE", 0),
    ("cudnn", "CUDNN", 0),
)


@dataclass(frozen=True)
class Libraries:
    """The CUDA libraries that a TensorFlow build opens.

    Attributes:
        cuda: CUDA version of the build, or "".
        cudnn: Version of cuDNN that the build was made for, or "".
        wanted: Sonames that the build opens.
        missing: Sonames that cannot be opened; () for a build without CUDA, too; None if the check did not run.
    """

    cuda: str = ""
    cudnn: str = ""
    wanted: tuple[str, ...] = ()
    missing: tuple[str, ...] | None = ()


def look(installed: Installed, environment: dict[str, str]) -> Libraries:
    """Returns the libraries that an installed TensorFlow opens, and those that are missing.

    Args:
        installed: The installed TensorFlow.
        environment: Environment variables that TensorFlow would start with.
    """
    if installed.folder is None or installed.build != "CUDA":
        return Libraries()
    versions = cuda_versions(inner_folder(installed.folder))
    names, absent = sonames(versions), None
    if names and sys.platform == "linux":
        beside = glob.glob(os.path.join(os.path.dirname(installed.folder), "nvidia", "*", "lib"))
        child_environment = dict(environment, **{_FOLDERS: os.pathsep.join(beside), _NAMES: os.pathsep.join(names)})
        answer = ask("tf1mem.doctor.checkup.cuda_libraries.missing", SECONDS, child_environment)
        absent = tuple(answer.value) if answer.state == ANSWERED else None
    return Libraries(versions.get("CUDA", ""), versions.get("CUDNN", ""), names, absent)


def sonames(versions: dict[str, str]) -> tuple[str, ...]:
    """Returns the sonames for the versions in a cuda_config.h.

    Args:
        versions: Version by name without TF_ and _VERSION, such as {"CUDA": "12.5.1", "CUDART": "12", "CUDNN": "9"}.
    """
    cuda = versions.get("CUDA", "")
    if not cuda:
        return ()
    return tuple(
        f"lib{library}.so.{versions.get(name) or cuda}"  # up to CUDA 10.0 every library has CUDA's version
        for library, name, since in _LIBRARIES
        if int(cuda.split(".")[0]) >= since
    )


def missing() -> list[str]:
    """Opens each library as TensorFlow would and returns the sonames that fail; run by a child process."""
    absent = []
    folders = [folder for folder in os.environ[_FOLDERS].split(os.pathsep) if folder]
    for name in os.environ[_NAMES].split(os.pathsep):
        for path in (name, *(os.path.join(folder, name) for folder in folders)):
            try:
                ctypes.CDLL(path)
                break
            except OSError:
                continue
        else:
            absent.append(name)
    return absent
