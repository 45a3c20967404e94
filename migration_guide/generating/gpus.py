"""Generates gpus.md: how each released TensorFlow runs on each generation of GPUs."""

from __future__ import annotations

from itertools import groupby
from typing import Iterator

from migration_guide.generating.markdown import code, document, table
from tf1mem.machine import tf32
from tf1mem.machine.architectures import CANNOT, COMPILES, NATIVE
from tf1mem.machine.builds import KNOWN_FAILURES, Build, capability_text, how_and_failure, recorded

# Generation, compute capability, GPUs of it.
GENERATIONS = (
    ("Kepler", (3, 7), "Tesla K80"),
    ("Maxwell", (5, 2), "GTX 980, TITAN X, Tesla M40"),
    ("Pascal", (6, 0), "Tesla P100"),
    ("Pascal", (6, 1), "GTX 1080, 1070, 1060, Tesla P4, P40"),
    ("Volta", (7, 0), "Tesla V100, TITAN V"),
    ("Turing", (7, 5), "RTX 2080, 2070, 2060, GTX 1660, Tesla T4"),
    ("Ampere", (8, 0), "A100, A30"),
    ("Ampere", (8, 6), "RTX 3090, 3080, 3070, 3060, A10, A40, RTX A6000"),
    ("Ada", (8, 9), "RTX 4090, 4080, 4070, 4060, L4, L40"),
    ("Hopper", (9, 0), "H100, H200"),
    ("Blackwell", (10, 0), "B200"),
    ("Blackwell", (12, 0), "RTX 5090, 5080, 5070"),
)
_WORDS = {NATIVE: "runs", COMPILES: "compiles", CANNOT: "no"}

TITLE = "# Which TensorFlow for my GPU?"
INTRO = """
A wheel of TensorFlow has machine code for some compute capabilities, and PTX, which the driver compiles for newer
GPUs. [`tf1mem doctor`](doctor.md) compares the installed TensorFlow with the GPUs of the machine. The table is for
PyPI's wheels; NVIDIA's and conda-forge's builds, and those of distributions, have other code.

- **runs**: there is machine code for the GPU.
- **compiles**: the driver compiles PTX at the first start, which can take half an hour. It keeps the result in
  `~/.nv/ComputeCache`, up to `CUDA_CACHE_MAXSIZE` bytes; set that to 4294967296, so that all of it fits. The driver
  must be for the wheel's CUDA version or newer.
- **fails**: it starts, and then fails or gives wrong values; the reports are below.
- **no**: there is no code that the GPU can run, and TensorFlow ignores the GPU.

To find a GPU's compute capability: `nvidia-smi --query-gpu=name,compute_cap --format=csv`, or `tf1mem doctor`.
`tf1mem sim --gpu "RTX 5090" -- tf1mem doctor` shows it for a card that you don't have.
"""

TF32 = f"""
From compute capability {capability_text(tf32.FIRST_CAPABILITY)} on, TensorFlow 2.4 and newer compute matmuls and
convolutions of float32 in TF32: the factors are rounded to 10 bits, so numbers differ from TensorFlow 1.15's in the
fourth digit. Training seldom minds; a comparison with old results does. Plans, reports and `tf1mem doctor` have a line
for it. Any of these turns it off:

- `tf1mem run --no-tf32`, or `{tf32.VARIABLE}=false`, which `tf1mem.apply` and `tf1mem.v1` read, too;
- `tf.{tf32.SETTER}(False)` in the program;
- `{tf32.OVERRIDE}=0`, for NVIDIA's libraries in all programs.
"""


def page() -> str:
    """Returns the text of gpus.md."""
    builds = recorded()
    rows = ((name, capability_text(number), examples) for name, number, examples in GENERATIONS)
    gpus = table(("generation", "compute capability", "such as"), rows)
    spans = [list(span) for _, span in groupby(range(len(GENERATIONS)), lambda number: _column(builds, number))]
    head = ("TensorFlow", "CUDA", "cuDNN", *map(_span, spans))
    by_gpu = table(head, (_row(build, spans) for build in builds))
    machine_code = table(("TensorFlow", "package", "machine code", "PTX"), (_code(build) for build in builds))
    return document(
        TITLE, INTRO, "## The GPUs", gpus, "## TensorFlow by GPU", by_gpu, "## Known failures", _failures(),
        "For TensorFlow 1.15 on newer GPUs NVIDIA published its own build, "
        "[nvidia-tensorflow](https://github.com/NVIDIA/tensorflow), and containers `nvcr.io/nvidia/tensorflow`.",
        "## TF32", TF32, "## The code of each wheel", machine_code,
    )  # fmt: skip


def _span(span: list[int]) -> str:
    """Returns the head of a column that neighbouring generations share."""
    first, last = (capability_text(GENERATIONS[number][1]) for number in (span[0], span[-1]))
    return first if first == last else f"{first} to {last}"


def _row(build: Build, spans: list[list[int]]) -> Iterator[str]:
    yield from (build.version, build.cuda, build.cudnn)
    yield from (_cell(build, span[0]) for span in spans)


def _column(builds: list[Build], generation: int) -> list[str]:
    return [_cell(build, generation) for build in builds]


def _cell(build: Build, generation: int) -> str:
    runs, failure = how_and_failure(build.architectures, build.cuda, GENERATIONS[generation][1])
    return _WORDS[runs] if failure is None else "**fails**"


def _code(build: Build) -> tuple[str, ...]:
    listed = (", ".join(map(capability_text, numbers)) for numbers in build.architectures)
    return (build.version, code(build.distribution), *listed)


def _failures() -> str:
    lines = []
    for failure in KNOWN_FAILURES:
        reports = ", ".join("[{}#{}]({})".format(*_thread(source), source) for source in failure.sources)
        lowest = capability_text(failure.from_capability)
        machines = f"CUDA before {failure.before_cuda} on compute capability {lowest} and up"
        lines.append(f"- {machines}: {failure.description} ({reports}).")
    return "\n".join(lines)


def _thread(source: str) -> tuple[str, str]:
    parts = source.split("/")
    return "/".join(parts[3:5]), parts[-1]
