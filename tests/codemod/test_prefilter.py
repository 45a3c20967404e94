"""The prefilter decides without a syntax tree as the rules decide with one."""

from __future__ import annotations

from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from tf1mem.codemod import prefilter, rewriting, targets
from tf1mem.codemod.files import extract
from tf1mem.codemod.targets import plain

LINES = st.sampled_from(
    [
        "import tensorflow as tf",
        "import tensorflow as tf  # TensorFlow",
        "import tensorflow.compat.v1 as tf",
        "import tensorflow.compat.v2 as tf2",
        "import tensorflow.contrib.slim as slim",
        "from tensorflow.contrib import rnn",
        "from tensorflow_core.contrib import rnn",
        "from tensorflow.contrib.layers import (conv2d,\n    fully_connected)",
        "from tensorflow.python.framework import ops",
        "from tensorflow.python.keras import layers",
        "from tensorflow.python.training import supervisor as sv\nsv.Supervisor(1)",
        "from tensorflow.python.framework import ops as o\no.Tensor",
        "import tensorflow_estimator as te\nte.placeholder(1)",
        "mytf = tf\nmytf.placeholder(1)",
        "from tensorflow.keras import layers",
        "from tensorflow import gfile",
        "import keras",
        "import tensorflow_probability as tfp",
        "import horovod.tensorflow as hvd",
        "import os, tensorflow as tf",
        "def f(tf):\n    return tf.placeholder(1)",
        "def f():\n    import tensorflow as tf\n    return tf.placeholder(1)",
        "x = tf.placeholder(tf.float32)",
        "x = tf.constant(1)",
        "y = tf.reduce_sum(x, keep_dims=True)",
        "y = tf.compat.v1.placeholder(1)",
        "K = tf.keras.backend\nK.get_session()",
        "s = 'tf.placeholder'  # tf.placeholder",
        '"""\nimport tensorflow as tf\ntf.Session()\n"""',
        "s = 'it''s' + \"it's # not\"",
        "s = 'a\\\nimport tensorflow as tf\\\n'",
        "s = f'{tf.placeholder}'",
        "s = '",
        "g(tf)",
        "g(tf=1)",
        "o.tf.placeholder",
        "if tf.__version__ < '2':\n    tf.placeholder(1)",
        "try:\n    tf.placeholder(1)\nexcept AttributeError:\n    pass",
        "if mode == 'tf2':\n    tf.placeholder(1)",
        "if (one and\n        hasattr(tf, 'placeholder')):\n    tf.placeholder(1)",
        "NEW = hasattr(tf, 'placeholder')",
        "if (mode ==\n        'tf2'):\n    tf.placeholder(1)",
        "if (a and  # only for\n        b  # tf2\n        ):\n    tf.placeholder(1)",
        "NEW = '__version__'",
        "s = f'{ {1: 2}[1] + tf.placeholder(1) }'",
        "s = f'{tf .placeholder}'",
        "y = tf.reduce_sum(x, keep_dims\n    =True)",
        "y = (tf.train\n     .AdamOptimizer(1))",
        "y = tf. placeholder(1)",
        "if NEW:\n    tf.placeholder(1)",
        "y = tf.placeholder(1) if tf.executing_eagerly() else 1",
        "print(tf.executing_eagerly(), tf_video, conversion)",
        "from tensorflow.examples.tutorials.mnist import input_data",
        "import tensorflow.examples.tutorials.mnist.input_data as data",
        "z = tf.reduce_sum(x, axis=dim)",
        "w = tf.argmax(x, dimension=1)",
        "s = f'{x}'",
        "m = tf.keras.Model()",
        "m = tf.keras.layers.CuDNNLSTM(1)",
        "with tf.GradientTape() as t:\n    pass",
        "tf.enable_eager_execution()",
        "tf.disable_v2_behavior()",
        "def is_new():\n    return tf.__version__ >= '2'",
        "x = tf.layers.dense(x, 1)",
        "tf = None",
        "import tf1mem.v1 as tf",
        "print 'Python 2'",
        "tf.placeholder(1)  # tf1mem: skip",
    ]
)
END = st.sampled_from(["\n", "\r\n"])


@settings(max_examples=900, deadline=None, derandomize=True)
@given(st.lists(LINES, max_size=6), END, st.booleans())
def test_the_prefilter_decides_like_the_rules(lines, end, closed):
    source = ("\n".join(lines) + "\n" * closed).replace("\n", end).encode()
    quickly = rewriting.rewrite(source)
    rules = rewriting._chosen("shim", "python", (), ())
    codes = frozenset(rule.code for rule in rules)
    planned = partial(targets.plan, to="shim", codes=codes)
    thoroughly, _ = rewriting._by_rules(source, extract(source, "python"), rules, planned)
    if not prefilter.may_matter(source):
        assert thoroughly.source == source
    else:
        assert quickly == thoroughly


def test_plain_files_are_decided_without_the_rules():
    """The prefilter doesn't leave these files to the rules."""
    assert len(plain.edits(b"import tensorflow as tf\ntf.placeholder(1)  # tf\n")) == 1
    assert plain.edits(b"import tensorflow as tf\ntf.constant(1)\n") == []
    assert plain.edits(b"import tensorflow as tf\ng(tf)\n") is None
