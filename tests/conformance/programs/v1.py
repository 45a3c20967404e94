"""The program tf1.py with one line changed: `import tf1mem.v1 as tf`."""

import allocating
import notes

import tf1mem.v1 as tf

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
