"""Programs that cluster rows with tf.contrib.factorization."""

import os
import tempfile

import numpy as np

from tests.v1.contrib.raising import errors_of, raised
from tests.v1.contrib.values import numbers

ROWS = np.concatenate([numbers(20, 2) * 0.3 + center for center in ([0.0, 2.0], [2.0, 0.0], [-2.0, -1.0])])
ROWS = ROWS[np.argsort(numbers(60, seed=1))].astype(np.float32)


def _clustered(tf, steps=4, inputs=ROWS, graph_seed=None, **options):
    """Returns the values of the ops of KMeans before and after steps of training."""
    with tf.Graph().as_default() as graph:
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        inputs = [tf.constant(part) for part in inputs] if isinstance(inputs, list) else tf.constant(inputs)
        kmeans = tf.contrib.factorization.KMeans(inputs, **{"num_clusters": 3, **options})
        scores, nearest, distances, initialized, init_op, train_op = kmeans.training_graph()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            results = [sess.run(initialized)]
            for _ in range(20):  # a run of init_op chooses at most as many centers as it reads rows
                if not sess.run(initialized):
                    sess.run(init_op)
            results.append(sess.run([initialized, graph.get_tensor_by_name("clusters:0")]))
            for _ in range(steps):
                sess.run(train_op)
                results.append(sess.run([list(nearest), list(distances)]))
            results.append(sess.run([list(scores), {v.op.name: v for v in tf.global_variables()}]))
    return [results, isinstance(scores, tuple)]


def initial_centers(tf):
    ways = tf.contrib.factorization.RANDOM_INIT, tf.contrib.factorization.KMEANS_PLUS_PLUS_INIT, "kmc2"
    results = [
        _clustered(tf, graph_seed=graph_seed, random_seed=seed, initial_clusters=way)
        for way in ways
        for graph_seed, seed in ((None, 0), (None, 7), (3, 0), (3, 7))
    ]
    return lambda sess: results


def initial_centers_of_every_kind(tf):
    results = [
        _clustered(tf, initial_clusters=ROWS[:4]),
        _clustered(tf, initial_clusters=lambda inputs, size: inputs[0][: tf.minimum(size, 2)]),
        _clustered(tf, initial_clusters="kmeans_plus_plus", kmeans_plus_plus_num_retries=-1),
        _clustered(tf, inputs=[ROWS[:25], ROWS[25:]]),
        _clustered(tf, inputs=ROWS[:2], steps=1, initial_clusters="random", num_clusters=4),
    ]
    return lambda sess: results


def cosine_distance(tf):
    cosine = tf.contrib.factorization.COSINE_DISTANCE
    results = [
        _clustered(tf, distance_metric=cosine, **options)
        for options in (
            {},
            {"initial_clusters": "kmeans_plus_plus"},
            {"initial_clusters": "kmc2"},
        )
    ]
    return lambda sess: results


def mini_batches(tf):
    results = [
        _clustered(tf, 0, use_mini_batch=True, mini_batch_steps_per_iteration=steps, distance_metric=metric)
        for steps in (1, 2, 3)
        for metric in (tf.contrib.factorization.SQUARED_EUCLIDEAN_DISTANCE, "cosine")
    ]
    return lambda sess: results


def steps_of_mini_batches(tf):
    # TensorFlow 1 divides the move of a center by its count of rows, which another op updates in the same run, before
    # or after the division: either count is correct.
    results = []
    for steps, initial_count in ((1, 1), (2, 0)):
        with tf.Graph().as_default() as graph:
            kmeans = tf.contrib.factorization.KMeans(
                tf.constant(ROWS), 3, ROWS[:3], use_mini_batch=True, mini_batch_steps_per_iteration=steps
            )
            _, nearest, _, _, init_op, train_op = kmeans.training_graph()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(init_op)
                before, rows = sess.run(nearest[0]), np.bincount(sess.run(nearest[0]))
                sess.run(train_op)
                trained = graph.get_tensor_by_name("clusters:0" if steps == 1 else "clusters_updated:0")
                centers, counts = sess.run([trained, graph.get_tensor_by_name("Variable:0")])
                sums = np.stack([ROWS[before == center].sum(axis=0) for center in range(3)])
                moved = sums - rows[:, np.newaxis] * ROWS[:3]
                either_counts = (np.full(3, initial_count), initial_count + rows)
                expected = [ROWS[:3] + moved / (count + rows)[:, np.newaxis] for count in either_counts]
                close = [np.abs(centers - each).max(axis=1) < 1e-5 for each in expected]
                results.append([before, counts, bool(np.logical_or(*close).all())])
                if steps > 1:  # the centers of the assignment stay until the second step
                    results.append([sess.run("clusters:0"), sess.run("update_in_steps:0")])
                    sess.run(train_op)
                    results.append(sess.run("update_in_steps:0"))
    return lambda sess: results


