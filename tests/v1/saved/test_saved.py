"""Checkpoints, graphs and SavedModels of TensorFlow 1.15.5 load, and compute the same values."""

from .recording import DATA

WARM = ["tf1mem.v1"]


def test_files_of_tensorflow_1_compute_the_same(scenario):
    scenario(
        f"""
        import json
        import re
        import numpy as np
        from pathlib import Path
        import tf1mem.v1 as tf
        from tests.v1.saved import net, nets
        from tests.v1.saved.recording import computed
        if VERSION < (1, 15) or (KERAS_3 and not has("tf_keras")):
            sys.exit()  # an older TensorFlow refuses the ops of 1.15.5's graphs
        data = Path({str(DATA)!r})
        known = json.loads((data / "likely.json").read_text())
        latest = tf.train.latest_checkpoint(str(data / "trained"))

        def same(sess, likely, words, lengths):
            computed = sess.run(likely, {{words: net.WORDS, lengths: net.LENGTHS}})
            assert np.allclose(computed, known, atol=1e-6), (computed, known)

        with tf.Graph().as_default(), tf.Session() as sess:  # the program's own net, its variables from the checkpoint
            words, lengths, likely = net.build(tf)
            saved = dict(tf.train.list_variables(latest))
            assert saved == {{v.op.name: v.shape.as_list() for v in tf.global_variables()}}, saved
            tf.train.Saver().restore(sess, latest)
            same(sess, likely, words, lengths)

        with tf.Graph().as_default(), tf.Session() as sess:  # the graph, too
            tf.train.import_meta_graph(latest + ".meta").restore(sess, latest)
            same(sess, "likely:0", "words:0", "lengths:0")
            assert [v.op.name for v in tf.trainable_variables()][0] == "embedding"

        with tf.Graph().as_default(), tf.Session() as sess:
            graph = tf.GraphDef()
            with tf.gfile.GFile(str(data / "frozen.pb"), "rb") as file:
                graph.ParseFromString(file.read())
            tf.import_graph_def(graph, name="")
            same(sess, "likely:0", "words:0", "lengths:0")

        with tf.Graph().as_default(), tf.Session() as sess:
            found = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], str(data / "saved_model"))
            signature = found.signature_def[tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
            names = [signature.inputs[name].name for name in ("words", "lengths")]
            same(sess, signature.outputs["likely"].name, *names)

        known = json.loads((data / "nets.json").read_text())
        assert sorted(known) == sorted(nets.NETS)
        for name, build in nets.NETS.items():
            with tf.Graph().as_default(), tf.Session() as sess:
                fetches = build(tf)
                variables = {{variable.op.name: variable for variable in tf.global_variables()}}
                saved = {{key for key, _ in tf.train.list_variables(str(data / "nets" / name))}}
                assert saved == {{re.sub("/part_[0-9]+", "", key) for key in variables}}, (name, saved, [*variables])
                tf.train.Saver().restore(sess, str(data / "nets" / name))
                sess.run(tf.tables_initializer())
                found = computed(sess, fetches)
                assert len(found) == len(known[name])
                for value, before in zip(found, known[name]):
                    assert np.allclose(value, before, atol=1e-5), (name, value, before)
        """
    )
