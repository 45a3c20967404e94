"""What target shim leaves for a person, where the rules' examples can't show it."""

from __future__ import annotations

import pytest

from tf1mem.codemod import rewrite

SESSION = "config = tf.ConfigProto()\nset_session(tf.Session(config=config))\n"


def remarks(source: str, code: str) -> list[int]:
    """The lines of a rule's remarks."""
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
def test_which_keras_the_program_goes_on_with(source, lines):
    assert remarks(source, "TFM111") == lines
