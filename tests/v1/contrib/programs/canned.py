"""Programs that use the heads of tf.contrib.learn, and its estimators with ready-made models."""

import os
import tempfile

import numpy as np

from tests.v1.contrib.raising import errors_of
from tests.v1.contrib.values import numbers

X, CLASSES = numbers(12, 4), np.arange(12) % 3


def _made(tf, ops, again=1):
    """Returns a function that runs a head's ops: predictions and loss, then steps of training and of metrics."""

    def run(sess):
        before = sess.run([ops.loss, dict(ops.predictions)] if ops.loss is not None else dict(ops.predictions))
        for _ in range(again if ops.train_op is not None else 0):
            sess.run(ops.train_op)
        metrics = ops.eval_metric_ops or {}
        sess.run(tf.local_variables_initializer())
        sess.run([update for _, update in metrics.values()])
        trained = {variable.op.name: variable for variable in tf.trainable_variables()}
        alternatives = {str(name): outputs for name, outputs in (ops.output_alternatives or {}).items()}
        return [before, sess.run([{name: value for name, (value, _) in metrics.items()}, trained]),
                {name: [problem, sess.run(outputs)] for name, (problem, outputs) in alternatives.items()}]  # fmt: skip

    return run


def _head_ops(tf, head, labels, mode="eval", **options):
    features = {"x": tf.constant(numbers(4, 3)), "weight": tf.constant([1.0, 2.0, 0.0, 0.5])}
    logits = tf.get_variable("w", initializer=numbers(4, head.logits_dimension, seed=1)) * 2

    def train_op_fn(loss):
        # If the head also trains a bias, the order of the updates would change the result.
        alone = len(tf.trainable_variables()) == 1
        return tf.train.GradientDescentOptimizer(0.5).minimize(loss) if alone else tf.no_op()

    return head.create_model_fn_ops(features, mode, labels, train_op_fn, logits=logits, **options)


def regression_head(tf):
    head = tf.contrib.learn.regression_head(weight_column_name="weight", label_dimension=2, head_name="mine")
    return _made(tf, _head_ops(tf, head, tf.constant(numbers(4, 2, seed=2)), "train"))


def regression_head_with_link_fn_and_centered_bias(tf):
    head = tf.contrib.learn.regression_head(link_fn=lambda logits: logits * 10, enable_centered_bias=True)
    return _made(tf, _head_ops(tf, head, tf.constant([1.0, 2.0, 3.0, 4.0]), "train"), again=3)


def poisson_regression_head(tf):
    head = tf.contrib.learn.poisson_regression_head(label_name="there")
    return _made(tf, _head_ops(tf, head, {"there": tf.constant([[1.0], [2.0], [0.0], [4.0]])}))


def binary_class_head(tf):
    head = tf.contrib.learn.multi_class_head(2, weight_column_name="weight", thresholds=[0.3, 0.6])
    return _made(tf, _head_ops(tf, head, tf.constant([[1], [0], [1], [1]])))


def multi_class_head(tf):
    head = tf.contrib.learn.multi_class_head(
        3, weight_column_name="weight", metric_class_ids=[0, 2], enable_centered_bias=True, head_name="mine"
    )
    return _made(tf, _head_ops(tf, head, tf.constant([[1], [0], [2], [1]]), "train"))


def multi_class_head_with_label_keys(tf):
    head = tf.contrib.learn.multi_class_head(3, label_keys=["a", "b", "c"], loss_fn=_own_loss(tf))
    return _made(tf, _head_ops(tf, head, tf.constant(["b", "a", "c", "a"])))


def _own_loss(tf):
    def loss_fn(labels, logits, weights=1.0):
        return tf.losses.sparse_softmax_cross_entropy(labels, logits, weights) * 2

    return loss_fn


