"""The session_config of an Estimator's RunConfig goes through `tf1mem.apply`."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.rules import Example, Rule

_HEAD = "import tensorflow as tf\n"
_BOTH = "import tf1mem\nimport tensorflow as tf\n"
_RUN_CONFIGS = (
    "estimator.RunConfig", "estimator.tpu.RunConfig", "contrib.learn.RunConfig", "contrib.tpu.RunConfig",
    "contrib.learn.python.learn.estimators.run_config.RunConfig", "contrib.tpu.python.tpu.tpu_config.RunConfig",
)  # fmt: skip

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
def run_config(facts: Facts) -> Iterator[Finding]:
    """Each RunConfig, and each `.replace(session_config=…)`, a keyword that nothing else has."""
    if not facts.spelled("session_config") or not facts.shim.bindings:
        return
    for call in consumers.calls(facts, *_RUN_CONFIGS):
        config = consumers.config_of(facts, call, "session_config")
        yield from consumers.applied(facts, call, config, "the RunConfig")
    for call in consumers.methods(facts, "replace"):
        config = consumers.config_of(facts, call, "session_config")
        yield from consumers.applied(facts, call, config, "the RunConfig")
