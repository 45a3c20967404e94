"""TensorFlow 1's seeds: the seed of an op, the ops that count, and how to leave seeds to TensorFlow."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from importlib.util import find_spec

import pytest

from tests.processes.environment import clean

WARM = ["tf1mem.v1"]

# `is_changed` returns True if tf1mem has replaced TensorFlow's `get_seed`.
SEEDS = """
import tf1mem.v1 as tf

def seeds(tensor):
    return tensor.op.get_attr("seed"), tensor.op.get_attr("seed2")

def is_changed():
    random_seed = sys.modules[tf.random_shuffle.__module__].random_seed
    return hasattr(random_seed.get_seed, "__wrapped__")

"""


@pytest.fixture
def seeded(scenario):
    """Returns a function that runs SEEDS and a script."""
    return lambda script, env=None: scenario(SEEDS + textwrap.dedent(script), env)


def test_an_op_takes_the_number_of_ops(seeded):
    seeded(
        """
        tf.set_random_seed(3)
        a, b = tf.constant([1, 2]), tf.constant(2)
        assert seeds(tf.random_shuffle(a)) == (3, 2)
        assert seeds(tf.random_shuffle(a, seed=9)) == (3, 9)
        assert seeds(tf.random_shuffle(a)) == (3, 4)
        with tf.Graph().as_default():
            a = tf.constant([1, 2])
            assert seeds(tf.random_shuffle(a)) == (0, 0)
            tf.set_random_seed(4)
            assert seeds(tf.random_shuffle(a)) == (4, 2)
        assert tf.get_seed(None)[0] == 3
        """
    )


def test_the_ops_of_tensorflow_1_are_counted(seeded):
    seeded(
        """
        if VERSION < (1, 15):
            sys.exit()  # makes a different number of ops for dropout
        tf.set_random_seed(3)
        a = tf.constant([1.0, 2.0])
        made = 1
        for make, ops in (
            (lambda: tf.nn.dropout(a, 0.5), 16),
            (lambda: tf.random_uniform([2]), 7),
            (lambda: tf.cond(tf.constant(True), lambda: tf.nn.dropout(a, 0.5), lambda: a), 24),
            (lambda: tf.split(a, 2), 3),
        ):
            make()
            made += ops
            assert seeds(tf.random_shuffle(a)) == (3, made), (ops, made, seeds(tf.random_shuffle(a)))
            made += 1
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            a = tf.constant([1.0, 2.0])
            assert seeds(tf.random_shuffle(a)) == (3, 1)
        """
    )


def test_an_empty_list_makes_one_constant(seeded):
    """TensorFlow 2.4 makes two constants of an empty list, a float and an integer one, also within `count_nonzero`."""
    seeded(
        """
        tf.set_random_seed(3)
        a, scalar = tf.placeholder(tf.float32, [1]), tf.placeholder(tf.float32, [])
        made = 2
        for make, ops in (
            (lambda: tf.reshape(a, []), 2),
            (lambda: tf.fill((), 2.0), 3),
            (lambda: tf.reduce_sum(a, []), 2),
            (lambda: tf.count_nonzero(a, []), 5),
            (lambda: tf.reduce_logsumexp(a, []), 14),
            (lambda: tf.transpose(scalar, perm=[]), 2),
            (lambda: tf.reshape(a, [1]), 2),
            (lambda: tf.squeeze(a, []), 1),
            (lambda: tf.while_loop(lambda i: i < 1, lambda i: i + tf.fill([], 1), [0]), 14),
            (lambda: tf.tensordot(a, a, 1), 11),
        ):
            make()
            made += ops
            assert seeds(tf.random_shuffle(a)) == (3, made), (ops, made, seeds(tf.random_shuffle(a)))
            made += 1
        """
    )


def test_dropout_takes_a_variable_or_an_array_as_its_rate(seeded):
    """The numbers that dropout draws, and the number that the next op draws, are TensorFlow 1.15.5's."""
    seeded(
        """
        import numpy as np
        if VERSION < (1, 15):
            sys.exit()  # makes a different number of ops for dropout
        for make, kept, drawn in (
            (lambda: tf.Variable(0.5, use_resource=False), [0, 2, 0, 2, 0, 2, 0, 2], 0.9441485404968262),
            (lambda: tf.Variable(0.5, use_resource=True), [2, 2, 2, 0, 0, 0, 0, 0], 0.7886521816253662),
            (lambda: np.array(0.5), [0, 0, 0, 0, 2, 2, 0, 2], 0.5486500263214111),
            (lambda: np.array(0.0), [1] * 8, 0.19560599327087402),
            (lambda: tf.constant(0.0), [1] * 8, 0.19560599327087402),
        ):
            with tf.Graph().as_default(), tf.Session() as sess:
                tf.set_random_seed(1)
                dropped = tf.nn.dropout(tf.ones([2, 4]), rate=make())
                following = tf.random_uniform([2])
                assert tf.placeholder(tf.float32, name="rate").name == "rate:0"  # the name is dropout's own elsewhere
                sess.run(tf.global_variables_initializer())
                numbers, after = sess.run([dropped, following])
                assert (numbers.ravel().tolist(), float(after[0])) == (kept, drawn), (numbers, after)
        """
    )


