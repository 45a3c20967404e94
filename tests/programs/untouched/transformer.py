"""Classifies sentences by an attention model in an Estimator, with its own optimizer, and goes on from a checkpoint."""

import shutil
import sys
import tempfile

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 4
WORDS, TIMES, UNITS, HEADS = 60, 12, 32, 4


class AdamWeightDecay(tf.train.Optimizer):
    def __init__(self, rate, decay):
        super(AdamWeightDecay, self).__init__(False, "AdamWeightDecay")
        self.rate, self.decay = rate, decay

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for gradient, variable in grads_and_vars:
            name = variable.op.name
            options = {"shape": variable.shape.as_list(), "trainable": False, "initializer": tf.zeros_initializer()}
            m, v = (tf.get_variable(name=name + slot, **options) for slot in ("/adam_m", "/adam_v"))
            next_m = tf.multiply(0.9, m) + tf.multiply(0.1, gradient)
            next_v = 0.999 * v + 0.001 * tf.square(gradient)
            update = next_m / (tf.sqrt(next_v) + 1e-6) + self.decay * variable
            assignments += [variable.assign(variable - self.rate * update), m.assign(next_m), v.assign(next_v)]
        return tf.group(*assignments, name=name)


def gelu(x):
    return x * 0.5 * (1.0 + tf.erf(x / tf.sqrt(2.0)))


def attention(x):
    q, k, v = tf.split(tf.layers.dense(x, 3 * UNITS, name="qkv"), 3, axis=2)
    q, k, v = (tf.transpose(tf.reshape(t, [-1, TIMES, HEADS, UNITS // HEADS]), [0, 2, 1, 3]) for t in (q, k, v))
    weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / np.sqrt(UNITS // HEADS))
    mixed = tf.reshape(tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3]), [-1, TIMES, UNITS])
    return tf.layers.dense(mixed, UNITS, kernel_initializer=tf.truncated_normal_initializer(stddev=0.02), name="out")


def model_fn(features, labels, mode, params):
    x = tf.nn.embedding_lookup(
        tf.get_variable("words", [WORDS, UNITS], initializer=tf.truncated_normal_initializer(stddev=0.02)), features
    )
    with tf.variable_scope("layer_0"):
        x = tf.contrib.layers.layer_norm(x + attention(x), begin_norm_axis=-1, begin_params_axis=-1)
        inner = tf.layers.dense(x, 4 * UNITS, activation=gelu)
        x = tf.contrib.layers.layer_norm(x + tf.layers.dense(inner, UNITS), begin_norm_axis=-1, begin_params_axis=-1)
    logits = tf.layers.dense(x[:, 0], 3)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    step = tf.train.get_or_create_global_step()
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    train = AdamWeightDecay(params["rate"], 0.01).apply_gradients(zip(gradients, variables))
    train = tf.group(train, step.assign(step + 1))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, training_hooks=[Printing(loss)])


class Printing(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss = loss

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        print("loss %.9g" % run_values.results)


def input_fn():
    random = np.random.RandomState(19)
    words = random.randint(0, WORDS, [64, TIMES])
    return tf.data.Dataset.from_tensor_slices((words, words[:, 0] % 3)).repeat().batch(16)


folder = tempfile.mkdtemp()
config = tf.estimator.RunConfig(tf_random_seed=20, save_checkpoints_steps=STEPS, model_dir=folder)
estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 1e-3})
for number in range(2):  # the second call goes on from the checkpoint of the first
    estimator.train(input_fn, steps=STEPS // 2)
result = estimator.evaluate(input_fn, steps=4)
print("evaluated %.9g %.9g at step %d" % (result["loss"], result["accuracy"], result["global_step"]))
shutil.rmtree(folder)
