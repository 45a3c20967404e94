"""Programs that use tf.contrib.crf."""

import numpy as np

from tests.v1.contrib.values import numbers

TAGS = np.array([[1, 2, 0, 3], [0, 0, 2, 1], [3, 1, 1, 0]], np.int32)
LENGTHS = np.array([4, 2, 0], np.int32)


def _scores(tf, steps=4):
    return tf.constant(numbers(3, steps, 4)), tf.constant(numbers(4, 4, seed=1))


def scores_of_known_tags(tf):
    inputs, transitions = _scores(tf)
    return [
        tf.contrib.crf.crf_unary_score(tf.constant(TAGS), tf.constant(LENGTHS), inputs),
        tf.contrib.crf.crf_unary_score(tf.constant(TAGS, tf.int64), tf.constant(LENGTHS), inputs),
        tf.contrib.crf.crf_binary_score(tf.constant(TAGS), tf.constant(LENGTHS), transitions),
        tf.contrib.crf.crf_sequence_score(inputs, tf.constant(TAGS), tf.constant(LENGTHS), transitions),
        tf.contrib.crf.crf_log_norm(inputs, tf.constant(LENGTHS), transitions),
    ]


def scores_of_allowed_tags(tf):
    inputs, transitions = _scores(tf)
    allowed = tf.constant(numbers(3, 4, 4, seed=2) > -0.5)
    return tf.contrib.crf.crf_multitag_sequence_score(inputs, allowed, tf.constant(LENGTHS), transitions)


def log_likelihood(tf):
    inputs = tf.get_variable("inputs", [3, 4, 4])
    return tf.contrib.crf.crf_log_likelihood(inputs, tf.constant(TAGS), tf.constant(LENGTHS))


def sequences_of_length_one(tf):
    inputs, transitions = _scores(tf, 1)
    tags, lengths = tf.constant(TAGS[:, :1]), tf.constant(np.array([1, 1, 0], np.int64))
    return {
        "likelihood": tf.contrib.crf.crf_log_likelihood(inputs, tags, lengths, transitions),
        "allowed": tf.contrib.crf.crf_multitag_sequence_score(
            inputs, tf.constant(numbers(3, 1, 4) > 0), lengths, transitions
        ),
        "decoded": tf.contrib.crf.crf_decode(inputs, transitions, lengths),
    }


def sequences_of_unknown_length(tf):
    inputs = tf.placeholder(tf.float32, [None, None, 4])
    tags, lengths = tf.placeholder(tf.int32, [None, None]), tf.constant(LENGTHS)
    transitions = tf.constant(numbers(4, 4, seed=1))
    likelihood, _ = tf.contrib.crf.crf_log_likelihood(inputs, tags, lengths, transitions)
    decoded = tf.contrib.crf.crf_decode(inputs, transitions, lengths)

    def run(sess):
        return [
            sess.run([likelihood, decoded], {inputs: numbers(3, steps, 4), tags: TAGS[:, :steps]}) for steps in (4, 1)
        ]

    return run


def best_tags(tf):
    inputs, transitions = _scores(tf)
    by_numpy = tf.contrib.crf.viterbi_decode(numbers(6, 4), numbers(4, 4, seed=1))
    return {
        "by the graph": tf.contrib.crf.crf_decode(inputs, transitions, tf.constant(LENGTHS)),
        "int64": tf.contrib.crf.crf_decode(inputs, transitions, tf.constant(LENGTHS, tf.int64)),
        "by numpy": [[int(tag) for tag in by_numpy[0]], float(by_numpy[1])],
    }


def cells(tf):
    inputs, transitions = tf.constant(numbers(3, 4)), tf.constant(numbers(4, 4, seed=1))
    state = tf.constant(numbers(3, 4, seed=2))
    forward = tf.contrib.crf.CrfForwardRnnCell(transitions)
    decoding = tf.contrib.crf.CrfDecodeForwardRnnCell(transitions)
    back = tf.contrib.crf.CrfDecodeBackwardRnnCell(4)
    return {
        "forward": forward(inputs, state),
        "decoding": decoding(inputs, state),
        "back": back(tf.constant(TAGS), tf.constant([[1], [3], [0]])),
        "sizes": [[cell.state_size, cell.output_size] for cell in (forward, decoding, back)],
    }
