"""Programs that use tf.contrib.summary, whose names TensorFlow 2 still has in other modules."""

import glob
import tempfile

from tests.v1.contrib.values import numbers


def events_written(tf):
    folder = tempfile.mkdtemp()
    step = tf.train.get_or_create_global_step()
    writer = tf.contrib.summary.create_file_writer(folder, flush_millis=10000)
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", 2.5)
        tf.contrib.summary.histogram("weights", numbers(20), step=step)
        tf.contrib.summary.image("image", numbers(1, 4, 4, 1))
        with tf.contrib.summary.record_summaries_every_n_global_steps(2):
            tf.contrib.summary.scalar("now and then", 1.0)
        with tf.contrib.summary.never_record_summaries():
            tf.contrib.summary.scalar("never", 1.0)
        flushed = tf.contrib.summary.flush()

    def run(sess):
        with sess.as_default(), writer.as_default():
            tf.contrib.summary.initialize(graph=tf.get_default_graph())
            for _ in range(3):
                sess.run(tf.contrib.summary.all_summary_ops())
                sess.run(step.assign_add(1))
            sess.run(flushed)
        (path,) = glob.glob(folder + "/*")
        events = list(tf.train.summary_iterator(path))
        tags = [(event.step, value.tag) for event in events for value in event.summary.value]
        return sorted(tags), any(event.graph_def for event in events)

    return run
