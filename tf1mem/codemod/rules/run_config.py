"""The session_config of an Estimator's RunConfig goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.settings import takers

rule = Rule(
    "TFM205",
    takes=(takers.RUN_CONFIG, takers.CONTRIB_RUN_CONFIG, takers.RUN_CONFIG_REPLACE),
    only_importers=True,
    versions="1.13 to 2.15, the last with an Estimator",
    examples=(
        Example(HEAD + "run_config = tf.estimator.RunConfig(model_dir=folder)\n"),
        Example(HEAD + "text = text.replace('a', 'b')\n"),
        Example("from own import RunConfig\nrun_config = RunConfig(session_config=config)\n"),
        Example(
            HEAD + "run_config = tf.estimator.RunConfig(model_dir=folder, session_config=config)\n",
            BOTH + "run_config = tf.estimator.RunConfig(model_dir=folder, session_config=tf1mem.apply(config))\n",
        ),
        Example(
            HEAD + "run_config = tf.contrib.tpu.RunConfig(\n    session_config=tf.compat.v1.ConfigProto())\n",
            BOTH + "run_config = tf.contrib.tpu.RunConfig(\n"
            "    session_config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
        ),
        Example(
            "from tensorflow.contrib import learn\nrun_config = learn.RunConfig(session_config=config)\n",
            "import tf1mem\nfrom tensorflow.contrib import learn\n"
            "run_config = learn.RunConfig(session_config=tf1mem.apply(config))\n",
        ),
        Example(
            HEAD + "run_config = tf.estimator.RunConfig().replace(session_config=config)\n",
            BOTH + "run_config = tf.estimator.RunConfig().replace(session_config=tf1mem.apply(config))\n",
        ),
    ),
)
