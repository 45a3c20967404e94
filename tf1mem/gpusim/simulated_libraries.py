"""A table of the simulator's libraries, and of the sonames by which TensorFlow opens them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).resolve().parent / "sources"


class Library(NamedTuple):
    """One library: its sources and its sonames.

    Attributes:
        name: The folder of C files below `sources/`, including subfolders; it may not exist.
        symbols: The file in `sources/symbols/` with the names of the functions that the library must have, one a line.
            A second word, as in "cudnnAddTensor launch", is the function's mark.
        sonames: Soname -> the SIM_VERSION for the folder's `version.c`, if there is one. Sonames of the same version
            share one file.
        not_supported: A C expression: the result of functions without a mark, which the simulator lacks.
        marks: Pairs of a mark and a C expression: the result of functions with that mark. In it, `first` is the
            function's first argument.
        header: The header that these expressions need, or "".
        needs: The soname of the library to link with, or "".
        shares: A folder of C files shared with other libraries, or "".
    """

    name: str
    symbols: str
    sonames: dict[str, int]
    not_supported: str
    marks: tuple[tuple[str, str], ...] = ()
    header: str = ""
    needs: str = "libcuda.so.1"
    shares: str = ""


# The CUDA version of each wheel is in its tensorflow/include/third_party/gpus/cuda/cuda_config.h. PyPI's wheels:
# 1.14 to 2.0: CUDA 10.0; 2.1 to 2.3: 10.1; 2.4: 11.0; 2.5 to 2.11: 11.2; 2.12 to 2.14: 11.8; 2.15 to 2.22: 12.2 to
# 12.5. Other builds of TensorFlow use CUDA 10.2. TensorFlow registers no GPU if any of the math libraries is missing.
# The number for "not supported" is in each library's header: cublasStatus_t, cufftResult, ...
LIBRARIES = (
    Library("driver", "cuda.txt", {"libcuda.so.1": 0}, "801", needs=""),
    Library(
        "runtime",
        "cudart.txt",
        {
            "libcudart.so.10.0": 10000,
            "libcudart.so.10.1": 10010,
            "libcudart.so.10.2": 10020,
            "libcudart.so.11.0": 11080,  # the soname of 11.0 to 11.8
            "libcudart.so.12": 12050,
        },
        "answer(801)",  # CUDA 10.0 uses another number
        header="runtime/runtime.h",
    ),
    Library("nvml", "nvml.txt", {"libnvidia-ml.so.1": 0}, "3"),
    Library(
        "cublas",
        "cublas.txt",
        {"libcublas.so.10.0": 10000, "libcublas.so.10": 10202, "libcublas.so.11": 111103, "libcublas.so.12": 120503},
        "15",
        marks=(("launch", "cublas_launch(first)"),),
        header="cublas/cublas.h",
        shares="math",
    ),
    Library(
        "cublaslt",
        "cublaslt.txt",
        {"libcublasLt.so.10": 10202, "libcublasLt.so.11": 111103, "libcublasLt.so.12": 120503},
        "15",
        shares="math",
    ),
    Library(
        "cudnn",
        "cudnn.txt",
        {"libcudnn.so.7": 7605, "libcudnn.so.8": 8907, "libcudnn.so.9": 91002},
        "cudnn_status(NOT_SUPPORTED)",
        marks=tuple((mark, f"cudnn_{mark}(first)") for mark in ("launch", "create", "destroy", "set")),
        header="cudnn/cudnn.h",
        shares="math",
    ),
    # ncclResult_t has no "not supported"; ncclInvalidUsage is nearest.
    Library("nccl", "nccl.txt", {"libnccl.so.2": 0}, "5", shares="math"),
    Library(
        "cufft",
        "cufft.txt",
        dict.fromkeys(("libcufft.so.10.0", "libcufft.so.10", "libcufft.so.11"), 0),
        "16",
        shares="math",
    ),
    Library("curand", "curand.txt", dict.fromkeys(("libcurand.so.10.0", "libcurand.so.10"), 0), "999"),
    Library(
        "cusolver",
        "cusolver.txt",
        dict.fromkeys(("libcusolver.so.10.0", "libcusolver.so.10", "libcusolver.so.11"), 0),
        "9",
        shares="math",
    ),
    Library(
        "cusparse",
        "cusparse.txt",
        dict.fromkeys(("libcusparse.so.10.0", "libcusparse.so.10", "libcusparse.so.11", "libcusparse.so.12"), 0),
        "10",
    ),
)