def multi_head(tf):
    heads = [
        tf.contrib.learn.regression_head(label_name="number", head_name="number"),
        tf.contrib.learn.multi_class_head(3, label_name="class", head_name="class"),
        tf.contrib.learn.head.loss_only_head(lambda: [tf.constant(1.0), tf.constant(0.5)], head_name="alone"),
    ]
    head = tf.contrib.learn.multi_head(heads, loss_weights=[1.0, 0.5, 2.0])
    labels = {"number": tf.constant([1.0, 2.0, 3.0, 4.0]), "class": tf.constant([0, 1, 2, 0])}
    trained = _head_ops(tf, head, labels, "train")
    hidden, keys, computed = tf.constant(numbers(4, 5)), [], []
    for mode in ("eval", "infer"):
        with tf.variable_scope(mode):
            single = {"number": hidden[:, :1], "class": hidden[:, 1:4]}
            ops = head.create_model_fn_ops({}, mode, labels, logits=single)
            computed.append({"/".join(key): value for key, value in ops.predictions.items()})
            computed.append([] if ops.loss is None else [ops.loss])
            keys.append([sorted(ops.eval_metric_ops), sorted(ops.output_alternatives or ())])
    with tf.variable_scope("of_input"):
        ops = heads[1].create_model_fn_ops({}, "infer", logits_input=hidden)

    def run(sess):
        sess.run(trained.train_op)
        return [sess.run(trained.loss), sess.run([computed, ops.predictions]), keys]

    return run


def binary_svm_head(tf):
    head = tf.contrib.learn.binary_svm_head(weight_column_name="weight")
    return _made(tf, _head_ops(tf, head, tf.constant([1, 0, 1, 1]), "train"))


def multi_label_head(tf):
    head = tf.contrib.learn.multi_label_head(3, metric_class_ids=[1], weight_column_name="weight")
    indices = [[0, 0], [0, 1], [2, 0], [3, 0]]
    return _made(tf, _head_ops(tf, head, tf.SparseTensor(indices, np.array([0, 2, 1, 1]), [4, 2])))


def head_errors(tf):
    head = tf.contrib.learn.regression_head()
    logits, labels = tf.ones([4, 1]), tf.ones([4])

    def made(**options):
        return head.create_model_fn_ops({}, options.pop("mode", "eval"), options.pop("labels", labels), **options)

    return [
        isinstance(head, tf.contrib.learn.Head),
        tf.contrib.learn.no_op_train_fn(None).type,
        errors_of(
            made,
            lambda: made(logits=logits, logits_input=logits),
            lambda: made(logits=tf.ones([4, 2])),
            lambda: made(logits=logits, mode="else"),
            lambda: made(logits=logits, mode="train"),
            lambda: made(logits=logits, labels=tf.SparseTensor([[0]], [1.0], [4])),
            lambda: tf.contrib.learn.multi_class_head(1),
            lambda: tf.contrib.learn.multi_class_head(2, label_keys=["a", "b"]),
            lambda: tf.contrib.learn.multi_class_head(3, label_keys=["a", "b"]),
            lambda: tf.contrib.learn.multi_class_head(3, metric_class_ids=[3]),
            lambda: tf.contrib.learn.multi_class_head(3, loss_fn=lambda labels, logits: 0.0),
            lambda: tf.contrib.learn.regression_head(label_dimension=0),
        ),
    ]


def _features(tf):
    colour = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [3, 0]], ["red", "green", "blue", "red"], [4, 2])
    return {"size": tf.constant(numbers(4, 2)), "colour": colour, "weight": tf.constant([1.0, 2.0, 0.0, 0.5])}


def _columns(tf):
    colour = tf.contrib.layers.sparse_column_with_hash_bucket("colour", 7)
    size = tf.contrib.layers.real_valued_column("size", 2)
    buckets = tf.contrib.layers.bucketized_column(size, [0.0])
    deep = [tf.contrib.layers.embedding_column(colour, 3), size]
    return deep, [colour, buckets, tf.contrib.layers.crossed_column([colour, buckets], 11)]


def _model(tf, estimator, labels, mode="train"):
    """Builds an estimator's model in the program's graph; returns the function that runs it."""
    tf.train.create_global_step()
    ops = estimator.model_fn(_features(tf), labels, mode, estimator.config)
    return _made(tf, ops, again=2)


def dnn_classifier(tf):
    deep, _ = _columns(tf)
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.DNNClassifier(
            [4, 3], deep, folder, n_classes=3, weight_column_name="weight", activation_fn="tanh",
            gradient_clip_norm=0.5, embedding_lr_multipliers={deep[0]: 0.25},
        )  # fmt: skip
        return _model(tf, estimator, tf.constant([[0], [2], [1], [1]]))


