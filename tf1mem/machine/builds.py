"""The released TensorFlows for GPUs: the CUDA and the GPU code of each wheel, and the GPUs on which they fail.

`builds.json` is recorded from the wheels (tests/machine/wheels.py). Versions that it lacks are read from their files.
"""

from __future__ import annotations

import json
import os
import re
from typing import NamedTuple, Sequence

from tf1mem.machine.architectures import COMPILES, NATIVE, Architectures, how_it_runs

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "builds.json")
_HEADERS = (
    ("include", "third_party", "gpus", "cuda", "cuda_config.h"),
    ("include", "external", "local_config_cuda", "cuda", "cuda", "cuda_config.h"),  # up to 2.15
)


class Build(NamedTuple):
    """A TensorFlow for GPUs, as its wheel has it.

    Attributes:
        version: TensorFlow's version.
        distribution: pip's name of it.
        cuda: The CUDA version that it is built with, such as "12.5.1".
        cudnn: The version of cuDNN that it opens, such as "9".
        architectures: The GPU code that it has.
    """

    version: str
    distribution: str
    cuda: str
    cudnn: str
    architectures: Architectures


class KnownFailure(NamedTuple):
    """A combination of CUDA and GPU that starts, and then fails or computes wrong values.

    Attributes:
        before_cuda: The first major version of CUDA without it.
        from_capability: The lowest compute capability with it.
        description: A description of the failure.
        sources: Public reports of it.
    """

    before_cuda: int
    from_capability: tuple[int, int]
    description: str
    sources: tuple[str, ...]


KNOWN_FAILURES = (
    KnownFailure(
        11,
        (8, 0),
        "cuBLAS of CUDA 10 fails on it (CUBLAS_STATUS_EXECUTION_FAILED), hangs, or gives wrong values or NaN",
        (
            "https://github.com/tensorflow/tensorflow/issues/44832",
            "https://github.com/CHTC/templates-GPUs/issues/10",
            "https://github.com/YudongGuo/AD-NeRF/issues/132",
            "https://github.com/alexanderkroner/saliency/issues/25",
        ),
    ),
    KnownFailure(
        13,
        (12, 0),
        "kernels that TensorFlow generates fail on it with CUDA_ERROR_INVALID_PTX or CUDA_ERROR_INVALID_HANDLE",
        (
            "https://github.com/tensorflow/tensorflow/issues/101746",
            "https://github.com/tensorflow/tensorflow/issues/99592",
            "https://github.com/tensorflow/tensorflow/issues/97387",
        ),
    ),
)


def recorded() -> list[Build]:
    """Returns the recorded builds, from the oldest TensorFlow to the newest."""
    with open(RECORD, encoding="utf-8") as file:
        rows = json.load(file)
    return [
        Build(
            row["version"],
            row["distribution"],
            row["cuda"],
            row["cudnn"],
            Architectures(_capabilities(row["sass"]), _capabilities(row["ptx"])),
        )
        for row in rows
    ]


def capability(text: str) -> tuple[int, int]:
    """Returns a compute capability such as "8.6" as numbers."""
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def capability_text(number: tuple[int, int]) -> str:
    """Returns a compute capability such as (8, 6) as text, "8.6"."""
    return "{}.{}".format(*number)


def _capabilities(texts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    return tuple(map(capability, texts))


def how_and_failure(architectures: Architectures, cuda: str, gpu: tuple[int, int]) -> tuple[str, KnownFailure | None]:
    """Returns how a TensorFlow runs on a GPU, `NATIVE`, `COMPILES` or `CANNOT`, and its known failure there, or None.

    Args:
        architectures: The GPU code that TensorFlow has.
        cuda: The version of CUDA that it is built with, such as "10.0", or "".
        gpu: The GPU's compute capability.
    """
    runs, major = how_it_runs(architectures, gpu), cuda.partition(".")[0]
    if runs == COMPILES and major.isdigit():
        for failure in KNOWN_FAILURES:
            if int(major) < failure.before_cuda and gpu >= failure.from_capability:
                return runs, failure
    return runs, None


def builds_for(gpu: tuple[int, int]) -> tuple[str, list[Build]]:
    """Returns `NATIVE`, or else `COMPILES`, and the recorded builds that run so on a GPU without a known failure.

    Args:
        gpu: The GPU's compute capability.
    """
    builds = recorded()
    for runs in (NATIVE, COMPILES):
        fit = [build for build in builds if how_and_failure(build.architectures, build.cuda, gpu) == (runs, None)]
        if fit:
            return runs, fit
    return COMPILES, []


def cuda_versions(folder: str) -> dict[str, str]:
    """Returns the versions in a TensorFlow's cuda_config.h, such as {"CUDA": "12.5.1"}; empty without the file.

    Args:
        folder: The folder with TensorFlow's own files.
    """
    for path in _HEADERS:
        try:
            with open(os.path.join(folder, *path), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        return dict(re.findall(r'#define TF_([A-Z]+)_VERSION "([^"]*)"', text))
    return {}
