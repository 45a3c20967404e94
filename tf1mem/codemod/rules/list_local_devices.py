"""The config of `device_lib.list_local_devices`, which starts the GPUs, goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import Example, Rule
from tf1mem.settings import takers

_HEAD = "from tensorflow.python.client import device_lib\n"

rule = Rule(
    "TFM210",
    takes=(takers.DEVICE_LISTING,),
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
