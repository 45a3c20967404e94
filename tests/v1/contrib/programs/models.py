"""Programs that use tf.contrib.learn.models."""

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers


def regressions(tf):
    x, y = tf.constant(numbers(4, 3)), tf.constant(numbers(4, seed=1))
    several, classes = tf.constant(numbers(4, 2, seed=1)), tf.one_hot([0, 2, 1, 2], 3)
    outputs = []
    for name, model, labels in (
        ("one", tf.contrib.learn.models.linear_regression, y),
        ("several", tf.contrib.learn.models.linear_regression, several),
        ("zeros", tf.contrib.learn.models.linear_regression_zero_init, y),
        ("classes", tf.contrib.learn.models.logistic_regression, classes),
        ("zero_classes", tf.contrib.learn.models.logistic_regression_zero_init, classes),
    ):
        with tf.variable_scope(name):
            outputs.append(model(x, labels))
    tf.constant([1.0, 2.0, 3.0], name="class_weight")
    outputs.append(tf.contrib.learn.models.logistic_regression(x, classes, init_mean=0.5, init_stddev=0.1))
    return {"made": outputs, "names": [[tensor.op.name for tensor in pair] for pair in outputs]}


def bidirectional_rnns(tf):
    bidirectional_rnn = tf.contrib.learn.models.bidirectional_rnn
    inputs = [tf.constant(numbers(2, 3, seed=step)) for step in range(3)]
    cells = [tf.nn.rnn_cell.BasicRNNCell(4) for _ in range(5)]
    return {
        "whole": bidirectional_rnn(cells[0], cells[1], inputs, dtype=tf.float32),
        "given": bidirectional_rnn(cells[2], cells[3], inputs, tf.ones([2, 4]), tf.zeros([2, 4]), scope="mine"),
        "errors": [
            raised(TypeError, bidirectional_rnn, None, cells[4], inputs),
            raised(TypeError, bidirectional_rnn, cells[4], None, inputs),
            raised(TypeError, bidirectional_rnn, cells[4], cells[4], tuple(inputs)),
            raised(ValueError, bidirectional_rnn, cells[4], cells[4], []),
        ],
    }
