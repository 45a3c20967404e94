"""Target shim leaves some code for a person to change, in cases that the rules' examples can't show."""

from __future__ import annotations

import pytest

from tf1mem.codemod import rewrite

SESSION = "config = tf.ConfigProto()\nset_session(tf.Session(config=config))\n"


def remarks(source: str, code: str) -> list[int]:
    """Returns the lines of a rule's remarks."""
    return [remark.line for remark in rewrite(source.encode(), to="shim").remarks if remark.code == code]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("from keras import layers\nimport tensorflow as tf\nx = tf.layers.dense(layers.Input((1,)), 1)\n", [1]),
        (
            "from keras.backend.tensorflow_backend import set_session\nfrom keras import layers\n"
            "import tensorflow as tf\n" + SESSION,
            [2],
        ),
        ("import tensorflow as tf\nfrom keras.backend.tensorflow_backend import set_session\n" + SESSION, [2]),
        ("import tensorflow as tf\nfrom tensorflow.keras.backend import set_session\n" + SESSION, []),
    ],
)
def test_a_remark_names_the_keras_that_the_program_will_use(source, lines):
    assert remarks(source, "TFM111") == lines


# named, remedy: parts of the remark on a name that tf1mem.v1 lacks; "" where it has all names, and makes no remark.
@pytest.mark.parametrize(
    ("source", "named", "remedy"),
    [
        ("import tensorflow as tf\ncell = tf.contrib.rnn.LSTMCell(1)\n", "", ""),
        ("from tensorflow.contrib.layers import xavier_initializer\n", "", ""),
        ("import tensorflow.contrib.layers as layers\n", "", ""),
        ("from tensorflow.contrib.layers.python.layers import regularizers\n", "", ""),
        ("from tensorflow.contrib import slim\nslim.conv2d(x)\n", "", ""),
        ("from tensorflow.contrib.slim.python.slim.nets import vgg\nvgg.vgg_16(x)\n", "", ""),
        ("from tensorflow.contrib.layers import conv2d\n", "", ""),
        ("from tensorflow.contrib.layers.python.layers.layers import conv2d\n", "", ""),
        ("import tensorflow as tf\ntf.contrib.training.HParams(a=1)\n", "", ""),
        ("from tensorflow.contrib.gan.python.features import virtual_batchnorm\n", "contrib.gan.", "tensorflow_gan"),
        ("from tensorflow.contrib.crf.python.ops import crf\n", "", ""),
        ("from tensorflow.contrib import nowhere\n", "contrib.nowhere", "TensorFlow 1.15"),
        ("from tensorflow.examples.tutorials.mnist import input_data\ninput_data.read_data_sets('d')\n", "", ""),
        ("from tensorflow.examples.learn import iris\n", "tensorflow.examples.learn", "TensorFlow 1.15"),
    ],
)
def test_names_that_tf1mem_v1_lacks(source, named, remedy):
    result = rewrite(source.encode(), to="shim")
    assert b"tf1mem.v1" in result.source
    remarks = [remark for remark in result.remarks if remark.code == "TFM103"]
    assert len(remarks) == bool(named)
    assert all(named in remark.message and remedy in remark.remedy for remark in remarks), remarks


def test_names_that_tf1mem_v1_supplies():
    source = b"""import tensorflow as tf
from tensorflow.contrib import rnn
from tensorflow.contrib.training import HParams
from tensorflow.python.ops import control_flow_ops, embedding_ops
from tensorflow.examples.tutorials.mnist import input_data
mnist = input_data.read_data_sets("d")
control_flow_ops.cond(a, b, c), control_flow_ops.no_op(), embedding_ops.embedding_lookup(a, b)
rnn.LSTMCell(3), tf.contrib.layers.layer_norm(y), tf.contrib.nowhere.name, tf.train.Saver()
"""
    assert rewrite(source, to="shim").supplied == (
        "contrib.layers.layer_norm",
        "contrib.rnn.LSTMCell",
        "contrib.training.HParams",
        "examples.tutorials.mnist.input_data",
        "python.ops.control_flow_ops.cond",
    )
    assert rewrite(source, to="apply").supplied == ()


IN_A_FUNCTION = "def f(x):\n    import tensorflow as tf\n    return tf.segment_min(x, [0, 0])\n"
CALLED = IN_A_FUNCTION + "print(f(1.0))\n"


@pytest.mark.parametrize(
    ("source", "moved"),
    [
        ("import tensorflow as tf\n" + CALLED, ("import tensorflow as tf", "import tf1mem.v1 as tf")),
        ("import tensorflow\n" + CALLED, ("import tensorflow\n", "import tf1mem.v1 as tensorflow\n")),
        (
            "import tensorflow as tf\nn = tf.GraphDef()\n" + IN_A_FUNCTION,
            ("import tensorflow as tf", "import tf1mem.v1 as tf"),
        ),
        ("import tensorflow as tf\n" + IN_A_FUNCTION, None),
        ("import tensorflow as tf\nclass Net(tf.keras.Model):\n    units = 3\n" + IN_A_FUNCTION, None),
        ("import tensorflow\n" + IN_A_FUNCTION, None),
        (IN_A_FUNCTION, None),
        ("def g():\n    import tensorflow as tf\n" + IN_A_FUNCTION, None),
        ("from tensorflow import keras\n" + IN_A_FUNCTION, None),
    ],
)
def test_a_function_that_imports_again_what_its_module_imports(source, moved):
    result = rewrite(source.encode(), to="shim")
    if moved is None:
        assert (result.changes, [remark.code for remark in result.remarks]) == ((), ["TFM102"])
    else:
        top, _, function = result.source.decode().partition("def f")
        assert top == source.partition("def f")[0].replace(*moved)
        assert "import tf1mem.v1 as tf\n" in function
