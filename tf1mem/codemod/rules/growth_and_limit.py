"""Growth and a limit of memory on one GPU, which TensorFlow doesn't have together, go through `tf1mem.apply`.

TensorFlow drops the growth, or raises ValueError where the limit comes first. Where the two calls stand side by side
for all GPUs, or for the first of them, they become one `tf1mem.apply`; elsewhere a remark says what to do. The soft
placement of TensorFlow 2 is kept: a config that doesn't name it would turn it off.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims, Kind
from tf1mem.codemod.facts import growth_and_limits
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, line_of, remark, rewrite
from tf1mem.codemod.rules import Example, Rule

_CODE = "TFM402"
_HEAD = "import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"
_AFTER = "import tf1mem\n" + _HEAD
_GROW = "tf.config.experimental.set_memory_growth({}, True)\n"
_LIMIT = "tf.config.set_logical_device_configuration({}, [tf.config.LogicalDeviceConfiguration(memory_limit={})])\n"

rule = Rule(
    _CODE,
    versions="2.1 to 2.22",
    examples=(
        Example(_HEAD + "for gpu in gpus:\n    " + _GROW.format("gpu")),
        Example(
            _HEAD
            + "try:\n    for gpu in gpus:\n        "
            + _GROW.format("gpu")
            + "except RuntimeError as e:\n    print(e)\n"
        ),
        Example(
            _HEAD + "if limit:\n    " + _LIMIT.format("gpus[0]", 1024) + "else:\n    " + _GROW.format("gpus[0]"),
        ),
        Example(
            _HEAD + "def one():\n    " + _GROW.format("gpus[0]") + "def other():\n    " + _LIMIT.format("gpus[0]", 1024)
        ),
        Example(_HEAD + _GROW.format("gpus[0]") + _LIMIT.format("gpus[1]", 1024)),
        Example(
            _HEAD
            + "for gpu in gpus:\n    "
            + _GROW.format("gpu").replace("True", "False")
            + _LIMIT.format("gpus[0]", 1024)
        ),
        Example(_HEAD + _GROW.format("gpus[0]") + _LIMIT.format("gpus[0]", 1024), remarks=(_CODE,)),
        Example(
            _HEAD + "for gpu in gpus:\n    " + _GROW.format("gpu") + "if limit:\n    " + _LIMIT.format("gpus[0]", 1024),
            remarks=(_CODE,),
        ),
        Example(
            _HEAD + "for gpu in gpus:\n    " + _GROW.format("gpu") + "    " + _LIMIT.format("gpu", 1024),
            _AFTER + "if gpus:\n"
            "    tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=1024, soft_placement=True))\n",
        ),
        Example(
            _HEAD + "for gpu in gpus:\n    " + _GROW.format("gpu") + "    print(gpu)\n    " + _LIMIT.format("gpu", "n"),
            _AFTER + "for gpu in gpus:\n    print(gpu)\n"
            "    tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=n, soft_placement=True))\n",
        ),
        Example(
            _HEAD
            + "for gpu in gpus:\n    "
            + _GROW.format("gpu")
            + "for g in gpus:\n    "
            + _LIMIT.format("g", "2 * n"),
            _AFTER + "if gpus:\n"
            "    tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=2 * n, soft_placement=True))\n",
        ),
        Example(
            _HEAD + "for gpu in gpus:\n    " + _GROW.format("gpu") + _LIMIT.format("gpus[0]", 512),
            _AFTER + "tf1mem.apply(tf1mem.config(allow_growth=True, split_mib=[512], soft_placement=True))\n",
        ),
        Example(
            _HEAD
            + "tf.config.set_visible_devices(gpus[0], 'GPU')\n"
            + _GROW.format("gpus[0]")
            + _LIMIT.format("gpus[0]", 512),
            _AFTER + "tf.config.set_visible_devices(gpus[0], 'GPU')\n"
            "tf1mem.apply(tf1mem.config(allow_growth=True, split_mib=[512], soft_placement=True))\n",
        ),
        Example(
            _HEAD
            + "tf.config.set_soft_device_placement(False)\nfor gpu in gpus:\n    "
            + _GROW.format("gpu")
            + "    "
            + _LIMIT.format("gpu", 1024),
            _AFTER + "tf.config.set_soft_device_placement(False)\nif gpus:\n"
            "    tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=1024, "
            "soft_placement=tf.config.get_soft_device_placement()))\n",
        ),
        Example(
            "from tensorflow.config import list_physical_devices\nfrom tensorflow.config.experimental import (\n"
            "    VirtualDeviceConfiguration as Size, set_memory_growth, set_virtual_device_configuration)\n"
            "for gpu in list_physical_devices('GPU'):\n    set_virtual_device_configuration(gpu, [Size(1024)])\n"
            "    set_memory_growth(device=gpu, enable=True)\n",
            "import tf1mem\nfrom tensorflow.config import list_physical_devices\n"
            "from tensorflow.config.experimental import (\n"
            "    VirtualDeviceConfiguration as Size, set_memory_growth, set_virtual_device_configuration)\n"
            "if list_physical_devices('GPU'):\n"
            "    tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=1024, soft_placement=True))\n",
        ),
    ),
)


@rule.claims(Kind.GONE)
def replaced(facts: Facts, claims: Claims) -> Iterator[tuple[int, int]]:
    """What one tf1mem.apply takes the place of."""
    for both in growth_and_limits.find(facts, claims):
        yield from ((edit.start, edit.end) for edit in both.edits if edit.start < edit.end)


@rule
def growth_and_limit(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each limit of a GPU that is to grow as well."""
    for both in growth_and_limits.find(facts, claims):
        if both.edits:
            yield rewrite(
                both.later, "growth and a limit, of which TensorFlow drops the growth, become one tf1mem.apply",
                *both.edits, imports_tf1mem=True,
            )  # fmt: skip
            continue
        if both.later == both.limit.call:
            where = line_of(facts, both.growth.call)
            message = f"a limit on a GPU takes back its memory growth ({where}), without a word"
        else:
            where = line_of(facts, both.limit.call)
            message = f"memory growth on a GPU that has a limit ({where}) is a ValueError"
        yield remark(
            both.later, message,
            "Set both by tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…, soft_placement=True)).",
        )  # fmt: skip
