"""A RunConfig that is given its session_config later."""

import tempfile

import tensorflow as tf


def model(features, labels, mode):
    with tf.device("/cpu:0"):
        step = tf.train.get_or_create_global_step()
        return tf.estimator.EstimatorSpec(mode, loss=tf.constant(1.0), train_op=tf.assign_add(step, 1))


def numbers():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1.0])).repeat(2)


run_config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp())
run_config = run_config.replace(session_config=tf.compat.v1.ConfigProto(allow_soft_placement=True))
tf.estimator.Estimator(model, config=run_config).train(numbers, max_steps=1)
