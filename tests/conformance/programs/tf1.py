"""A TF1 program: a Session under a config. The truth was recorded with it; `tf1mem run` runs it on other versions."""

import allocating
import notes
import tensorflow as tf

noted = notes.Notes()


def session_of(tree):
    """Returns a Session with a config, which is a dict."""
    return tf.Session(config=allocating.config_of(tf, tree))


if noted.wants_eager:
    tf.enable_eager_execution()
try:
    kept = allocating.run_earlier_steps(tf, noted, session_of)
    with tf.Graph().as_default():
        session = session_of(noted.case["config"])
except Exception as error:
    noted.failed(error)
else:
    allocating.in_session(tf, session, noted)
