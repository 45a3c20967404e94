"""The config of a monitored Session, and of the creator that it is given, goes through `tf1mem.apply`."""

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
    "TFM203",
    to=("shim", "apply", "native"),
    shown_for="apply",
    examples=(
        Example(_HEAD + "sess = tf.train.MonitoredTrainingSession(hooks=hooks)\n"),
        Example(_HEAD + "sess = tf.train.MonitoredSession(session_creator=creator)\n"),
        Example(
            _HEAD + "with tf.train.MonitoredTrainingSession(\n        hooks=hooks, config=config) as sess:\n    pass\n",
            _BOTH + "with tf.train.MonitoredTrainingSession(\n"
            "        hooks=hooks, config=tf1mem.apply(config)) as sess:\n    pass\n",
        ),
        Example(
            _HEAD + "creator = tf.train.ChiefSessionCreator(scaffold, config=config)\n",
            _BOTH + "creator = tf.train.ChiefSessionCreator(scaffold, config=tf1mem.apply(config))\n",
        ),
        Example(
            "from tensorflow.core.protobuf.config_pb2 import ConfigProto\n"
            "from tensorflow.python.training.monitored_session import SingularMonitoredSession\n"
            "sess = SingularMonitoredSession(config=ConfigProto())\n",
            "import tf1mem\nfrom tensorflow.core.protobuf.config_pb2 import ConfigProto\n"
            "from tensorflow.python.training.monitored_session import SingularMonitoredSession\n"
            "sess = SingularMonitoredSession(config=tf1mem.apply(ConfigProto()))\n",
            to="apply",
        ),
        Example(
            "import tensorflow as tf\nsess = tf.compat.v1.train.MonitoredSession(\n"
            "    tf.compat.v1.train.WorkerSessionCreator(config=config))\n",
            "import tf1mem\nimport tensorflow as tf\nsess = tf.compat.v1.train.MonitoredSession(\n"
            "    tf.compat.v1.train.WorkerSessionCreator(config=tf1mem.apply(config)))\n",
        ),
    ),
)


@rule
def monitored_sessions(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each call of a monitored Session and of a creator."""
    yield from consumers.rewrites(facts, claims, takers.MONITORED_SESSION, takers.SESSION_CREATOR)