@pytest.mark.skipif(not find_spec("tf_keras"), reason="layers need tf_keras")
def test_only_keras_layers_take_numpys_seeds(seeded):
    seeded(
        """
        import numpy as np
        from tf_keras.src.optimizers.schedules.learning_rate_schedule import NoisyLinearCosineDecay
        tf.set_random_seed(3)
        NoisyLinearCosineDecay(0.1, 10)(tf.train.get_or_create_global_step())
        expected = np.random.RandomState(5).randint(10e6)
        np.random.seed(5)
        tf.keras.layers.GaussianNoise(0.1)(tf.zeros([2]), training=True)
        ops = [op for op in tf.get_default_graph().get_operations() if op.type == "RandomStandardNormal"]
        assert [op.get_attr("seed2") for op in ops] == [23, expected], ops
        """
    )


def test_without_a_seed_nothing_is_changed(seeded):
    seeded(
        """
        a = tf.constant([1, 2])
        assert seeds(tf.random_shuffle(a)) == (0, 0)
        assert not is_changed()
        tf.set_random_seed(3)
        assert is_changed() != TF1
        """
    )


def test_a_variable_turns_it_off(seeded):
    seeded(
        """
        tf.set_random_seed(3)
        a = tf.constant([1, 2])
        assert tf.random_shuffle(a) is not None and not is_changed()
        """,
        env={"TF1MEM_TF1_SEEDS": "false"},
    )


@pytest.mark.parametrize(("options", "output"), [([], "None"), (["--no-tf1-seeds"], "false")])
def test_an_option_of_run_turns_it_off(options, output):
    program = "import os\nprint(os.environ.get('TF1MEM_TF1_SEEDS'))\n"
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "run", *options, "-"], input=program, env=clean(),
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout.strip() == output


def test_a_gradient_of_the_program_s_own_stays_in_loops(seeded):
    seeded(
        """
        @tf.RegisterGradient("Own")
        def own(op, gradient):
            return 5.0 * gradient, None

        tf.set_random_seed(3)
        x = tf.constant(2.0)
        with tf.get_default_graph().gradient_override_map({"Mul": "Own"}):
            y = tf.while_loop(lambda k, y: k < 2, lambda k, y: (k + 1, y * 3.0), [0, x])[1]
        with tf.Session() as session:
            assert session.run(tf.gradients(y, [x])) == [25.0]
            z = tf.while_loop(lambda k, z: k < 2, lambda k, z: (k + 1, z * 3.0), [0, x])[1]
            assert session.run(tf.gradients(z, [x])) == [9.0]
        """
    )
