"""The session_config of an Estimator's RunConfig goes through `tf1mem.apply`."""

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
    "TFM205",
    to=("shim", "apply", "native"),
    shown_for="apply",
    versions="1.13 to 2.15, the last with an Estimator",
    examples=(
        Example(_HEAD + "run_config = tf.estimator.RunConfig(model_dir=folder)\n"),
        Example(_HEAD + "text = text.replace('a', 'b')\n"),
        Example("from own import RunConfig\nrun_config = RunConfig(session_config=config)\n"),
        Example(
            _HEAD + "run_config = tf.estimator.RunConfig(model_dir=folder, session_config=config)\n",
            _BOTH + "run_config = tf.estimator.RunConfig(model_dir=folder, session_config=tf1mem.apply(config))\n",
        ),
        Example(
            _HEAD + "run_config = tf.contrib.tpu.RunConfig(\n    session_config=tf.compat.v1.ConfigProto())\n",
            _BOTH + "run_config = tf.contrib.tpu.RunConfig(\n"
            "    session_config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
        ),
        Example(
            "from tensorflow.contrib import learn\nrun_config = learn.RunConfig(session_config=config)\n",
            "import tf1mem\nfrom tensorflow.contrib import learn\n"
            "run_config = learn.RunConfig(session_config=tf1mem.apply(config))\n",
        ),
        Example(
            _HEAD + "run_config = tf.estimator.RunConfig().replace(session_config=config)\n",
            _BOTH + "run_config = tf.estimator.RunConfig().replace(session_config=tf1mem.apply(config))\n",
        ),
    ),
)


@rule
def run_config(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each RunConfig, and each `.replace(session_config=…)`, a keyword that nothing else has."""
    if facts.imports.bindings:
        rows = (takers.RUN_CONFIG, takers.CONTRIB_RUN_CONFIG, takers.RUN_CONFIG_REPLACE)
        yield from consumers.rewrites(facts, claims, *rows)
