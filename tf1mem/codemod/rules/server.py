"""The config of a `tf.train.Server` goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.settings import takers

rule = Rule(
    "TFM207",
    takes=(takers.SERVER, takers.LOCAL_SERVER),
    examples=(
        Example(HEAD + "server = tf.train.Server(cluster, job_name='worker', task_index=0)\n"),
        Example(
            HEAD + "server = tf.train.Server(cluster, job_name='worker', task_index=0, config=config)\n",
            BOTH + "server = tf.compat.v1.train.Server(cluster, job_name='worker', task_index=0, "
            "config=tf1mem.apply(config))\n",
        ),
        Example(
            HEAD + "server = tf.distribute.Server(cluster, config=tf.compat.v1.ConfigProto())\n",
            BOTH + "server = tf.distribute.Server(cluster, config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
        ),
        Example(
            HEAD + "server = tf.train.Server.create_local_server(config=config)\n",
            BOTH + "server = tf.compat.v1.train.Server.create_local_server(config=tf1mem.apply(config))\n",
        ),
    ),
)
