"""The config of slim's and contrib.training's loops goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import Example, Rule
from tf1mem.settings import takers

rule = Rule(
    "TFM206",
    takes=(takers.SLIM, takers.CONTRIB_TRAINING),
    versions="1.13 to 1.15, the last with contrib; tf_slim has slim for later ones",
    examples=(
        Example("import tensorflow as tf\ntf.contrib.slim.learning.train(op, folder)\n"),
        Example("from own import learning\nlearning.train(op, folder, session_config=config)\n"),
        Example(
            "import tensorflow as tf\nslim = tf.contrib.slim\nslim.learning.train(op, folder, session_config=config)\n",
            "import tf1mem\nimport tensorflow as tf\nslim = tf.contrib.slim\n"
            "slim.learning.train(op, folder, session_config=tf1mem.apply(config))\n",
        ),
        Example(
            "from tensorflow.contrib.slim import evaluation\n"
            "evaluation.evaluate_once('', path, folder, session_config=config)\n",
            "import tf1mem\nfrom tensorflow.contrib.slim import evaluation\n"
            "evaluation.evaluate_once('', path, folder, session_config=tf1mem.apply(config))\n",
        ),
        Example(
            "import tensorflow as tf\nimport tf_slim as slim\nslim.learning.train(op, folder, session_config=config)\n",
            "import tf1mem\nimport tensorflow as tf\nimport tf_slim as slim\n"
            "slim.learning.train(op, folder, session_config=tf1mem.apply(config))\n",
        ),
        Example(
            "import tensorflow as tf\ntf.contrib.training.train(op, folder, config=config)\n",
            "import tf1mem\nimport tensorflow as tf\n"
            "tf.contrib.training.train(op, folder, config=tf1mem.apply(config))\n",
        ),
    ),
)
