"""Growth for one GPU of several, which TensorFlow refuses, gets a remark unless the others are hidden.

On a machine with more than one GPU the first op raises ValueError: memory growth cannot differ between GPU devices.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.facts import gpu_memory
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.syntax import ancestors, condition

_HEAD = "import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"
_GROW = "tf.config.experimental.set_memory_growth(gpus[0], True)\n"
_CODE = "TFM404"

rule = Rule(
    _CODE,
    of_result=True,
    examples=(
        Example(_HEAD + "for gpu in gpus:\n    tf.config.experimental.set_memory_growth(gpu, True)\n"),
        Example(
            _HEAD + "try:\n    for gpu in gpus:\n        tf.config.experimental.set_memory_growth(gpu, True)\n"
            "except RuntimeError:\n    pass\n"
        ),
        Example(_HEAD + "[tf.config.experimental.set_memory_growth(gpu, True) for gpu in gpus]\n"),
        Example(_HEAD + "tf.config.set_visible_devices(gpus[0], 'GPU')\n" + _GROW),
        Example("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n" + _HEAD + _GROW),
        Example(_HEAD + "if len(gpus) == 1:\n    " + _GROW),
        Example(_HEAD + "i = rank\ntf.config.experimental.set_memory_growth(gpus[i], True)\n"),
        Example(_HEAD + _GROW.replace("True", "False")),
        Example(_HEAD + _GROW + "tf.config.experimental.set_memory_growth(gpus[1], True)\n"),
        Example(_HEAD + _GROW, remarks=(_CODE,)),
        Example(_HEAD + "if gpus:\n    gpu = gpus[0]\n    " + _GROW.replace("gpus[0]", "gpu"), remarks=(_CODE,)),
        Example(
            "import tensorflow as tf\nfrom tensorflow.config import experimental\n"
            "experimental.set_memory_growth(tf.config.list_physical_devices('GPU')[0], enable=True)\n",
            remarks=(_CODE,),
        ),
    ),
)  # fmt: skip

# Words that may leave one GPU to the program, or one to each of several processes.
_HIDES = re.compile(rb"VISIBLE_DEVICES|set_visible_devices|visible_device_list|\bsetGPU\b|local_rank")

_COUNTS = re.compile(rb"\blen\b.*(?:==|<)|\bnum|count")


@rule
def growth_differs(facts: Facts) -> Iterator[Note]:
    """Yields a remark if the program makes only the first GPU grow, or only another one by its number."""
    calls = list(gpu_memory.config_calls(facts, *gpu_memory.GROWTH))
    grown = gpu_memory.growth_calls(facts)
    if not calls or len(calls) != len(grown) or _HIDES.search(facts.source.text) or gpu_memory.limit_calls(facts):
        return
    devices = {gpu_memory.device_of(facts, gpu_call).which for gpu_call in grown}
    first = grown[0].call
    if len(devices) != 1 or not re.fullmatch(r"GPUs\[\d+\]", devices.pop()) or _is_counted(facts, first):
        return
    yield remark(
        first, "growth for one GPU only: with several, TensorFlow's first op raises a ValueError",
        "Set it for each of tf.config.list_physical_devices('GPU'), or hide the others by set_visible_devices.",
    )  # fmt: skip


def _is_counted(facts: Facts, node: Node) -> bool:
    """Returns True if a condition around a node counts the GPUs."""
    tests = [condition(above) for above in ancestors(node) if above.type in ("if_statement", "elif_clause")]
    return any(test is not None and _COUNTS.search(facts.text(test)) for test in tests)