def kmeans_with_mini_batches_and_cosine_distance(tf):
    x = tf.placeholder(tf.float32, shape=[None, 2])
    kmeans = tf.contrib.factorization.KMeans(inputs=x, num_clusters=3, distance_metric="cosine", use_mini_batch=True)
    _all_scores, cluster_idx, scores, _is_initialized, init_op, train_op = kmeans.training_graph()
    cluster_idx = cluster_idx[0]
    avg_distance = tf.reduce_mean(scores)

    def run(sess):
        sess.run(tf.global_variables_initializer(), feed_dict={x: ROWS})
        sess.run(init_op, feed_dict={x: ROWS})
        first = sess.run([avg_distance, cluster_idx], feed_dict={x: ROWS})
        for _ in range(5):
            _, last, _ = sess.run([train_op, avg_distance, cluster_idx], feed_dict={x: ROWS})
        return [first, bool(last < first[0])]

    return run


def wrong_arguments(tf):
    factorization, rows = tf.contrib.factorization, tf.constant(ROWS)
    too_few_rows = factorization.KMeans(rows[:2], 3, initial_clusters="kmeans_plus_plus")
    init_op = too_few_rows.training_graph()[4]
    errors = errors_of(
        lambda: factorization.KMeans(rows, 3, initial_clusters="nearest"),
        lambda: factorization.KMeans(rows, 3, distance_metric="manhattan"),
        lambda: factorization.KMeansClustering(3, initial_clusters="kmc2"),
        lambda: factorization.KMeansClustering(3, distance_metric="manhattan"),
    )

    def run(sess):
        sess.run(tf.global_variables_initializer())
        return [errors, raised(tf.errors.InvalidArgumentError, sess.run, init_op)]

    return run


def _estimated(tf, folder, name, features, steps=(3, 3), **options):
    """Returns an estimator's results: names, step, centers, score and predictions; with mini-batches only shapes."""
    with tf.Graph().as_default():
        config = tf.estimator.RunConfig(os.path.join(folder, name), options.pop("graph_seed", 1))
        estimator = tf.contrib.factorization.KMeansClustering(3, config=config, **options)

        def input_fn():
            rows = features()
            if not isinstance(rows, dict):
                return tf.train.limit_epochs(rows, num_epochs=1)
            return {key: tf.train.limit_epochs(value, num_epochs=1) for key, value in rows.items()}

        results = [sorted(estimator.train(features, steps=steps[0]).get_variable_names())]
        for more_steps in steps[1:]:
            estimator.train(lambda: (features(), None), steps=more_steps)
        results += [
            estimator.get_variable_value("global_step"),
            estimator.cluster_centers(),
            estimator.score(input_fn),
            list(estimator.predict_cluster_index(input_fn))[:10],
            list(estimator.transform(input_fn))[:10],
            sorted(next(estimator.predict(input_fn))),
            sorted(estimator.evaluate(input_fn, steps=1)),
        ]
        if options.get("use_mini_batch", True):
            results[2:6] = [results[2].shape, bool(results[3] < 60), len(results[4]), results[5][0].shape]
        return results


def estimators(tf):
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    columns = [tf.feature_column.numeric_column(name) for name in ("b", "a")]

    def rows():
        return tf.constant(ROWS)

    def two_columns():
        return {"b": tf.constant(ROWS[:, 1:]), "a": tf.constant(ROWS[:, :1])}

    try:
        with tempfile.TemporaryDirectory() as folder:
            all_rows = {"use_mini_batch": False}
            results = [
                _estimated(tf, folder, "default", rows),
                _estimated(tf, folder, "steps", rows, mini_batch_steps_per_iteration=2),
                _estimated(tf, folder, "all", rows, **all_rows),
                _estimated(tf, folder, "seed", rows, random_seed=5, graph_seed=9, **all_rows),
                _estimated(tf, folder, "plus", rows, initial_clusters="kmeans_plus_plus", **all_rows),
                _estimated(tf, folder, "cosine", rows, distance_metric="cosine", **all_rows),
                _estimated(tf, folder, "stop", rows, steps=(30,), relative_tolerance=0.01, **all_rows),
                _estimated(tf, folder, "dict", two_columns, **all_rows),
                _estimated(tf, folder, "columns", two_columns, feature_columns=columns, **all_rows),
                _exported(tf, folder),
            ]
    finally:
        tf.logging.set_verbosity(before)
    return lambda sess: results


def _exported(tf, folder):
    """Returns the signatures of an exported model, and their outputs."""
    config = tf.estimator.RunConfig(os.path.join(folder, "exported"))
    estimator = tf.contrib.factorization.KMeansClustering(
        2, initial_clusters=ROWS[:2], use_mini_batch=False, config=config
    )
    estimator.train(lambda: tf.constant(ROWS), steps=2)

    def serving_input_fn():
        x = tf.placeholder(tf.float32, [None, 2])
        return tf.estimator.export.TensorServingInputReceiver(x, x)

    path = estimator.export_savedmodel(os.path.join(folder, "export"), serving_input_fn)
    with tf.Graph().as_default(), tf.Session() as sess:
        model = tf.saved_model.loader.load(sess, ["serve"], path.decode())
        return {
            name: {
                key: sess.run(value.name, {next(iter(signature.inputs.values())).name: ROWS[:5]})
                for key, value in signature.outputs.items()
            }
            for name, signature in model.signature_def.items()
            if signature.inputs
        }
