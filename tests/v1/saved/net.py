"""A net like those of TensorFlow 1 programs. Its weights depend only on the variables' names, so they are fixed."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

WORDS = [[1, 2, 3, 4], [4, 3, 0, 0]]
LENGTHS = [4, 2]


def build(tf: Any) -> tuple[Any, Any, Any]:
    """Returns the net's placeholders for words and lengths of sentences, and its probabilities of two classes."""
    words = tf.placeholder(tf.int32, [None, 4], name="words")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    embedding = tf.get_variable("embedding", [5, 3])
    cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(2), tf.nn.rnn_cell.GRUCell(2)])
    outputs, _ = tf.nn.dynamic_rnn(
        cells, tf.nn.embedding_lookup(embedding, words), sequence_length=lengths, dtype=tf.float32
    )
    rows = tf.layers.conv1d(outputs, 3, 2, activation=tf.nn.relu, name="conv")
    rows = tf.layers.batch_normalization(rows, name="norm")
    features = tf.layers.dense(tf.reduce_max(rows, 1), 4, tf.nn.tanh, name="features")
    return words, lengths, tf.nn.softmax(tf.layers.dense(features, 2, name="logits"), name="likely")


def fill(tf: Any, sess: Any, high: float = 1) -> None:
    """Fills every float variable with numbers from 0.1 to `high`, seeded by its name."""
    for variable in tf.global_variables():
        if not variable.dtype.is_floating:
            continue
        random = np.random.RandomState(zlib.crc32(variable.op.name.encode()))
        variable.load(random.uniform(0.1, high, variable.shape.as_list()).astype("float32"), sess)
