"""What tf.contrib.testing has for the summaries that a program wrote."""

import os
import tempfile


def summaries_written(tf):
    testing, value = tf.contrib.testing, tf.placeholder(tf.float32, [])
    numbers = tf.summary.merge([tf.summary.scalar("loss", value), tf.summary.scalar("twice", value * 2)])
    spread = tf.summary.histogram("spread", [value, 1.0])

    def run(sess):
        folder = tempfile.mkdtemp()
        found = [tf.contrib.testing.latest_event_file(folder), list(tf.contrib.testing.latest_events(folder))]
        with tf.summary.FileWriter(folder) as writer:
            for step in (2, 3, 1):
                writer.add_summary(sess.run(numbers, {value: step}), step)
            writer.add_summary(sess.run(spread, {value: 1.0}), 4)
        events = tf.contrib.testing.latest_summaries(folder)
        found += [os.path.basename(testing.latest_event_file(folder))[:7], [event.step for event in events]]
        found += [len(list(testing.latest_events(folder)))]
        found += [tf.contrib.testing.simple_values_from_events(events, ["loss", "twice", "none"])]
        summary = tf.contrib.testing.to_summary_proto(sess.run(numbers, {value: 0.5}))
        for tags, values in ((["loss", "twice"], {"loss": 0.501}), (["loss"], {}), (["loss", "twice"], {"loss": 0.6})):
            try:
                found.append(tf.contrib.testing.assert_summary(tags, values, summary))
            except (AssertionError, ValueError) as error:
                found.append(type(error))
        try:
            testing.simple_values_from_events(events, ["spread"])
        except ValueError as error:
            found.append(type(error))
        return found

    return run
