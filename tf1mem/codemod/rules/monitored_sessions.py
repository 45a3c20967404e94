"""The config of a monitored Session, and of its session creator, goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.settings import takers

rule = Rule(
    "TFM203",
    takes=(takers.MONITORED_SESSION, takers.SESSION_CREATOR),
    examples=(
        Example(HEAD + "sess = tf.train.MonitoredTrainingSession(hooks=hooks)\n"),
        Example(HEAD + "sess = tf.train.MonitoredSession(session_creator=creator)\n"),
        Example(
            HEAD + "with tf.train.MonitoredTrainingSession(\n        hooks=hooks, config=config) as sess:\n    pass\n",
            BOTH + "with tf.compat.v1.train.MonitoredTrainingSession(\n"
            "        hooks=hooks, config=tf1mem.apply(config)) as sess:\n    pass\n",
        ),
        Example(
            HEAD + "creator = tf.train.ChiefSessionCreator(scaffold, config=config)\n",
            BOTH + "creator = tf.compat.v1.train.ChiefSessionCreator(scaffold, config=tf1mem.apply(config))\n",
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