def dnn_regressor(tf):
    columns = [tf.feature_column.numeric_column("size", [2])]
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.DNNRegressor(
            [3], columns, folder, optimizer=lambda: tf.train.GradientDescentOptimizer(0.1), label_dimension=2
        )
        return _model(tf, estimator, tf.constant(numbers(4, 2, seed=3)))


def dnn_estimator(tf):
    deep, _ = _columns(tf)
    head = tf.contrib.learn.poisson_regression_head()
    with tempfile.TemporaryDirectory() as folder:
        return _model(tf, tf.contrib.learn.DNNEstimator(head, [3], deep, folder), tf.ones([4]), "eval")


def linear_classifier(tf):
    _, wide = _columns(tf)
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.LinearClassifier(wide, folder, optimizer="Adagrad", gradient_clip_norm=0.1)
        return _model(tf, estimator, tf.constant([[0], [1], [1], [0]]))


def linear_regressor(tf):
    deep, wide = _columns(tf)
    columns = [tf.feature_column.numeric_column("size", [2])]
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.LinearRegressor([deep[1], wide[0]], folder)
        with tf.variable_scope("joint"):
            head = tf.contrib.learn.regression_head()
            joint = tf.contrib.learn.LinearEstimator([wide[0], wide[2]], head, folder, _joint_weights=True)
            other = joint.model_fn(_features(tf), tf.ones([4]), "infer", joint.config)
        with tf.variable_scope("core"):
            core = tf.contrib.learn.LinearRegressor(columns, folder)
            core.model_fn(_features(tf), None, "infer", core.config)
        results = _model(tf, estimator, tf.constant(numbers(4, seed=3)))
        return lambda sess: [results(sess), sess.run(other.predictions)]


def dnn_linear_combined_classifier(tf):
    deep, wide = _columns(tf)
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.DNNLinearCombinedClassifier(
            folder, linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[4],
            fix_global_step_increment_bug=True, embedding_lr_multipliers={deep[0]: 0.5},
        )  # fmt: skip
        results = _model(tf, estimator, tf.constant([0, 1, 1, 0]))
        return lambda sess: [results(sess), sess.run(tf.train.get_global_step())]


def dnn_linear_combined_regressor(tf):
    deep, wide = _columns(tf)
    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.DNNLinearCombinedRegressor(
            folder, linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[2], gradient_clip_norm=1.0
        )
        results = _model(tf, estimator, tf.constant(numbers(4, seed=3)))
        return lambda sess: [results(sess), sess.run(tf.train.get_global_step())]


def dnn_linear_combined_estimator(tf):
    deep, wide = _columns(tf)
    head = tf.contrib.learn.regression_head()
    combined = tf.contrib.learn.DNNLinearCombinedEstimator
    with tempfile.TemporaryDirectory() as folder:
        alone = combined(head, folder, linear_feature_columns=wide[:1], linear_optimizer="SGD")
        results = _model(tf, alone, tf.constant(numbers(4, seed=3)))
        refused = errors_of(
            lambda: combined(head, folder),
            lambda: combined(head, folder, dnn_feature_columns=deep).model_fn(_features(tf), None, "infer", None),
            lambda: tf.contrib.learn.DNNClassifier([2], deep, folder, activation_fn="sine").model_fn(
                _features(tf), None, "infer", None
            ),
            lambda: tf.contrib.learn.LinearClassifier([], folder),
            lambda: tf.contrib.learn.DNNClassifier([2], deep, folder, n_classes=1),
        )
        return lambda sess: [results(sess), refused]


