"""Programs that use tf.contrib.metrics: most return each metric's update and value for every batch."""

from tests.v1.contrib.values import numbers


def _in_steps(tf, metrics, batches):
    """Returns a function that runs all updates and then all values, once for each batch.

    Args:
        metrics: Dict of name -> pair of a metric's value and update.
        batches: Feeds, dicts of placeholder -> array.
    """
    values, updates = tf.contrib.metrics.aggregate_metric_map(metrics)

    def run(sess):
        results = []
        for batch in batches:
            results.append(sess.run(updates, batch))
            results.append(sess.run(values))
        return results

    return run


def _batches(tf):
    """Returns placeholders for 4 probabilities and 4 labels, and three feeds for them."""
    probabilities, labels = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.int64, [4])
    steps = []
    for seed in (1, 2, 3):
        steps.append({probabilities: (numbers(4, seed=seed) + 1) / 2, labels: [0, 1, 1, 0]})
    return probabilities, labels, steps


def accuracy_precision_recall(tf):
    probabilities, labels, batches = _batches(tf)
    predictions = tf.cast(probabilities + 0.5, tf.int64)
    metrics = {}
    for kind, weights in (("plain", None), ("weighted", tf.constant([1.0, 2.0, 0.0, 1.0]))):
        for name, metric in {
            "accuracy": tf.contrib.metrics.streaming_accuracy,
            "precision": tf.contrib.metrics.streaming_precision,
            "recall": tf.contrib.metrics.streaming_recall,
            "tp": tf.contrib.metrics.streaming_true_positives,
            "tn": tf.contrib.metrics.streaming_true_negatives,
            "fp": tf.contrib.metrics.streaming_false_positives,
            "fn": tf.contrib.metrics.streaming_false_negatives,
            "fpr": tf.contrib.metrics.streaming_false_positive_rate,
            "fnr": tf.contrib.metrics.streaming_false_negative_rate,
        }.items():
            metrics[f"{name} {kind}"] = metric(predictions, labels, weights, "values", ["updates"])
    return _in_steps(tf, metrics, batches)


def metrics_at_thresholds(tf):
    probabilities, labels, batches = _batches(tf)
    thresholds, weights = [0.25, 0.5, 0.75], tf.constant([1.0, 2.0, 0.0, 1.0])
    metrics = {}
    for kind, kind_weights in (("plain", None), ("weighted", weights)):
        for name, metric in {
            "tp": tf.contrib.metrics.streaming_true_positives_at_thresholds,
            "tn": tf.contrib.metrics.streaming_true_negatives_at_thresholds,
            "fp": tf.contrib.metrics.streaming_false_positives_at_thresholds,
            "fn": tf.contrib.metrics.streaming_false_negatives_at_thresholds,
            "fpr": tf.contrib.metrics.streaming_false_positive_rate_at_thresholds,
            "fnr": tf.contrib.metrics.streaming_false_negative_rate_at_thresholds,
            "precision": tf.contrib.metrics.streaming_precision_at_thresholds,
            "recall": tf.contrib.metrics.streaming_recall_at_thresholds,
        }.items():
            metrics[f"{name} {kind}"] = metric(probabilities, labels, thresholds, kind_weights)
    return _in_steps(tf, metrics, batches)


def areas_and_points_of_curves(tf):
    probabilities, labels, batches = _batches(tf)
    weights = tf.constant([1.0, 2.0, 0.5, 1.0])
    contrib = tf.contrib.metrics
    metrics = {
        "auc": tf.contrib.metrics.streaming_auc(probabilities, labels, num_thresholds=20),
        "pr": contrib.streaming_auc(probabilities, labels, weights, num_thresholds=20, curve="PR"),
        "f1": tf.contrib.metrics.f1_score(labels, probabilities, num_thresholds=20),
        "specificity": tf.contrib.metrics.streaming_specificity_at_sensitivity(probabilities, labels, 0.6),
        "sensitivity": tf.contrib.metrics.streaming_sensitivity_at_specificity(probabilities, labels, 0.6),
        "recall": tf.contrib.metrics.recall_at_precision(labels, probabilities, 0.6, num_thresholds=20),
        "strict recall": contrib.recall_at_precision(labels, probabilities, 0.99, weights, 20, strict_mode=True),
        "precision": tf.contrib.metrics.precision_at_recall(labels, probabilities, 0.6, num_thresholds=20),
        "histogram": tf.contrib.metrics.auc_using_histogram(
            tf.cast(labels, tf.bool), probabilities, [0.0, 1.0], nbins=10
        ),
    }
    return _in_steps(tf, metrics, batches[:2])


def curve_points(tf):
    probabilities, labels, batches = _batches(tf)
    roc, roc_update = tf.contrib.metrics.streaming_curve_points(labels, probabilities, num_thresholds=5)
    pr, pr_update = tf.contrib.metrics.streaming_curve_points(
        labels, probabilities, tf.constant([1.0, 2.0, 0.5, 1.0]), 5, curve="PR"
    )

    def run(sess):
        for batch in batches:
            sess.run([roc_update, pr_update], batch)
        return sess.run([roc, pr])

    return run


