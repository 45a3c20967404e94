"""A TF2 program: `tf1mem.apply` and eager ops. On TensorFlow 1 the applied config goes to a Session."""

import allocating
import notes

import tf1mem

import tensorflow as tf  # isort: skip - tf1mem first, as its documentation says

recorder = notes.Notes()
is_tf1 = hasattr(tf, "Session")


def make_session(tree):
    """Returns a Session with a config, which is a dict."""
    return tf.compat.v1.Session(config=tf1mem.apply(allocating.parse_config(tf, tree)))


if recorder.wants_eager and is_tf1:
    tf.enable_eager_execution()
try:
    kept = allocating.run_earlier_steps(tf, recorder, make_session, tf1mem.apply)
    if is_tf1:
        with tf.Graph().as_default():
            session = make_session(recorder.request["config"])
    else:
        tf1mem.apply(allocating.parse_config(tf, recorder.request["config"]))
        tf.config.experimental.list_logical_devices("GPU")
except Exception as error:
    recorder.note_error(error)
else:
    recorder.note("lost", [line.step.setting for line in tf1mem.report().lines if line.lost])
    if is_tf1:
        allocating.allocate_in_session(tf, session, recorder)
    else:
        allocating.allocate_eagerly(tf, recorder)
