"""A TF2 program: `tf1mem.apply` and eager ops."""

import allocating
import notes

import tf1mem

import tensorflow as tf  # isort: skip - tf1mem first, as its documentation says

noted = notes.Notes()


def session_of(tree):
    """A Session under a config."""
    return tf.compat.v1.Session(config=tf1mem.apply(allocating.config_of(tf, tree)))


if noted.wants_eager and hasattr(tf, "enable_eager_execution"):  # TensorFlow 1, where eager mode is asked for
    tf.enable_eager_execution()
try:
    kept = allocating.before(tf, noted, session_of, tf1mem.apply)
    config = tf1mem.apply(allocating.config_of(tf, noted.case["config"]))
    if not tf.executing_eagerly():
        tf.compat.v1.enable_eager_execution(config=config)
    tf.config.experimental.list_logical_devices("GPU")
except Exception as error:
    noted.failed(error)
else:
    noted.said("lost", [line.step.setting for line in tf1mem.report().lines if line.lost])
    allocating.eagerly(tf, noted)
