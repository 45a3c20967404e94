"""A program that compares functions that XLA would compile with the same functions on the CPU, run op by op.

    python compiled_by_xla.py [FUNCTION ...]

The functions contain parts that other threads run on a GPU: branches, loops, nested functions, copied constants.
"""

from __future__ import annotations

import faulthandler
import sys

import numpy as np
import tensorflow as tf

PATIENCE_S = 120  # after this time the program prints the stacks of its threads


def constant(size, start=0.0):
    return np.arange(start, start + size * size, dtype="f4").reshape(size, size) / size


SIZE = 8
x = tf.constant(constant(SIZE))
CASES = {}


def case(make):
    CASES[make.__name__] = make
    return make


@case
def branch():
    v = tf.Variable(constant(SIZE, 1.0))

    def f(x):
        count = tf.constant([3, 4, 5])
        if tf.reduce_sum(x * v) > 1:
            z, count = tf.sin(x) + constant(SIZE), count + 1
        else:
            z = tf.cos(x) - constant(SIZE, 2.0)
        if tf.reduce_sum(z) > 1:
            z = z * constant(SIZE, 3.0)
        return z, count

    return f, [(x,), (-x,)]


@case
def switch():
    def f(x, i):
        return tf.switch_case(i, [lambda: x + constant(SIZE), lambda: tf.sin(x) @ constant(SIZE), lambda: x * 2.0])

    return f, [(x, tf.constant(i)) for i in range(3)]


@case
def loop():
    def f(x):
        i = tf.constant(0)
        while tf.reduce_sum(x) < 1e6 and i < 20:
            x = x @ constant(SIZE) + constant(SIZE, 1.0)
            if tf.reduce_max(x) > 100.0:
                x = x / constant(SIZE, 3.0)
            i += 1
        return x, i

    return f, [(x,)]


@case
def gradient_of_loop():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(5):
                y = tf.sin(y) * constant(SIZE)
            loss = tf.reduce_sum(tf.cond(tf.reduce_sum(y) > 0, lambda: y * y, lambda: tf.exp(y)))
        return loss, tape.gradient(loss, x)

    return f, [(x,)]


@case
def arrays():
    def f(x):
        sines = tf.TensorArray(tf.float32, SIZE)
        for i in tf.range(SIZE):
            sines = sines.write(i, tf.sin(x[i]) + constant(SIZE)[0])
        return sines.stack(), tf.map_fn(lambda row: row * 2 + constant(SIZE)[1], x), tf.scan(lambda a, b: a + b, x)

    return f, [(x,)]


@case
def variables():
    v, n = tf.Variable(constant(SIZE)), tf.Variable(0, dtype=tf.int64)

    def f(x):
        for _ in tf.range(3):
            v.assign_add(tf.sin(x) + constant(SIZE))
            n.assign_add(1)
            if tf.reduce_sum(v) > 10:
                v.assign(v / 2)
        return v.read_value(), n.read_value()

    return f, [(x,), (x,)]


@case
def nested():
    @tf.function(jit_compile=True)
    def inner(x):
        return tf.cond(tf.reduce_sum(x) > 1, lambda: x + constant(SIZE), lambda: x - constant(SIZE))

    @tf.function
    def middle(x):
        return inner(x) + inner(-x)

    def f(x):
        return middle(x) + inner(x * 2) @ middle(x)

    return f, [(x,), (-x,)]


@case
def random():
    def f(x):
        seed = tf.constant([1, 2])
        for _ in tf.range(2):
            x = x + tf.random.stateless_uniform([SIZE, SIZE], seed)
            seed += 1
        return x, tf.random.stateless_normal([3], [3, 4])

    return f, [(x,)]


@case
def control():
    def f(x):
        tf.debugging.assert_less(tf.reduce_sum(x), 1e9)
        values, places = tf.math.top_k(x, 3)
        return (
            tf.sort(x, axis=0),
            values,
            places,
            tf.linalg.cholesky(x @ tf.transpose(x) + 100 * tf.eye(SIZE)),
            tf.cumsum(x),
            tf.argmax(x),
            tf.einsum("ij,kj->ik", x, constant(SIZE)),
        )

    return f, [(x,)]


@case
def custom():
    @tf.custom_gradient
    def clipped(x):
        return tf.sin(x), lambda up: tf.clip_by_norm(up, 0.5) + constant(SIZE)

    @tf.recompute_grad
    def again(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: clipped(x) * constant(SIZE), lambda: x)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(again(x) ** 2)
        return y, tape.gradient(y, x)

    return f, [(x,)]


@case
def halves():
    def f(x):
        h = tf.cast(x, tf.float16) / 10
        finite = tf.reduce_all(tf.math.is_finite(h))
        return tf.cond(finite, lambda: tf.cast(h @ tf.cast(constant(SIZE) / 10, tf.float16), tf.float32), lambda: x)

    return f, [(x,)]


@case
def jacobian():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x @ constant(SIZE))
        return tape.jacobian(y, x), tf.vectorized_map(lambda row: row * 2 + 1, x)

    return f, [(x,)]


@case
def many_runs_at_once():
    @tf.function(jit_compile=True)
    def inner(x):
        if tf.reduce_sum(x) > 1:
            return x + constant(SIZE)
        return tf.cos(x) - constant(SIZE)

    def f(x):
        results = [inner(x * float(i)) for i in range(-4, 5)]
        return results

    f.outer = True  # type: ignore[attr-defined]
    return f, [(x,)]


@case
def without_gpu_kernels():
    def f(x):
        small = tf.cast(x, tf.int8)
        marks = tf.zeros([SIZE], tf.bool)
        for i in tf.range(SIZE // 2):
            marks = tf.tensor_scatter_nd_update(marks, [[i]], [x[i, 0] > 1.0])
        total = tf.cond(marks[0], lambda: tf.reduce_max(small), lambda: tf.reduce_sum(small[:2]))
        waves = tf.sigmoid(tf.complex(x, x))
        return marks, total, tf.tile(small, [2, 1]), tf.split(small, 2), tf.truncatemod(x, 2.5), tf.math.real(waves)

    return f, [(x,), (x + 2,)]


def values(name, device, jit_compile):
    with tf.device(device):
        tf.config.run_functions_eagerly(jit_compile is None)
        function, calls = CASES[name]()
        run = tf.function(function, jit_compile=None if hasattr(function, "outer") else jit_compile)
        outputs = [v.numpy() for arguments in calls for v in tf.nest.flatten(run(*map(tf.identity, arguments)))]
        tf.config.run_functions_eagerly(False)
        return outputs


for name in sys.argv[1:] or CASES:
    faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
    compared = [
        np.allclose(*pair, 1e-4, 1e-4) for pair in zip(values(name, "cpu:0", None), values(name, "gpu:0", True))
    ]
    print(name, compared and all(compared), flush=True)
faulthandler.cancel_dump_traceback_later()
