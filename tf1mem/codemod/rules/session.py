"""The config of a Session goes through `tf1mem.apply`.

The Session stays, as `tf.compat.v1.Session`, which TensorFlow has had since 1.13.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.codemod.targets import apply
from tf1mem.settings import takers

rule = Rule(
    "TFM201",
    shown_for="apply",
    examples=(
        Example(HEAD + "sess = tf.Session()\n"),
        Example(HEAD + "sess = tf.Session(graph=graph, config=None)\n"),
        Example("from own import Session\nsess = Session(config=config)\n"),
        Example("class A:\n    def f(self, tf):\n        return tf.Session(config=self.config)\n"),
        Example("import tf1mem\nimport tensorflow as tf\nsess = tf.Session(config=tf1mem.apply(config))\n"),
        Example("import tf1mem\nimport tensorflow as tf\nc = tf1mem.apply(config)\nsess = tf.Session(config=c)\n"),
        Example(
            HEAD + "if tf.__version__ < '2':\n    sess = tf.Session(config=config)\n"
            "else:\n    tf.config.set_soft_device_placement(True)\n"
        ),
        Example("def f():\n    return 'tf.Session(config=config)'  # import tensorflow as tf\n"),
        Example(
            HEAD + "sess = tf.Session(config=config)\n",
            BOTH + "sess = tf.compat.v1.Session(config=tf1mem.apply(config))\n",
        ),
        Example(
            HEAD + "if not hasattr(self, 'sess') or FLAGS.is_v1:\n    self.sess = tf.Session(config=config)\n",
            BOTH + "if not hasattr(self, 'sess') or FLAGS.is_v1:\n"
            "    self.sess = tf.compat.v1.Session(config=tf1mem.apply(config))\n",
        ),
        Example(
            HEAD + "config = own.ConfigProto()\nwith tf.Session('', graph, config) as sess:\n    pass\n",
            BOTH + "config = own.ConfigProto()\n"
            "with tf.compat.v1.Session('', graph, tf1mem.apply(config)) as sess:\n    pass\n",
        ),
        Example(
            HEAD + "sess = tf.InteractiveSession(\n    config=config,  # ours\n)\n",
            BOTH + "sess = tf.compat.v1.InteractiveSession(\n    config=tf1mem.apply(config),  # ours\n)\n",
        ),
        Example(
            HEAD + "def make(config=None):\n    return tf.Session(config=config)\n",
            BOTH + "def make(config=None):\n"
            "    return tf.compat.v1.Session(config=tf1mem.apply(config) if config is not None else None)\n",
        ),
        Example(
            "import tensorflow\nclass Model(object):\n    def __init__(self):\n"
            "        self.sess = tensorflow.compat.v1.Session(config=self.config)\n",
            "import tf1mem\nimport tensorflow\nclass Model(object):\n    def __init__(self):\n"
            "        self.sess = tensorflow.compat.v1.Session(config=tf1mem.apply(self.config))\n",
        ),
        Example(
            "import tensorflow as T\nsess = T.Session(config=config)\n",
            "import tf1mem\nimport tensorflow as T\nsess = T.compat.v1.Session(config=tf1mem.apply(config))\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\nsess = tf.Session(config=config)\n",
            "import tf1mem\nimport tensorflow.compat.v1 as tf\nsess = tf.Session(config=tf1mem.apply(config))\n",
        ),
        Example(
            "from tensorflow.python.client.session import Session as S\nsess = S(config=config)\n",
            "import tf1mem\nfrom tensorflow.python.client.session import Session as S\n"
            "sess = S(config=tf1mem.apply(config))\n",
        ),
        Example(
            "def main():\n    import tensorflow as tf\n    sess = tf.Session(config=config())\n",
            "def main():\n    import tf1mem\n    import tensorflow as tf\n"
            "    sess = tf.compat.v1.Session(config=tf1mem.apply(config()))\n",
        ),
        Example(
            HEAD + "if hasattr(tf, 'Session'):\n    sess = tf.Session(config=config)\n"
            "else:\n    sess = tf.compat.v1.Session(config=config)\n",
            BOTH + "if hasattr(tf, 'Session'):\n    sess = tf.Session(config=config)\n"
            "else:\n    sess = tf.compat.v1.Session(config=tf1mem.apply(config))\n",
        ),
    ),
)


@rule
def session(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each call of Session and InteractiveSession, except for those that another rule removes."""
    for taker in (takers.SESSION, takers.INTERACTIVE_SESSION):
        for call in apply.unsettled(facts, claims, taker):
            if not consumers.is_only_for_its_options(facts, call):
                config = consumers.config_of(facts, call, taker)
                yield from apply.applied(facts, call, config, taker.label)
