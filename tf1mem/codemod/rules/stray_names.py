"""A file that uses TensorFlow 1's names needs a decision by hand if it also supports TensorFlow 2, or is a library.

If it imported them from tf1mem.v1, TensorFlow 2's behavior would be off for every program that imports the file. A file
shows its support for TensorFlow 2 by tf.GradientTape, tf.function, tf.executing_eagerly or compat.v2, by a function
that returns a test of TensorFlow's version, by an import inside a function that the file doesn't call itself, and by
names that compat.v1 has on TensorFlow 2 too. These don't count if the file itself calls disable_v2_behavior or
disable_eager_execution, or enable_eager_execution, as programs for TensorFlow 1 do. `tf1mem run` switches the behavior
off for one program only, so there these exceptions don't apply: all files of the program move, except for their uses
of compat.v2.
"""

from __future__ import annotations

from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.targets.shim import STAYS

rule = Rule(
    STAYS,
    to=("shim",),
    by_plan=True,
    examples=(
        Example(HEAD + "@tf.function\ndef f():\n    pass\n"),
        Example("import tensorflow.compat.v1 as tf\nx = tf.constant(1)\n"),
        Example(HEAD + "@tf.function\ndef f():\n    tf.logging.info('x')\n", remarks=(STAYS,)),
        Example(HEAD + "with tf.GradientTape() as t:\n    tf.contrib.layers.conv2d(x)\n", remarks=(STAYS,)),
        Example(HEAD + "if tf.executing_eagerly():\n    pass\ntf.get_variable('x', [1])\n", remarks=(STAYS,)),
        Example(
            HEAD + "from own import _executing_eagerly\nif not _executing_eagerly():\n    tf.get_default_graph()\n",
            remarks=(STAYS,),
        ),
        Example(HEAD + "tf.compat.v2.summary.flush()\ntf.placeholder(1)\n", remarks=(STAYS,)),
        Example(
            "from tensorflow import estimator as e\nimport tensorflow as tf\ntf.GradientTape()\ne.EstimatorSpec(1)\n",
            remarks=(STAYS,),
        ),
        Example(
            HEAD
            + "def is_v2_0():\n    return tf.__version__ >= '2'\ndef f():\n    return tf.contrib.rnn.LSTMCell(1)\n",
            remarks=(STAYS,),
        ),
        Example("import tensorflow.compat.v1 as tf\nprint(tf.placeholder)\n", remarks=(STAYS,)),
        Example("import tensorflow.compat.v1 as tf\ntf.GradientTape()\ntf.logging.info('x')\n", remarks=(STAYS,)),
        Example(
            HEAD + "if tf.__version__ >= '2':\n    tf = tf.compat.v1\nx = tf.placeholder(tf.float32)\n",
            remarks=(STAYS,),
        ),
        Example("def f():\n    import tensorflow as tf\n    return tf.Session()\n", remarks=(STAYS,)),
    ),
)
