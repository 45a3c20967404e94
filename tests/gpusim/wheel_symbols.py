"""Lists CUDA functions that a TensorFlow may look up and that sources/symbols/ lacks.

    python tests/gpusim/wheel_symbols.py NEW [OLD]

NEW and OLD are the folders of two installed TensorFlows: …/site-packages/tensorflow. A wheel has the names of all
functions of the libraries that it opens, also of functions that it never calls. So names that OLD has, too, are left
out. If a name is missing in symbols/, TensorFlow can't find the function, and some programs end. If it is there without
a C function, a call returns "not supported", which the trace and `tf1mem sim --summary` show.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tf1mem.gpusim.simulated_libraries import SOURCES

# Prefix of a function's name -> the list that it belongs to; the longest prefix decides.
_LISTS = {
    b"cublasLt": "cublaslt", b"cublas": "cublas", b"cudnn": "cudnn", b"cufft": "cufft", b"curand": "curand",
    b"cusolver": "cusolver", b"cusparse": "cusparse", b"nccl": "nccl", b"nvml": "nvml", b"cuda": "cudart",
    b"cu": "cuda",
}  # fmt: skip
_NAME = re.compile(rb"\0(" + b"|".join(_LISTS) + rb")([A-Z]\w+)(?=\0)")


def named_in(tensorflow: Path) -> set[tuple[str, str]]:
    """Returns the CUDA functions named in the libraries of a TensorFlow, as pairs of the list and the name."""
    return {
        (_LISTS[beginning], (beginning + ending).decode())
        for library in tensorflow.glob("libtensorflow_*.so*")
        for beginning, ending in _NAME.findall(library.read_bytes())
    }


def missing(new: Path, old: Path | None = None) -> list[str]:
    """Lists the symbols of NEW that neither OLD nor symbols/ has, as "symbols/cuda.txt cuNewFunction"."""
    listed = {
        (path.stem, line.split()[0])
        for path in (SOURCES / "symbols").glob("*.txt")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    names = named_in(new) - listed - (named_in(old) if old else set())
    return [f"symbols/{name}.txt {function}" for name, function in sorted(names)]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python tests/gpusim/wheel_symbols.py NEW [OLD]: two installed …/site-packages/tensorflow")
    print("\n".join(missing(*map(Path, sys.argv[1:]))))
