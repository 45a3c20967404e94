"""Programs that use the part of tf.contrib.tpu that needs no TPU."""

from importlib import import_module

from tests.v1.contrib.values import numbers


def _named(tf, name):
    """Returns the object of a name such as "tf.contrib.tpu.tpu_config.RunConfig", from contrib/tpu/python/tpu."""
    file, _, leaf = name[len("tf.contrib.tpu.") :].partition(".")
    if tf.__name__ == "tf1mem.v1":
        return getattr(getattr(tf.contrib.tpu, file), leaf)
    return getattr(import_module("tensorflow.contrib.tpu.python.tpu." + file), leaf)


def configs(tf):
    pipeline = _named(tf, "tf.contrib.tpu.tpu_config.InputPipelineConfig")
    plain = _named(tf, "tf.contrib.tpu.tpu_config.TPUConfig")(iterations_per_loop=3)
    config = _named(tf, "tf.contrib.tpu.tpu_config.RunConfig")(tpu_config=plain, model_dir="m")
    check = _named(tf, "tf.contrib.tpu.util.check_positive_integer")
    try:
        check(-1, "n")
    except ValueError as error:
        refused = str(error)
    hook = _named(tf, "tf.contrib.tpu.util.MultiHostDatasetInitializerHook")
    return {
        "public": isinstance(config, tf.contrib.tpu.RunConfig) and isinstance(plain, tf.contrib.tpu.TPUConfig),
        "loop": config.tpu_config.iterations_per_loop,
        "input": [pipeline.PER_SHARD_V1, pipeline.PER_HOST_V2],
        "refused": refused,
        "hook": issubclass(hook, tf.train.SessionRunHook),
    }


def errors_of_threads(tf):
    rendezvous = _named(tf, "tf.contrib.tpu.error_handling.ErrorRendezvous")(num_sources=1)
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    try:
        with rendezvous.catch_errors("source"):
            raise KeyError("first")
        try:
            rendezvous.raise_errors()
        except KeyError as error:
            return [str(error), hasattr(_named(tf, "tf.contrib.tpu.tpu_context.TPUContext"), "num_replicas")]
    finally:
        tf.logging.set_verbosity(before)
    return None


def estimators(tf):
    """With use_tpu=False, a TPUEstimator trains like any other estimator."""
    import tempfile

    def model_fn(features, labels, mode, params):
        weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(0.5))
        predicted = tf.squeeze(tf.matmul(features, weights), 1)
        loss = tf.losses.mean_squared_error(labels, predicted)
        optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))
        if not params["use_tpu"]:
            optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        spec_class = _named(tf, "tf.contrib.tpu.tpu_estimator.TPUEstimatorSpec")
        metrics = (lambda y, p: {"off": tf.metrics.mean_absolute_error(y, p)}, [labels, predicted])
        return spec_class(mode=mode, loss=loss, train_op=train_op, eval_metrics=metrics)

    def input_fn(params):
        return tf.constant(numbers(params["batch_size"], 3)), tf.constant(numbers(params["batch_size"], seed=1))

    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    try:
        with tempfile.TemporaryDirectory() as folder:
            config = tf.contrib.tpu.RunConfig(model_dir=folder, tf_random_seed=1)
            estimator = _named(tf, "tf.contrib.tpu.tpu_estimator.TPUEstimator")(
                model_fn, config=config, use_tpu=False, train_batch_size=4, eval_batch_size=4
            )
            estimator.train(input_fn, steps=3)
            return [estimator.evaluate(input_fn, steps=1), callable(tf.contrib.tpu.export_estimator_savedmodel)]
    finally:
        tf.logging.set_verbosity(before)
