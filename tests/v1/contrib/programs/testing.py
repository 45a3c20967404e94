"""Programs that use tf.contrib.testing, whose functions read the summaries that a program wrote."""

import os
import tempfile


def summaries_written(tf):
    testing, value = tf.contrib.testing, tf.placeholder(tf.float32, [])
    numbers = tf.summary.merge([tf.summary.scalar("loss", value), tf.summary.scalar("twice", value * 2)])
    spread = tf.summary.histogram("spread", [value, 1.0])

    def run(sess):
        folder = tempfile.mkdtemp()
        results = [tf.contrib.testing.latest_event_file(folder), list(tf.contrib.testing.latest_events(folder))]
        with tf.summary.FileWriter(folder) as writer:
            for step in (2, 3, 1):
                writer.add_summary(sess.run(numbers, {value: step}), step)
            writer.add_summary(sess.run(spread, {value: 1.0}), 4)
        events = tf.contrib.testing.latest_summaries(folder)
        results += [os.path.basename(testing.latest_event_file(folder))[:7], [event.step for event in events]]
        results += [len(list(testing.latest_events(folder)))]
        results += [tf.contrib.testing.simple_values_from_events(events, ["loss", "twice", "none"])]
        summary = tf.contrib.testing.to_summary_proto(sess.run(numbers, {value: 0.5}))
        for tags, values in ((["loss", "twice"], {"loss": 0.501}), (["loss"], {}), (["loss", "twice"], {"loss": 0.6})):
            try:
                results.append(tf.contrib.testing.assert_summary(tags, values, summary))
            except (AssertionError, ValueError) as error:
                results.append(type(error))
        try:
            testing.simple_values_from_events(events, ["spread"])
        except ValueError as error:
            results.append(type(error))
        return results

    return run


def fake_summary_writer(tf):
    original = tf.summary.FileWriter
    tf.contrib.testing.FakeSummaryWriter.install()
    try:
        refused = []
        try:
            tf.contrib.testing.FakeSummaryWriter.install()
        except ValueError as error:
            refused.append(str(error))
        graph = tf.get_default_graph()
        writer = tf.summary.FileWriterCache.get("nowhere/at_all")
        writer.add_graph(graph)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 1)
        value = tf.summary.Summary(value=[tf.summary.Summary.Value(tag="loss", simple_value=0.5)])
        writer.add_summary(value, 3)
        writer.add_summary(value.SerializeToString(), 4)
        refused += [_refused(writer.add_graph, graph, -1), _refused(writer.add_graph, graph, 1, graph.as_graph_def())]
        refused += [_refused(writer.add_run_metadata, tf.RunMetadata(), "run", -2)]
        writer.flush()
        writer.close()
        case, numbers = tf.test.TestCase("setUp"), {3: {"loss": 0.5}, 4: {"loss": 0.5}}
        writer.assert_summaries(case, "nowhere/at_all", graph, numbers, [graph], [])
        wrong = [
            _refused(writer.assert_summaries, case, *each)
            for each in (("elsewhere",), (None, tf.Graph()), (None, None, {5: {}}), (None, None, {3: {"loss": 1.0}}))
        ]
        kept = {step: len(summaries) for step, summaries in writer.summaries.items()}
    finally:
        tf.contrib.testing.FakeSummaryWriter.uninstall()
        tf.summary.FileWriterCache.clear()
    refused.append(_refused(tf.contrib.testing.FakeSummaryWriter.uninstall))
    return [type(writer).__name__, kept, refused, wrong, tf.summary.FileWriter is original]


def _refused(function, *args):
    try:
        function(*args)
    except AssertionError:
        return "AssertionError"
    except ValueError as error:
        return str(error).partition(" {")[0].partition(" node")[0]
    return None
