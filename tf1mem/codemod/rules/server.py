"""The config of a `tf.train.Server` goes through `tf1mem.apply`."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.rules import Example, Rule
from tf1mem.settings import takers

_HEAD = "import tensorflow as tf\n"
_BOTH = "import tf1mem\nimport tensorflow as tf\n"

rule = Rule(
    "TFM207",
    to=("shim", "apply", "native"),
    shown_for="apply",
    examples=(
        Example(_HEAD + "server = tf.train.Server(cluster, job_name='worker', task_index=0)\n"),
        Example(
            _HEAD + "server = tf.train.Server(cluster, job_name='worker', task_index=0, config=config)\n",
            _BOTH + "server = tf.train.Server(cluster, job_name='worker', task_index=0, config=tf1mem.apply(config))\n",
        ),
        Example(
            _HEAD + "server = tf.distribute.Server(cluster, config=tf.compat.v1.ConfigProto())\n",
            _BOTH + "server = tf.distribute.Server(cluster, config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
        ),
        Example(
            _HEAD + "server = tf.train.Server.create_local_server(config=config)\n",
            _BOTH + "server = tf.train.Server.create_local_server(config=tf1mem.apply(config))\n",
        ),
    ),
)


@rule
def server(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each call of Server, and of its create_local_server."""
    yield from consumers.rewrites(facts, claims, takers.SERVER, takers.LOCAL_SERVER)
