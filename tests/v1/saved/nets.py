"""Small nets of the kinds for which TensorFlow 1 programs have checkpoints.

Each function builds one net, and returns its fetches, to be run in this order: the last one is the net's result.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from tests.v1.contrib.values import numbers


def slim(tf: Any) -> list[Any]:
    slim = tf.contrib.slim
    with slim.arg_scope([slim.conv2d, slim.fully_connected], normalizer_fn=slim.batch_norm), slim.arg_scope(
        [slim.batch_norm], is_training=False, scale=True
    ):
        net = slim.repeat(tf.constant(numbers(2, 6, 6, 1)), 2, slim.conv2d, 3, [3, 3], scope="conv1")
        net = slim.max_pool2d(net, [2, 2], scope="pool1")
        net = slim.separable_conv2d(net, 2, [3, 3], 1, scope="separable")
        net = slim.fully_connected(slim.flatten(net), 4, scope="fc3")
    return [slim.fully_connected(net, 2, activation_fn=None, scope="logits")]


def resnet(tf: Any) -> list[Any]:
    nets = import_module(tf.contrib.slim.__name__ + ".nets")
    blocks = [nets.resnet_v2.resnet_v2_block(f"block{at}", base_depth=2, num_units=2, stride=2) for at in (1, 2)]
    with tf.contrib.slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
        net, _ = nets.resnet_v2.resnet_v2(tf.constant(numbers(1, 8, 8, 3)), blocks, 3, False, include_root_block=False)
    return [net]


def layers(tf: Any) -> list[Any]:
    layers = tf.contrib.layers
    words = layers.embed_sequence([[1, 2, 3], [4, 0, 0]], 5, 3, scope="words")
    net = layers.layer_norm(layers.flatten(words), scope="norm")
    net = layers.stack(net, layers.fully_connected, [4, 3], scope="deep")
    return [layers.linear(net, 2, scope="out")]


def attention(tf: Any) -> list[Any]:
    embedding = tf.get_variable("embedding", [5, 3])
    words = tf.nn.embedding_lookup(embedding, [[1, 2, 3], [4, 2, 0]])
    with tf.variable_scope("encoder"):
        memory, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), words, [3, 2], dtype=tf.float32)
    attention = tf.contrib.seq2seq.BahdanauAttention(4, memory, [3, 2], normalize=True)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), attention, attention_layer_size=3)
    helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(embedding, [1, 1], 0)
    start = cell.zero_state(2, tf.float32).clone(cell_state=state)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, start, tf.layers.Dense(5, name="projection"))
    outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=3)
    return [outputs.rnn_output]


def characters(tf: Any) -> list[Any]:
    cells = [tf.contrib.rnn.BasicLSTMCell(4), tf.contrib.rnn.LayerNormBasicLSTMCell(4)]
    cell = tf.contrib.rnn.MultiRNNCell(cells)
    with tf.variable_scope("rnnlm"):
        weights, bias = tf.get_variable("softmax_w", [4, 5]), tf.get_variable("softmax_b", [5])
        embedding = tf.get_variable("embedding", [5, 4])
        inputs = [tf.nn.embedding_lookup(embedding, [at, 4 - at]) for at in range(3)]
    outputs, _ = tf.contrib.legacy_seq2seq.rnn_decoder(inputs, cell.zero_state(2, tf.float32), cell, scope="rnnlm")
    return [tf.matmul(tf.concat(outputs, 0), weights) + bias]


def tagger(tf: Any) -> list[Any]:
    inputs = tf.constant(numbers(2, 3, 2))
    cells = tf.contrib.rnn.LSTMBlockCell(3), tf.contrib.rnn.CoupledInputForgetGateLSTMCell(3)
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, inputs, [3, 2], dtype=tf.float32)
    scores = tf.layers.dense(tf.concat(outputs, 2), 4, name="scores")
    tags, lengths = tf.constant([[1, 2, 3], [0, 1, 0]]), tf.constant([3, 2])
    likelihood, transitions = tf.contrib.crf.crf_log_likelihood(scores, tags, lengths)
    return [[likelihood, *tf.contrib.crf.crf_decode(scores, transitions, lengths)]]


def keras(tf: Any) -> list[Any]:
    keras = tf.keras.layers
    model = tf.keras.Sequential(
        [
            keras.Conv1D(3, 2, activation="relu", input_shape=(4, 2)),
            keras.BatchNormalization(),
            keras.Bidirectional(keras.LSTM(2, return_sequences=True)),
            keras.GRU(2),
            keras.Dense(2, activation="softmax"),
        ]
    )
    return [model(tf.constant(numbers(2, 4, 2)), training=False)]


def recurrent(tf: Any) -> list[Any]:
    """Recurrent layers with cells that are layers or the program's own, and names derived from class names."""
    keras = tf.keras.layers

    class Cell(keras.Layer):  # type: ignore[name-defined]
        state_size = 2

        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.Dense(2)

        def call(self, inputs: Any, states: Any) -> Any:
            output = self.dense(inputs) + states[0]
            return output, [output]

    class VGG16(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.out = keras.LSTM(2)

        def call(self, inputs: Any) -> Any:
            return self.out(inputs)

    net = keras.RNN([keras.LSTMCell(2), keras.GRUCell(3)], return_sequences=True)(tf.constant(numbers(2, 4, 2)))
    net = keras.RNN(Cell(), return_sequences=True)(net)
    cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.LSTMCell(2)])
    net = keras.RNN(cells, return_sequences=True)(net)
    features = keras.ConvLSTM2D(1, 2)(tf.constant(numbers(2, 2, 3, 3, 1)))
    return [[keras.SimpleRNN(2)(net), VGG16()(net), features]]


def columns(tf: Any) -> list[Any]:
    column = tf.feature_column
    kind = column.categorical_column_with_vocabulary_list("kind", ["a", "b", "c"])
    age = column.numeric_column("age")
    features = {"kind": tf.constant([["a"], ["c"]]), "age": tf.constant([[1.0], [3.0]])}
    deep = [column.embedding_column(kind, 2), age, column.indicator_column(kind)]
    hidden = tf.layers.dense(column.input_layer(features, deep), 3, tf.nn.relu)
    wide = column.linear_model(features, [column.bucketized_column(age, [2.0]), kind])
    return [tf.layers.dense(hidden, 1) + wide]


def trained(tf: Any) -> list[Any]:
    """Continues training, since the checkpoint also has the optimizer's slots."""
    with tf.variable_scope("model", partitioner=tf.fixed_size_partitioner(2)):
        weights = tf.convert_to_tensor(tf.get_variable("weights", [4, 2]))
    bias = tf.get_variable("bias", [2], use_resource=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(numbers(3, 4)), weights) + bias - 1.0))
    step = tf.train.get_or_create_global_step()
    average = tf.train.ExponentialMovingAverage(0.5, step)
    rate = tf.train.exponential_decay(0.1, step, 1, 0.5)
    with tf.control_dependencies([tf.train.AdamOptimizer(rate).minimize(loss, step)]):
        train_op = average.apply([bias])
    return [train_op, train_op, [loss, bias, average.average(bias), step]]


_ALL = (slim, resnet, layers, attention, characters, tagger, keras, recurrent, columns, trained)
NETS: dict[str, Callable[[Any], list[Any]]] = {build.__name__: build for build in _ALL}
