"""An Estimator's RunConfig."""

import tempfile

import tensorflow as tf


def model(features, labels, mode):
    with tf.device("/cpu:0"):
        step = tf.train.get_or_create_global_step()
        return tf.estimator.EstimatorSpec(mode, loss=tf.constant(1.0), train_op=tf.assign_add(step, 1))


def numbers():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1.0])).repeat(2)


for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
session_config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
session_config.gpu_options.allow_growth = True
run_config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), session_config=session_config)
tf.estimator.Estimator(model, config=run_config).train(numbers, max_steps=1)
