"""A TF2 program: `tf1mem.apply` and eager ops. On TensorFlow 1 the applied config goes to a Session."""

import allocating
import notes

import tf1mem

import tensorflow as tf  # isort: skip - tf1mem first, as its documentation says

noted = notes.Notes()
is_tf1 = hasattr(tf, "Session")


def session_of(tree):
    """Returns a Session with a config, which is a dict."""
    return tf.compat.v1.Session(config=tf1mem.apply(allocating.config_of(tf, tree)))


if noted.wants_eager and is_tf1:
    tf.enable_eager_execution()
try:
    kept = allocating.run_earlier_steps(tf, noted, session_of, tf1mem.apply)
    if is_tf1:
        with tf.Graph().as_default():
            session = session_of(noted.case["config"])
    else:
        tf1mem.apply(allocating.config_of(tf, noted.case["config"]))
        tf.config.experimental.list_logical_devices("GPU")
except Exception as error:
    noted.failed(error)
else:
    noted.note("lost", [line.step.setting for line in tf1mem.report().lines if line.lost])
    if is_tf1:
        allocating.in_session(tf, session, noted)
    else:
        allocating.eagerly(tf, noted)
