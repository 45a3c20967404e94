"""Programs that use tf.contrib.predictor."""

import tempfile

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers


def predictor_from_a_saved_model(tf):
    folder = tempfile.mkdtemp() + "/model"
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2], "x")
        y = tf.matmul(x, tf.get_variable("w", initializer=numbers(2, 3)), name="y")
        z = tf.square(y, name="z")
        sess.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(sess, folder, {"x": x}, {"y": y, "z": z})
    predict = tf.contrib.predictor.from_saved_model(folder)
    other = tf.contrib.predictor.from_saved_model(
        folder, input_names={"middle": "y:0"}, output_names={"end": "z:0"}, graph=tf.Graph()
    )
    errors = []
    for call in (
        lambda: predict({"unknown": 1}),
        lambda: tf.contrib.predictor.from_saved_model(folder, tags="none"),
        lambda: tf.contrib.predictor.from_saved_model(folder, input_names={}),
        lambda: tf.contrib.predictor.from_saved_model(folder + "/none"),
    ):
        try:
            call()
        except Exception as error:
            errors.append(type(error).__name__)
    return lambda sess: [
        predict({"x": numbers(2, 2)}),
        other({"middle": numbers(1, 3)}),
        [sorted(predict.feed_tensors), sorted(predict.fetch_tensors), predict.graph is predict.session.graph],
        errors,
    ]


def predictor_from_an_estimator(tf):
    def model_fn(features, labels, mode, config):
        y = features["x"] * tf.get_variable("w", initializer=2.0)
        step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": y})}
        return tf.estimator.EstimatorSpec(mode, {"y": y}, tf.reduce_sum(y), step, export_outputs=outputs)

    def input_fn():
        return {"x": tf.constant([1.0])}, tf.constant([1.0])

    def receiver():
        x = tf.placeholder(tf.float32, [None])
        return tf.estimator.export.ServingInputReceiver({"x": x}, {"given": x})

    estimator = tf.estimator.Estimator(model_fn, tempfile.mkdtemp())
    estimator.train(input_fn, steps=1)
    predict = tf.contrib.predictor.from_estimator(estimator, receiver)
    return lambda sess: [predict({"given": numbers(3)}), sorted(predict.feed_tensors)]


def predictor_from_a_contrib_estimator(tf):
    def model_fn(features, labels, mode):
        y = features["x"] * tf.get_variable("w", initializer=2.0)
        step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        return tf.contrib.learn.ModelFnOps(mode, {"y": y}, tf.reduce_sum(y), step)

    def input_fn():
        return {"x": tf.constant([1.0])}, tf.constant([1.0])

    def served():
        x = tf.placeholder(tf.float32, [None])
        return tf.contrib.learn.InputFnOps({"x": x}, None, {"given": x})

    estimator = tf.contrib.learn.Estimator(model_fn, tempfile.mkdtemp())
    estimator.fit(input_fn=input_fn, steps=1)
    predict = tf.contrib.predictor.from_contrib_estimator(estimator, served)
    other = tf.estimator.Estimator(lambda features, labels, mode: None, tempfile.mkdtemp())
    return lambda sess: [
        predict({"given": numbers(3)}),
        sorted(predict.feed_tensors),
        raised(TypeError, tf.contrib.predictor.from_contrib_estimator, other, served),
        raised(TypeError, tf.contrib.predictor.from_estimator, estimator, served),
        raised(KeyError, tf.contrib.predictor.from_contrib_estimator, estimator, served, "other"),
        raised(ValueError, tf.contrib.predictor.from_contrib_estimator, estimator, served, None, "other"),
    ]
