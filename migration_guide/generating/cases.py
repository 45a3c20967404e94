"""The settings that programs use: the cases that settings.md shows, and the values that it shows as refused.

tests/guide/test_columns.py compares a case's other spellings with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A config, and the machine that it is planned for.

    Attributes:
        title: The heading.
        tree: The config, as a dict.
        gpus: The number of GPUs, of 8 GiB each.
    """

    title: str
    tree: dict[str, Any]
    gpus: int = 1


@dataclass(frozen=True)
class Section:
    """A setting with a page.

    Attributes:
        path: The field's dotted name.
        cases: The configs to show; the TF1 spelling is the first one's.
        keyword: The first case as an argument of `tf1mem.config`; empty if there is none.
        variable: The first case as a variable of `tf1mem.from_env`; empty if there is none.
        refused: Values that are refused, or whole configs.
        note: Text after the field's scope, without its last full stop.
    """

    path: str
    cases: tuple[Case, ...]
    keyword: str = ""
    variable: str = ""
    refused: tuple[Any, ...] = ()
    note: str = ""

    @property
    def title(self) -> str:
        """The field's own name."""
        return self.path.rsplit(".", 1)[-1]


def _gpu(**options: Any) -> dict[str, Any]:
    return {"gpu_options": options}


def _devices(*entries: dict[str, Any], **options: Any) -> dict[str, Any]:
    return _gpu(experimental={"virtual_devices": list(entries)}, **options)


_JIT = "graph_options.optimizer_options.global_jit_level"

SECTIONS = (
    Section(
        "gpu_options.per_process_gpu_memory_fraction",
        (
            Case("A share of each GPU: 0.4 of 8 GiB", _gpu(per_process_gpu_memory_fraction=0.4)),
            Case(
                "Above 1: managed memory",
                _gpu(per_process_gpu_memory_fraction=1.5, experimental={"use_unified_memory": True}),
            ),
        ),
        "memory_fraction=0.4",
        "TF1MEM_MEMORY_FRACTION=0.4",
        (-0.1, 1e9, "0.4", {**_devices({"memory_limit_mb": [2048]}, per_process_gpu_memory_fraction=0.4)}),
    ),
    Section(
        "gpu_options.allow_growth",
        (
            Case("Alone", _gpu(allow_growth=True)),
            Case("With a fraction: grows, and is capped", _gpu(allow_growth=True, per_process_gpu_memory_fraction=0.4)),
            Case("With a limit", _devices({"memory_limit_mb": [2048]}, allow_growth=True)),
        ),
        "allow_growth=True",
        "TF1MEM_ALLOW_GROWTH=true",
        ("true", 1),
        "`TF_FORCE_GPU_ALLOW_GROWTH`, set outside, overrides it, and the report says so",
    ),
    Section(
        "gpu_options.experimental.virtual_devices",
        (
            Case("One GPU split in two", _devices({"memory_limit_mb": [2048, 2048]})),
            Case("A limit in MiB", _devices({"memory_limit_mb": [2048]})),
            Case("One GPU of two split", _devices({"memory_limit_mb": [2048, 2048]}, {}), 2),
        ),
        "split_mib=[2048, 2048]",
        "TF1MEM_SPLIT_MB=2048,2048",
        (
            [{"memory_limit_mb": [2048]}],
            [{"memory_limit_mb": [9000]}, {}],
            [{"memory_limit_mb": [-1]}, {}],
        ),
        "It has one entry for each GPU in use; an empty entry leaves the GPU whole",
    ),
    Section(
        "gpu_options.visible_device_list",
        (
            Case("One GPU of two", _gpu(visible_device_list="1"), 2),
            Case("In another order", _gpu(visible_device_list="1,0"), 2),
        ),
        "visible_gpus=[1]",
        "TF1MEM_VISIBLE_GPUS=1",
        ("7", "0,0", "-1", [0]),
        "GPUs are counted within `CUDA_VISIBLE_DEVICES`",
    ),
    Section(
        "device_count",
        (
            Case("Fewer GPUs", {"device_count": {"GPU": 1}}, 2),
            Case("No GPU", {"device_count": {"GPU": 0}}),
            Case("Logical CPUs", {"device_count": {"CPU": 2}}),
            Case("A device type in lower case", {"device_count": {"gpu": 0}}),
        ),
        refused=([1], {"GPU": "0"}),
    ),
    Section(
        "allow_soft_placement",
        (
            Case("On", {"allow_soft_placement": True}),
            Case("Off, or left out of a ConfigProto", {"allow_soft_placement": False}),
        ),
        "soft_placement=True",
        "TF1MEM_SOFT_PLACEMENT=true",
        note="A ConfigProto (an object, bytes or a `.pbtxt`) without it switches it off. Arguments of `tf1mem.config`, "
        "dicts, JSON, YAML and environment variables without it keep TensorFlow's default",
    ),
    Section(
        "log_device_placement",
        (Case("On", {"log_device_placement": True}),),
        "log_placement=True",
        "TF1MEM_LOG_PLACEMENT=true",
    ),
    Section(
        "intra_op_parallelism_threads",
        (Case("Four threads", {"intra_op_parallelism_threads": 4}),),
        "threads=4",
        refused=("4",),
    ),
    Section(
        "inter_op_parallelism_threads", (Case("Two threads", {"inter_op_parallelism_threads": 2}),), "threads=(0, 2)"
    ),
    Section(
        _JIT,
        (
            Case("On", {"graph_options": {"optimizer_options": {"global_jit_level": "ON_1"}}}),
            Case("At its highest", {"graph_options": {"optimizer_options": {"global_jit_level": "ON_2"}}}),
        ),
        "jit=True",
        refused=("ON",),
    ),
)
