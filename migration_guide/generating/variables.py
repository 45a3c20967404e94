"""Generates the tables of environment_variables.md."""

from __future__ import annotations

import inspect
import re
from typing import Iterator

from migration_guide.generating.markdown import code, table, with_tables
from tf1mem.doctor.checkup import variables
from tf1mem.doctor.checkup.installed import Installed
from tf1mem.machine.versions import NEWEST
from tf1mem.settings import environment
from tf1mem.settings.builder import config
from tf1mem.settings.variable_names import is_own

ANY = "…"
# The values that the page shows for the doctor's variables; any other variable has the same effect with every value.
_VALUES = {
    "CUDA_VISIBLE_DEVICES": ("1,0", "-1"),
    "CUDA_DEVICE_ORDER": ("PCI_BUS_ID", "FASTEST_FIRST"),
    "NVIDIA_VISIBLE_DEVICES": ("all", "none"),
    "TF_FORCE_GPU_ALLOW_GROWTH": ("true", "false"),
    "TF_GPU_ALLOCATOR": ("cuda_malloc_async", "cuda_malloc", "memory_guard"),
    "TF_ENABLE_GPU_GARBAGE_COLLECTION": ("true", "false"),
    "TF_GPU_THREAD_MODE": ("global", "gpu_private", "gpu_shared"),
    "TF_USE_LEGACY_KERAS": ("1",),
    "TF2_BEHAVIOR": ("0", "1"),
    "NVIDIA_TF32_OVERRIDE": ("0", "1"),
    "TF_DETERMINISTIC_OPS": ("1",),
    "TF_CUDNN_DETERMINISTIC": ("1",),
    "TF_CPP_MIN_LOG_LEVEL": ("1", "2", "3"),
}


def page() -> str:
    """Returns the text of environment_variables.md, with every variable that tf1mem and its doctor know."""
    settings = table(("variable", "argument of tf1mem.config", "value", "meaning"), _settings())
    other_variables = table(("variable and value", "effect"), _other_variables())
    return with_tables("environment_variables.md", {"settings": settings, "other variables": other_variables})


def _settings() -> Iterator[tuple[str, ...]]:
    arguments = inspect.getdoc(config).split("Args:\n")[1].split("\n\n")[0]  # type: ignore[union-attr]
    meanings = {
        name: re.sub(r"\s+", " ", meaning).strip()
        for name, meaning in re.findall(r"^    (\w+): (.*?)(?=^    \w+: |\Z)", arguments, re.DOTALL | re.MULTILINE)
    }
    for keyword, names, kind in environment._VARIABLES:
        first_sentence = re.split(r"(?<=\.) (?=[A-Z])", meanings[keyword])[0]
        yield ", ".join(map(code, names)), code(keyword), kind.shape, first_sentence


def _other_variables() -> Iterator[tuple[str, str]]:
    installed = Installed("", "", tensorflow="{}.{}.0".format(*NEWEST))
    for name in variables.names():
        if is_own(name) or name in environment.VARIABLES:
            continue
        for value in _VALUES.get(name, (ANY,)):
            (variable,) = variables.look({name: value}, installed)
            assert variable.understood, variable
            yield code(f"{name}={value}"), variable.does
