"""Programs that use tf.contrib.data."""

import numpy as np


def _all(tf, dataset):
    step = tf.data.make_one_shot_iterator(dataset).get_next()

    def run(sess):
        results = []
        while True:
            try:
                results.append(sess.run(step))
            except tf.errors.OutOfRangeError:
                return results

    return run


def batch_and_drop_remainder(tf):
    return _all(tf, tf.data.Dataset.range(10).apply(tf.contrib.data.batch_and_drop_remainder(4)))


def padded_batch_and_drop_remainder(tf):
    rows = tf.data.Dataset.range(1, 6).map(lambda n: tf.fill([n], n))
    return _all(tf, rows.apply(tf.contrib.data.padded_batch_and_drop_remainder(2, [None])))


def sloppy_interleave(tf):
    apart = tf.contrib.data.sloppy_interleave(lambda n: tf.data.Dataset.from_tensors(n).repeat(2), cycle_length=1)
    return _all(tf, tf.data.Dataset.range(3).apply(apart))


def sliding_window_batch(tf):
    slide = tf.contrib.data.sliding_window_batch
    numbers = tf.data.Dataset.range(7)
    pairs = tf.data.Dataset.zip((numbers, {"a": numbers}))
    batches = [
        _all(tf, numbers.apply(tf.contrib.data.sliding_window_batch(3, window_shift=2))),
        _all(tf, numbers.apply(slide(2, stride=3))),
        _all(tf, pairs.apply(slide(2, window_stride=3))),
    ]
    return lambda sess: [each(sess) for each in batches]


def reduce_dataset(tf):
    reducer = tf.contrib.data.Reducer(lambda _: tf.constant(1, tf.int64), lambda state, x: state + x, lambda x: x)
    return tf.contrib.data.reduce_dataset(tf.data.Dataset.range(5), reducer)


def assert_element_shape(tf):
    check = tf.contrib.data.assert_element_shape
    rows = tf.data.Dataset.range(3).map(lambda n: tf.py_func(lambda n: np.array([n, n]), [n], tf.int64))
    checked = rows.apply(tf.contrib.data.assert_element_shape(tf.TensorShape([2])))
    pairs = tf.data.Dataset.zip((rows, rows)).apply(check((tf.TensorShape([2]), tf.TensorShape([None]))))
    wrong = tf.data.make_one_shot_iterator(rows.apply(check(tf.TensorShape([3])))).get_next()

    right = [_all(tf, checked), _all(tf, pairs)]

    def run(sess):
        results = [each(sess) for each in right]
        try:
            sess.run(wrong)
        except tf.errors.InvalidArgumentError:
            results.append("refused")
        return results

    return run
