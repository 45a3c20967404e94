"""Programs that use tf.contrib.legacy_seq2seq."""

from tests.v1.contrib.values import numbers

IDS = [[0, 3], [1, 2], [4, 0]]


def _rows(tf, steps=3, columns=4):
    return [tf.constant(numbers(2, columns, seed=step)) for step in range(steps)]


def _ids(tf, steps=3):
    return [tf.constant(ids, tf.int32) for ids in IDS[:steps]]


def rnn_decoder(tf):
    cell = tf.nn.rnn_cell.GRUCell(4)
    return tf.contrib.legacy_seq2seq.rnn_decoder(_rows(tf), cell.zero_state(2, tf.float32), cell)


def rnn_decoder_fed_its_own_outputs(tf):
    cell = tf.nn.rnn_cell.GRUCell(4)

    def loop_function(previous, i):
        with tf.variable_scope("fed"):
            return previous * i

    state = tf.constant(numbers(2, 4, seed=7))
    return tf.contrib.legacy_seq2seq.rnn_decoder(_rows(tf), state, cell, loop_function, scope="net")


def basic_rnn_seq2seq(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    return tf.contrib.legacy_seq2seq.basic_rnn_seq2seq(_rows(tf), _rows(tf, 2), cell)


def tied_rnn_seq2seq(tf):
    cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(3), 4)
    return tf.contrib.legacy_seq2seq.tied_rnn_seq2seq(_rows(tf), _rows(tf, 2), cell)


def embedding_rnn_decoder(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    return tf.contrib.legacy_seq2seq.embedding_rnn_decoder(
        _ids(tf), cell.zero_state(2, tf.float32), cell, num_symbols=5, embedding_size=2
    )


def embedding_rnn_decoder_fed_its_own_outputs(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    projection = (tf.constant(numbers(3, 5)), tf.constant(numbers(5)))
    return [
        tf.contrib.legacy_seq2seq.embedding_rnn_decoder(
            _ids(tf), cell.zero_state(2, tf.float32), cell, 5, 2, projection, True, updated, scope=scope
        )
        for updated, scope in ((True, "one"), (False, "other"))
    ]


def embedding_rnn_seq2seq(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    return tf.contrib.legacy_seq2seq.embedding_rnn_seq2seq(_ids(tf), _ids(tf, 2), cell, 5, 6, 2)


def embedding_rnn_seq2seq_with_feed_previous(tf):
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3) for _ in range(2)])
    return tf.contrib.legacy_seq2seq.embedding_rnn_seq2seq(
        _ids(tf), _ids(tf), cell, 5, 5, 2, feed_previous=tf.constant(True)
    )


def embedding_rnn_seq2seq_with_a_projection(tf):
    projection = (tf.get_variable("w", [3, 5]), tf.get_variable("b", [5]))
    return tf.contrib.legacy_seq2seq.embedding_rnn_seq2seq(
        _ids(tf), _ids(tf), tf.nn.rnn_cell.GRUCell(3), 5, 5, 2, output_projection=projection, feed_previous=True
    )


def embedding_tied_rnn_seq2seq(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    return tf.contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq(
        _ids(tf), _ids(tf, 2), cell, num_symbols=5, embedding_size=2, num_decoder_symbols=4
    )


def embedding_tied_rnn_seq2seq_with_feed_previous(tf):
    return tf.contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq(
        _ids(tf), _ids(tf), tf.nn.rnn_cell.GRUCell(3), 5, 2, feed_previous=tf.constant(False), scope="net"
    )


def attention_decoder(tf):
    cell = tf.nn.rnn_cell.GRUCell(3)
    return tf.contrib.legacy_seq2seq.attention_decoder(
        _rows(tf), cell.zero_state(2, tf.float32), tf.constant(numbers(2, 5, 4, seed=9)), cell, num_heads=2
    )


def attention_decoder_with_initial_state_attention(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    state = tf.nn.rnn_cell.LSTMStateTuple(tf.constant(numbers(2, 3)), tf.constant(numbers(2, 3, seed=1)))
    states = tf.constant(numbers(2, 5, 4, seed=9))
    return tf.contrib.legacy_seq2seq.attention_decoder(
        _rows(tf), state, states, cell, output_size=4, initial_state_attention=True, loop_function=lambda x, i: x * i
    )


def attention_decoder_over_an_unknown_length(tf):
    cell = tf.nn.rnn_cell.GRUCell(3)
    states = tf.placeholder_with_default(numbers(2, 5, 4), [None, None, 4])
    return tf.contrib.legacy_seq2seq.attention_decoder(_rows(tf), cell.zero_state(2, tf.float32), states, cell)


def embedding_attention_decoder(tf):
    cell = tf.nn.rnn_cell.GRUCell(3)
    states = tf.constant(numbers(2, 5, 3, seed=9))
    return tf.contrib.legacy_seq2seq.embedding_attention_decoder(
        _ids(tf), cell.zero_state(2, tf.float32), states, cell, 5, 2, output_size=5, feed_previous=True
    )


def embedding_attention_seq2seq(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    return tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(_ids(tf), _ids(tf, 2), cell, 5, 6, 2, num_heads=2)


def embedding_attention_seq2seq_with_feed_previous(tf):
    return tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
        _ids(tf), _ids(tf), tf.nn.rnn_cell.BasicLSTMCell(3), 5, 5, 2, feed_previous=tf.constant(True)
    )


def one2many_rnn_seq2seq(tf):
    return tf.contrib.legacy_seq2seq.one2many_rnn_seq2seq(
        _ids(tf),
        {"a": _ids(tf, 2), "b": _ids(tf)},
        tf.nn.rnn_cell.GRUCell(3),
        {"a": tf.nn.rnn_cell.GRUCell(3), "b": tf.nn.rnn_cell.GRUCell(3)},
        5,
        {"a": 5, "b": 6},
        embedding_size=2,
        feed_previous=tf.constant(False),
    )


def losses(tf):
    logits = [tf.constant(numbers(2, 5, seed=step)) for step in range(3)]
    weights = [tf.constant(weight) for weight in ([1.0, 0.0], [0.5, 0.0], [1.0, 0.0])]

    def softmax(labels, logits):
        return tf.reduce_sum(logits, 1) * tf.to_float(labels)

    return {
        "each": tf.contrib.legacy_seq2seq.sequence_loss_by_example(logits, _ids(tf), weights),
        "not averaged": tf.contrib.legacy_seq2seq.sequence_loss_by_example(logits, _ids(tf), weights, False),
        "all": tf.contrib.legacy_seq2seq.sequence_loss(logits, _ids(tf), weights),
        "sums": tf.contrib.legacy_seq2seq.sequence_loss(logits, _ids(tf), weights, False, False),
        "own": tf.contrib.legacy_seq2seq.sequence_loss(logits, _ids(tf), weights, softmax_loss_function=softmax),
    }


def model_with_buckets(tf):
    def seq2seq(encoded, decoded):
        cell = tf.nn.rnn_cell.GRUCell(3)
        return tf.contrib.legacy_seq2seq.embedding_rnn_seq2seq(encoded, decoded, cell, 5, 5, 2)

    arguments = (_ids(tf), _ids(tf), _ids(tf), [tf.ones([2]) for _ in range(3)])
    results = [tf.contrib.legacy_seq2seq.model_with_buckets(*arguments, buckets=[(1, 2), (2, 3)], seq2seq=seq2seq)]
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        results.append(
            tf.contrib.legacy_seq2seq.model_with_buckets(
                *arguments, buckets=[(2, 3)], seq2seq=seq2seq, per_example_loss=True
            )
        )
    return results
