"""A TF1 program: a Session with a config. It recorded truth.json on 1.15.5; `tf1mem run` runs it on later versions."""

import allocating
import notes
import tensorflow as tf

recorder = notes.Notes()


def make_session(tree):
    """Returns a Session with a config, which is a dict."""
    return tf.Session(config=allocating.parse_config(tf, tree))


if recorder.wants_eager:
    tf.enable_eager_execution()
try:
    kept = allocating.run_earlier_steps(tf, recorder, make_session)
    with tf.Graph().as_default():
        session = make_session(recorder.request["config"])
except Exception as error:
    recorder.note_error(error)
else:
    allocating.allocate_in_session(tf, session, recorder)
