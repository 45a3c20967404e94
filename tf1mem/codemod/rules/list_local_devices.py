"""The config of `device_lib.list_local_devices`, which starts the GPUs, goes through `tf1mem.apply`."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.rules import Example, Rule
from tf1mem.settings import takers

_HEAD = "from tensorflow.python.client import device_lib\n"

rule = Rule(
    "TFM210",
    to=("shim", "apply", "native"),
    shown_for="apply",
    examples=(
        Example(_HEAD + "devices = device_lib.list_local_devices()\n"),
        Example(
            _HEAD + "devices = device_lib.list_local_devices(session_config=config)\n",
            "import tf1mem\n"
            + _HEAD
            + "devices = device_lib.list_local_devices(session_config=tf1mem.apply(config))\n",
        ),
        Example(
            "from tensorflow.python.client.device_lib import list_local_devices\nlist_local_devices(config)\n",
            "import tf1mem\nfrom tensorflow.python.client.device_lib import list_local_devices\n"
            "list_local_devices(tf1mem.apply(config))\n",
        ),
    ),
)


@rule
def list_local_devices(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each device listing with a config."""
    yield from consumers.rewrites(facts, claims, takers.DEVICE_LISTING)
