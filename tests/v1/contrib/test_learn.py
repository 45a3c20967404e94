"""Parts of contrib.learn that the recorded programs don't test: settings, data sets in other places, pandas frames."""

WARM = ["tf1mem.v1"]


def test_a_run_config_is_applied(scenario):
    scenario(
        """
        import tf1mem, tf1mem.v1 as tf
        if KERAS_3 and not has("tensorflow_estimator"):
            sys.exit()
        from tf1mem.errors import SettingError
        config = tf.contrib.learn.RunConfig(session_config=tf.ConfigProto(intra_op_parallelism_threads=3))
        assert "intra_op_parallelism_threads" in str(tf1mem.report())
        assert config.session_config.intra_op_parallelism_threads == 3
        other = config.replace(session_config=tf.ConfigProto(log_device_placement=True))
        assert other.session_config.log_device_placement
        assert isinstance(config, tf.estimator.RunConfig)
        wrong = tf.ConfigProto()
        wrong.gpu_options.per_process_gpu_memory_fraction = -1
        raised(SettingError, tf.contrib.learn.RunConfig, session_config=wrong)
        """
    )


def test_an_estimator_uses_the_applied_settings(scenario):
    scenario(
        """
        import tf1mem, tf1mem.v1 as tf
        if TF1 or (KERAS_3 and not has("tensorflow_estimator")):
            sys.exit()
        tf1mem.apply({"intra_op_parallelism_threads": 2, "log_device_placement": False})
        config = tf.contrib.learn.Estimator(lambda features, labels: None)._session_config
        assert config.allow_soft_placement and config.intra_op_parallelism_threads == 2, config
        """
    )


def test_old_paths_lead_to_the_same_objects(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if KERAS_3 and not has("tensorflow_estimator"):
            sys.exit()
        from tf1mem.v1.contrib.learn.python.learn import learn_runner, metric_spec
        from tf1mem.v1.contrib.learn.python.learn.estimators import model_fn, run_config
        from tf1mem.v1.contrib.learn.python.learn import run_config as shown_above
        assert shown_above.RunConfig is run_config.RunConfig and (TF1 or shown_above is run_config)
        from tf1mem.v1.contrib.learn.python.learn.datasets import base, mnist
        from tf1mem.v1.contrib.learn.python.learn.datasets.mnist import read_data_sets
        from tf1mem.v1.contrib.learn.python.learn.preprocessing.text import VocabularyProcessor
        learn = tf.contrib.learn
        assert learn_runner.run is learn.learn_runner.run and metric_spec.MetricSpec is learn.MetricSpec
        assert model_fn.ModeKeys is learn.ModeKeys and "session_config" in run_config._DEFAULT_UID_WHITE_LIST
        assert VocabularyProcessor is learn.preprocessing.VocabularyProcessor
        assert read_data_sets is mnist.read_data_sets is tf.contrib.learn.python.learn.datasets.mnist.read_data_sets
        assert base.Dataset and learn.datasets.base.Dataset is base.Dataset
        """
    )


def test_data_sets_that_came_with_tensorflow_1(scenario, tmp_path):
    scenario(
        """
        import tf1mem.v1 as tf
        if TF1:
            sys.exit()
        from tf1mem.errors import DataError
        folder, base = os.environ["FOLDER"], tf.contrib.learn.datasets.base
        error = raised(OSError, base.maybe_download, "rows.csv", folder + "/data", "file:///nowhere/rows.csv")
        assert isinstance(error, DataError) and "rows.csv" in str(error) and folder in str(error), error
        assert "data_path" in str(raised(DataError, tf.contrib.learn.datasets.load_boston))
        assert tf.contrib.learn.datasets.mnist.DataSet is tf.examples.tutorials.mnist.input_data.DataSet

        # scikit-learn 1's copy, of which TensorFlow 1's had no line of names.
        os.makedirs(folder + "/sklearn/datasets/data")
        open(folder + "/sklearn/__init__.py", "w").close()
        with open(folder + "/sklearn/datasets/data/boston_house_prices.csv", "w") as file:
            file.write('2,3,,\\n"CRIM","ZN","INDUS","MEDV"\\n1,2,3,24\\n4,5,6,21.5\\n')
        sys.path.insert(0, folder)
        houses = tf.contrib.learn.datasets.load_boston()
        assert houses.data.tolist() == [[1, 2, 3], [4, 5, 6]] and houses.target.tolist() == [24, 21.5], houses
        """,
        env={"FOLDER": str(tmp_path)},
    )


def test_a_vocabulary_of_tensorflow_1(scenario, tmp_path):
    """A vocabulary that TensorFlow 1.15.5 pickled loads, though the pickle names TensorFlow 1's modules."""
    scenario(
        """
        import pickle
        import tf1mem.v1 as tf
        if TF1:
            sys.exit()
        path = os.environ["FOLDER"] + "/vocabulary"
        processor = tf.contrib.learn.preprocessing.VocabularyProcessor(3).fit(["a b", "b c"])
        for there in ("tensorflow.contrib.learn.python.learn.preprocessing",
                      "tensorflow_core.contrib.learn.python.learn.preprocessing"):
            old = pickle.dumps(processor, protocol=0).replace(b"tf1mem.v1.contrib.learn.preprocessing", there.encode())
            assert there.encode() in old
            with open(path, "wb") as file:
                file.write(old)
            again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(path)
            assert [row.tolist() for row in again.transform(["c a x"])] == [[3, 1, 0]]
        """,
        env={"FOLDER": str(tmp_path)},
    )


def test_pandas_frames(scenario):
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf
        if TF1 or not has("pandas"):
            sys.exit()
        import pandas
        io = tf.contrib.learn.io
        frame = pandas.DataFrame({"a": [1, 2], "b": [True, False]})
        assert io.extract_pandas_data(frame).tolist() == [[1.0, 1.0], [2.0, 0.0]]
        assert io.extract_pandas_matrix(frame).shape == (2, 2)
        assert io.extract_pandas_labels(frame[["a"]]).tolist() == [[1], [2]]
        raised(ValueError, io.extract_pandas_labels, frame)
        raised(ValueError, io.extract_pandas_data, pandas.DataFrame({"a": ["x"]}))
        """
    )
