"""Which branches are one side of a test of TensorFlow's version, and what is tried because TensorFlow may lack it."""

from __future__ import annotations

import pytest

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract
from tf1mem.codemod.source.tree import Source


def is_guarded(source: str) -> bool:
    """Whether the one Session of a source is."""
    text = b"import tensorflow as tf\n" + source.encode()
    facts = Facts(Source(text), extract(text, "python"))
    (call,) = facts.calls("Session")
    return facts.guarded(call)


GUARDED = {
    "another way": "try:\n    a = tf.Session()\nexcept AttributeError:\n    a = tf.compat.v1.InteractiveSession()\n",
    "another way, tried too": "try:\n    a = tf.Session()\nexcept AttributeError:\n    try:\n"
    "        a = tf.compat.v1.InteractiveSession\n    except AttributeError:\n        a = None\n",
    "nothing but TensorFlow's": "try:\n    a = tf.Session()\nexcept AttributeError:\n    a = None\n",
    "behind what may be missing": "try:\n    from tensorflow import contrib\n    tf.Session()\nexcept ImportError:\n"
    "    pass\n",
    "a helper": "def new():\n    return tf.__version__ >= '2'\nif new():\n    pass\nelse:\n    tf.Session()\n",
    "a helper by tf2": "from tensorflow.python import tf2\ndef new():\n    return tf2.enabled()\n"
    "def f():\n    if not new():\n        tf.Session()\n",
    "a helper of another file": "if not helpers.is_v2_0():\n    tf.Session()\n",
}
FREE = {
    "an attribute of the program's": "try:\n    a = message.loss\nexcept AttributeError:\n    tf.Session()\n",
    "the program's, behind TensorFlow's": "try:\n    tf.Session()\n    for one in own():\n        one.close()\n"
    "except (AttributeError, TypeError):\n    pass\n",
    "as lacking in what is done then": "try:\n    a = getattr(own, name)\n    if a:\n        tf.Session()\n"
    "except (AttributeError, ImportError):\n    tf.logging.fatal('no')\n",
    "a module of another's": "try:\n    import numpy\n    tf.Session()\nexcept ImportError:\n    pass\n",
    "Keras's, gone as well": "try:\n    from keras.backend.tensorflow_backend import set_session\n    tf.Session()\n"
    "except ImportError:\n    pass\n",
    "eager mode": "if tf.executing_eagerly():\n    pass\nelse:\n    tf.Session()\n",
    "eager mode, asked in a line": "a = 1 if tf.executing_eagerly() else tf.Session()\n",
    "a helper that says another thing": "def f():\n    print(tf.__version__)\n    return\nif f():\n    tf.Session()\n",
}


@pytest.mark.parametrize("source", GUARDED.values(), ids=GUARDED)
def test_is_one_side_of_a_test(source):
    assert is_guarded(source)


@pytest.mark.parametrize("source", FREE.values(), ids=FREE)
def test_runs_whatever_the_version(source):
    assert not is_guarded(source)
