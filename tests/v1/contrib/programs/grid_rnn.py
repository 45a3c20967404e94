"""Programs that use tf.contrib.grid_rnn."""

from tests.v1.contrib.values import numbers


def _state(tf, size):
    leaves = tf.nest.flatten(size)
    return tf.nest.pack_sequence_as(size, [tf.constant(numbers(2, leaf, seed=i)) for i, leaf in enumerate(leaves)])


def _step(tf, cell, scope, columns=4):
    with tf.variable_scope(scope, initializer=tf.random_normal_initializer()):
        return cell(tf.constant(numbers(2, columns)), _state(tf, cell.state_size)), [cell.output_size, cell.state_size]


def one_dimension(tf):
    return [
        _step(tf, tf.contrib.grid_rnn.Grid1BasicRNNCell(3), "rnn"),
        _step(tf, tf.contrib.grid_rnn.Grid1BasicLSTMCell(3, forget_bias=0.5, output_is_tuple=False), "lstm"),
        _step(tf, tf.contrib.grid_rnn.Grid1LSTMCell(3, use_peepholes=True), "peepholes"),
    ]


def two_dimensions(tf):
    return [
        _step(tf, tf.contrib.grid_rnn.Grid2BasicRNNCell(3), "rnn"),
        _step(tf, tf.contrib.grid_rnn.Grid2BasicLSTMCell(3, tied=True), "tied"),
        _step(tf, tf.contrib.grid_rnn.Grid2LSTMCell(3, non_recurrent_fn=tf.nn.relu), "relu"),
        _step(tf, tf.contrib.grid_rnn.Grid2GRUCell(3, output_is_tuple=False), "gru"),
        _step(tf, tf.contrib.grid_rnn.Grid2BasicLSTMCell(3, state_is_tuple=False), "flat"),
    ]


def more_dimensions(tf):
    cell = tf.contrib.grid_rnn.GridRNNCell(
        3, 4, input_dims=[0, 2], output_dims=[1, 3], priority_dims=[1, 3], non_recurrent_dims=[0]
    )
    return [_step(tf, tf.contrib.grid_rnn.Grid3LSTMCell(3), "three"), _step(tf, cell, "four")]


def unrolled_over_time(tf):
    inputs = [tf.constant(numbers(2, 4, seed=step)) for step in range(3)]
    return tf.nn.static_rnn(tf.contrib.grid_rnn.Grid2LSTMCell(3), inputs, dtype=tf.float32)
