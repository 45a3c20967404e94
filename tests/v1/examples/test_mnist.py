"""tensorflow.examples.tutorials.mnist, in addition to its recording: the sources of the data, and the model."""

WARM = ["tf1mem.v1"]


def test_data_comes_from_files_else_keras_else_the_network(scenario, tmp_path):
    scenario(
        f"""
        import numpy as np
        from pathlib import Path
        import tf1mem.v1 as tf
        if TF1:
            sys.exit()
        from tf1mem.errors import DataError
        from tf1mem.v1.examples.tutorials.mnist import input_data, mnist
        import tf1mem.v1.examples.tutorials.mnist.input_data as again
        assert again is input_data is tf.examples.tutorials.mnist.input_data
        here = Path({str(tmp_path)!r})
        os.environ["KERAS_HOME"] = str(here)

        nobody = "http://127.0.0.1:9/"
        error = raised(DataError, input_data.read_data_sets, str(here / "data"), source_url=nobody)
        assert isinstance(error, OSError) and nobody in str(error) and "train-images" in str(error)

        def images(number):
            return np.arange(number * 4, dtype=np.uint8).reshape(number, 2, 2)

        (here / "datasets").mkdir()
        labels = np.arange(7, dtype=np.uint8)
        arrays = dict(x_train=images(7), y_train=labels, x_test=images(2), y_test=labels[:2])
        np.savez(here / "datasets" / "mnist.npz", **arrays)
        data = input_data.read_data_sets(str(here / "data"), one_hot=True, validation_size=2)
        assert data.train.images.shape == (5, 4) and abs(data.train.images[0, 1] - 9 / 255) < 1e-6
        assert data.validation.labels.argmax(1).tolist() == [0, 1] and data.test.num_examples == 2
        # Another address has other images.
        raised(DataError, input_data.read_data_sets, str(here / "data"), source_url=nobody)

        (here / "there").mkdir()
        (here / "there" / "file.gz").write_bytes(b"abc")
        path = input_data.maybe_download("file.gz", str(here / "new"), (here / "there" / "file.gz").as_uri())
        assert Path(path).read_bytes() == b"abc" and os.listdir(here / "new") == ["file.gz"]
        assert "tf.examples.learn" in str(raised(ImportError, run, "from tf1mem.v1.examples import learn"))

        x = tf.placeholder(tf.float32, [None, mnist.IMAGE_PIXELS])
        logits = mnist.inference(x, 8, 4)
        loss = mnist.loss(logits, [1, 2])
        train = mnist.training(loss, 0.1)
        right = mnist.evaluation(logits, [1, 2])
        assert [v.op.name for v in tf.trainable_variables()[:2]] == ["hidden1/weights", "hidden1/biases"]
        assert len(tf.trainable_variables()) == 6 and tf.global_variables()[-1].op.name == "global_step"
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            pixels = np.eye(2, 784, dtype=np.float32)
            first = sess.run(loss, {{x: pixels}})
            for _ in range(200):
                sess.run(train, {{x: pixels}})
            assert sess.run(loss, {{x: pixels}}) < first and sess.run(right, {{x: pixels}}) in (0, 1, 2)
        """
    )


def test_files_in_tensorflows_folder_take_precedence(scenario, tmp_path):
    scenario(
        f"""
        from pathlib import Path
        import tensorflow
        import tf1mem.v1
        from tf1mem.v1 import _overlays
        if VERSION <= (2, 0):  # their folder has other examples
            sys.exit()
        assert [files.top for files in _overlays._examples(tensorflow)] == ["examples"]
        folder = Path({str(tmp_path)!r}) / "examples" / "tutorials"
        folder.mkdir(parents=True)
        (folder / "mine.py").write_text("NUMBER = 3")
        tensorflow.__path__.append({str(tmp_path)!r})
        assert _overlays._examples(tensorflow) == []
        del tf1mem.v1._tree.files["examples"]
        from tf1mem.v1.examples.tutorials import mine
        assert mine.NUMBER == 3
        """
    )
