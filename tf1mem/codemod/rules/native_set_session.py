"""A Session that is passed to Keras only for its settings becomes `tf.config` calls: Keras no longer takes a Session.

The rule works like the one for Sessions, but no Session remains, so placement is left to TensorFlow. Imports that only
led to `set_session` are removed: newer versions of Keras lack the name, and some of them the module.
"""

from __future__ import annotations

from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.targets.native.construct import SET_SESSION

_CONFIG = "config = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
_CALLS = 'for gpu in tf.config.list_physical_devices("GPU"):\n    tf.config.experimental.set_memory_growth(gpu, True)\n'

rule = Rule(
    SET_SESSION,
    to=("native",),
    by_plan=True,
    versions="2.4 to 2.22",
    examples=(
        Example("class A:\n    def f(self, tf):\n        self.set_session(tf.Session(config=tf.ConfigProto()))\n"),
        Example("from own import set_session\nimport tensorflow as tf\nset_session(tf.compat.v1.Session())\n"),
        Example(
            HEAD + "from keras.backend.tensorflow_backend import set_session\n"
            + _CONFIG + "sess = tf.Session(config=config)\nset_session(sess)  # for Keras\n",
            HEAD + _CALLS + "# for Keras\n",
        ),
        Example(
            HEAD + "from keras import backend as K\n"
            + _CONFIG + "K.set_session(tf.Session(config=config))\nK.clear_session()\n",
            HEAD + "from keras import backend as K\n" + _CALLS + "K.clear_session()\n",
        ),
        Example(
            HEAD + "tf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(\n"
            "    config=tf.compat.v1.ConfigProto(allow_soft_placement=True)))\n",
            HEAD + "tf.config.set_soft_device_placement(True)\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\n"
            + _CONFIG + "tf.keras.backend.set_session(tf.Session(config=config))\n",
            "import tensorflow.compat.v1 as tf\n" + _CALLS,
        ),
        Example(
            "from tensorflow.compat.v1 import ConfigProto, Session\n"
            "from tensorflow.keras.backend import set_session, clear_session\n"
            "set_session(Session(config=ConfigProto(intra_op_parallelism_threads=1)))\nclear_session()\n",
            "import tensorflow as tf\nfrom tensorflow.keras.backend import clear_session\n"
            "tf.config.threading.set_intra_op_parallelism_threads(1)\nclear_session()\n",
        ),
    ),
)  # fmt: skip
