"""tf.estimator: configs, and estimators on TensorFlow 2.16 and later."""

WARM = ["tf1mem.v1"]
PRELUDE = """
        import tf1mem, tf1mem.v1 as tf
        from tf1mem.errors import MissingPackageError, MissingSymbolError

        THERE = not KERAS_3 or (has("tensorflow_estimator") and has("tf_keras"))
        if not THERE:
            assert not hasattr(tf, "estimator")
            error = raised(MissingSymbolError, getattr, tf, "estimator")
            assert "pip install" in str(error)
            for source in ("from tf1mem.v1.estimator import RunConfig", "import tf1mem.v1.estimator",
                           "from tf1mem.v1 import estimator"):
                error = raised(MissingPackageError, run, source)
                assert "pip install" in str(error) and "program.py:1" in str(error), error
            exec("from tf1mem.v1 import *", {})
            assert "estimator" not in dir(tf)
            sys.exit()

        def config():
            made = tf.ConfigProto(operation_timeout_in_ms=60000)
            made.gpu_options.allow_growth = True
            return made

        def applied():
            return "allow_growth" in str(tf1mem.report())
"""


def test_a_run_config_applies_its_config(scenario):
    scenario(
        PRELUDE
        + """
        import copy
        c = config()
        run_config = tf.estimator.RunConfig(session_config=c, tf_random_seed=3)
        assert applied()
        assert run_config.session_config.gpu_options.allow_growth and run_config.tf_random_seed == 3
        assert isinstance(run_config, tf.estimator.RunConfig)
        c.gpu_options.per_process_gpu_memory_fraction = 0.3
        other = copy.deepcopy(run_config)
        assert other.session_config.gpu_options.per_process_gpu_memory_fraction
        assert "0.3" in str(tf1mem.report())
        raised(TypeError, tf.estimator.RunConfig, session_config=3)
        assert tf.estimator.RunConfig().session_config is None
        """
    )


def test_a_replaced_config_is_applied(scenario):
    scenario(
        PRELUDE
        + """
        run_config = tf.estimator.RunConfig().replace(session_config=config())
        assert run_config.session_config.gpu_options.allow_growth and applied()
        assert type(run_config) is tf.estimator.RunConfig
        """
    )


def test_a_tpu_run_config_applies_its_config(scenario):
    scenario(
        PRELUDE
        + """
        if hasattr(tf.estimator, "tpu"):
            run_config = tf.estimator.tpu.RunConfig(session_config=config())
        else:
            run_config = tf.contrib.tpu.RunConfig(session_config=config())
        assert run_config.session_config.gpu_options.allow_growth and applied()
        """
    )


def test_estimators_train_evaluate_and_predict(scenario):
    scenario(
        PRELUDE
        + """
        import numpy as np, tempfile

        def input_fn():
            data = {"x": np.arange(8, dtype="float32").reshape(8, 1)}, np.arange(8, dtype="float32") * 2
            return tf.data.Dataset.from_tensor_slices(data).batch(4).repeat(10)

        def model_fn(features, labels, mode):
            w = tf.get_variable("w", [1, 1])
            y = tf.squeeze(tf.matmul(features["x"], w), 1)
            if mode == tf.estimator.ModeKeys.PREDICT:
                return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
            loss = tf.losses.mean_squared_error(labels, y)
            step = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

        run_config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), session_config=config())
        estimator = tf.estimator.Estimator(model_fn, config=run_config)
        estimator.train(input_fn, max_steps=20)
        assert applied()
        assert estimator.evaluate(input_fn, steps=2)["global_step"] == 20
        assert len(list(estimator.predict(input_fn))) == 80
        columns = [tf.feature_column.numeric_column("x")]
        classic = tf.estimator.LinearRegressor(columns, model_dir=tempfile.mkdtemp())
        classic.train(input_fn, steps=4)
        dnn = tf.estimator.DNNRegressor([4], columns, model_dir=tempfile.mkdtemp())
        spec = tf.estimator.TrainSpec(input_fn, max_steps=4)
        tf.estimator.train_and_evaluate(dnn, spec, tf.estimator.EvalSpec(input_fn, steps=1))
        """
    )


def test_defaults_use_the_applied_settings(scenario):
    scenario(
        PRELUDE
        + """
        import tempfile
        tf1mem.apply({"gpu_options": {"allow_growth": True}})
        before = str(tf1mem.report())
        estimator = tf.estimator.Estimator(lambda features, labels, mode: None, model_dir=tempfile.mkdtemp())
        session_config = estimator.config.session_config
        assert session_config.allow_soft_placement, "the default of estimators themselves"
        if VERSION >= (2, 10):
            from tf1mem.errors import RemovedSymbolError
            error = raised(RemovedSymbolError, getattr, tf.estimator, "BoostedTreesRegressor")
            assert "scikit-learn" in str(error)
        raised(AttributeError, getattr, tf.estimator, "never_there")
        """
    )