def estimators_fit_to_arrays(tf):
    columns = tf.contrib.learn.infer_real_valued_columns_from_input(X)
    of_function = tf.contrib.learn.infer_real_valued_columns_from_input_fn(lambda: ({"x": tf.constant(X)}, None))

    def input_fn():
        return tf.constant(X), tf.constant(CLASSES)

    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    results = [[column.key for column in [*columns, *of_function]]]
    try:
        with tempfile.TemporaryDirectory() as folder:
            models = {
                "dnn": tf.contrib.learn.DNNClassifier([5, 3], columns, os.path.join(folder, "dnn"), n_classes=3),
                "linear": tf.contrib.learn.LinearClassifier(columns, os.path.join(folder, "linear"), n_classes=3),
                "number": tf.contrib.learn.DNNRegressor([5], columns, os.path.join(folder, "number")),
            }
            for name, estimator in models.items():
                estimator.fit(input_fn=input_fn, steps=3)
                measured = estimator.evaluate(input_fn=input_fn, steps=1)
                weights = {each: estimator.get_variable_value(each) for each in estimator.get_variable_names()}
                predicted = list(estimator.predict(x=X)), estimator.predict(X, as_iterable=False)
                # A net begins with random weights, so its values aren't compared; a linear model begins with zeros.
                values = [measured, weights, predicted]
                shapes = [sorted(measured), {each: value.shape for each, value in weights.items()}]
                results.append([name, values if name == "linear" else shapes, np.array_equal(*predicted)])
            results.append(models["linear"].predict_proba(x=X, as_iterable=False))
            results.append(np.array_equal(list(models["dnn"].predict_classes(x=X)), list(models["dnn"].predict(x=X))))
            scores = list(models["number"].predict_scores(x=X))
            results.append(np.array_equal(scores, list(models["number"].predict(x=X))))
            results.append([sorted(each) for each in models["dnn"].predict(x=X[:1], outputs=["classes", "logits"])])
            metrics = {"mean": lambda predictions, labels: tf.metrics.mean(predictions)}
            results.append(sorted(models["number"].evaluate(input_fn=input_fn, steps=1, metrics=metrics)))
    finally:
        tf.logging.set_verbosity(before)
    return lambda sess: results


def kmeans_clustering(tf):
    rows, results = numbers(10, 2), []

    def input_fn():
        return tf.train.limit_epochs(tf.constant(rows), num_epochs=1), None

    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    try:
        with tempfile.TemporaryDirectory() as folder:
            clustering = tf.contrib.learn.KMeansClustering(
                3, folder, initial_clusters=rows[:3], use_mini_batch=False, relative_tolerance=0.001
            )
            clustering.fit(input_fn=lambda: (tf.constant(rows), None), steps=20)
            results += [clustering.clusters(), clustering.score(input_fn=lambda: (tf.constant(rows), None), steps=1)]
            results += [list(clustering.predict_cluster_idx(input_fn)), clustering.get_variable_value("global_step")]
            results += [clustering.transform(input_fn), len(list(clustering.transform(input_fn, as_iterable=True)))]
            random = tf.contrib.learn.KMeansClustering(
                2, os.path.join(folder, "random"), tf.contrib.learn.KMeansClustering.KMEANS_PLUS_PLUS_INIT
            )
            random.fit(input_fn=lambda: ({"b": tf.constant(rows[:, 1:]), "a": tf.constant(rows[:, :1])}, None), steps=2)
            results.append(random.clusters().shape)
    finally:
        tf.logging.set_verbosity(before)
    return lambda sess: results


def logistic_regressor(tf):
    def model_fn(features, labels, mode):
        weights = tf.get_variable("weights", initializer=numbers(4, 1, seed=2))
        logits = tf.matmul(features, weights)
        loss = None if labels is None else tf.losses.sigmoid_cross_entropy(labels, logits)
        return tf.sigmoid(logits), loss, tf.no_op()

    with tempfile.TemporaryDirectory() as folder:
        estimator = tf.contrib.learn.LogisticRegressor(model_fn, thresholds=[0.4, 0.6], model_dir=folder)
    labels = {"only": tf.constant((CLASSES == 1).astype(np.float32).reshape(12, 1))}["only"]
    ops = estimator.model_fn(tf.constant(X), labels, "eval", None)
    alternatives = ops.output_alternatives["head"]

    def run(sess):
        sess.run([update for _, update in ops.eval_metric_ops.values()])
        values = {name: value for name, (value, _) in ops.eval_metric_ops.items()}
        return [sess.run([values, ops.loss, alternatives[1]]), alternatives[0]]

    return run