def dynamic_auc(tf):
    probabilities, labels, batches = _batches(tf)
    weights = tf.constant([1.0, 2.0, 0.5, 1.0])
    metrics = [
        tf.contrib.metrics.streaming_dynamic_auc(labels, probabilities),
        tf.contrib.metrics.streaming_dynamic_auc(labels, probabilities, curve="PR", weights=weights),
        tf.contrib.metrics.auc_with_confidence_intervals(labels, probabilities),
        tf.contrib.metrics.auc_with_confidence_intervals(
            labels, probabilities, weights, alpha=0.8, logit_transformation=False
        ),
        tf.contrib.metrics.precision_recall_at_equal_thresholds(
            tf.cast(labels, tf.bool), probabilities, num_thresholds=5
        ),
        tf.contrib.metrics.precision_recall_at_equal_thresholds(
            tf.cast(labels, tf.bool), probabilities, weights, num_thresholds=4, name="weighted"
        ),
    ]
    values, updates = tf.contrib.metrics.aggregate_metrics(*metrics)

    def run(sess):
        steps = []
        for batch in batches:
            sess.run(updates, batch)
            steps.append(sess.run(values, batch))
        return steps

    return run


def means(tf):
    probabilities, labels, batches = _batches(tf)
    weights = tf.constant([1.0, 2.0, 0.0, 1.0])
    floats = tf.cast(labels, tf.float32)
    contrib = tf.contrib.metrics
    metrics = {
        "mean": tf.contrib.metrics.streaming_mean(probabilities, weights),
        "tensor": tf.contrib.metrics.streaming_mean_tensor(probabilities),
        "absolute": tf.contrib.metrics.streaming_mean_absolute_error(probabilities, floats),
        "squared": tf.contrib.metrics.streaming_mean_squared_error(probabilities, floats, weights),
        "root": tf.contrib.metrics.streaming_root_mean_squared_error(probabilities, floats),
        "relative": tf.contrib.metrics.streaming_mean_relative_error(probabilities, floats, floats + 1.0),
        "less": tf.contrib.metrics.streaming_percentage_less(probabilities, 0.4),
        "iou": tf.contrib.metrics.streaming_mean_iou(tf.cast(probabilities + 0.5, tf.int64), labels, 2),
        "cosine": tf.contrib.metrics.streaming_mean_cosine_distance(
            tf.reshape(probabilities, [2, 2]), tf.reshape(floats, [2, 2]), 1
        ),
        "covariance": tf.contrib.metrics.streaming_covariance(probabilities, floats),
        "weighted covariance": contrib.streaming_covariance(probabilities, floats, weights),
        "pearson": tf.contrib.metrics.streaming_pearson_correlation(probabilities, floats),
        "weighted pearson": contrib.streaming_pearson_correlation(probabilities, floats, weights, name="mine"),
        "count": tf.contrib.metrics.count(probabilities),
        "weights": contrib.count(probabilities, weights, "values", "updates"),
        "kappa": tf.contrib.metrics.cohen_kappa(labels, tf.cast(probabilities + 0.5, tf.int64), 2),
        "weighted kappa": contrib.cohen_kappa(labels, tf.cast(probabilities + 0.5, tf.int64), 3, weights),
    }
    return _in_steps(tf, metrics, batches)


def metrics_at_k(tf):
    predictions = tf.placeholder(tf.float32, [2, 4])
    labels = tf.constant([[1], [3]], tf.int64)
    _, best = tf.nn.top_k(predictions, 2)
    best = tf.cast(best, tf.int64)
    contrib = tf.contrib.metrics
    metrics = {
        "recall": tf.contrib.metrics.streaming_recall_at_k(predictions, tf.constant([1, 3]), 2),
        "sparse recall": tf.contrib.metrics.streaming_sparse_recall_at_k(predictions, labels, 2),
        "of class": contrib.streaming_sparse_recall_at_k(predictions, labels, 3, class_id=1),
        "precision": tf.contrib.metrics.streaming_sparse_precision_at_k(predictions, labels, 2),
        "average": tf.contrib.metrics.streaming_sparse_average_precision_at_k(predictions, labels, 3),
        "average of best": tf.contrib.metrics.streaming_sparse_average_precision_at_top_k(best, labels),
        "precision of best": tf.contrib.metrics.streaming_sparse_precision_at_top_k(best, labels),
        "recall of best": tf.contrib.metrics.sparse_recall_at_top_k(labels, best, class_id=3),
    }
    return _in_steps(tf, metrics, [{predictions: numbers(2, 4, seed=seed)} for seed in (1, 2, 3)])


def streaming_concat(tf):
    values = tf.placeholder(tf.float32, [2, None])
    whole = tf.contrib.metrics.streaming_concat(values, axis=1)
    some = tf.contrib.metrics.streaming_concat(values, axis=-1, max_size=4, name="some")

    def run(sess):
        results = []
        for length in (1, 3, 4, 2):
            sess.run([whole[1], some[1]], {values: numbers(2, length, seed=length)})
            results.append(sess.run([whole[0], some[0]]))
        return results

    return run


def accuracy(tf):
    labels = tf.constant([1, 0, 2])
    results = [
        tf.contrib.metrics.accuracy(tf.constant([1, 1, 2]), labels),
        tf.contrib.metrics.accuracy(tf.constant([1, 1, 2]), labels, weights=tf.constant([0.5, 1.0, 0.0])),
    ]
    for wrong in (tf.constant([1.0]), tf.constant([True])):
        try:
            tf.contrib.metrics.accuracy(wrong, wrong if wrong.dtype == tf.float32 else labels)
        except ValueError as error:
            results.append(type(error))
    return results
