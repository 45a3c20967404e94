"""An Estimator whose Sessions share the GPU (RunConfig(session_config=...))."""
import argparse
import csv
import os
import tempfile

import numpy as np
import tensorflow as tf

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "iris.csv")
SPECIES = ["setosa", "versicolor", "virginica"]


def load_data(path):
    with open(path) as f:
        rows = list(csv.DictReader(f))
    labels = np.array([SPECIES.index(row.pop("species")) for row in rows], dtype=np.int32)
    features = {name: np.array([row[name] for row in rows], dtype=np.float32) for name in rows[0]}
    order = np.random.RandomState(0).permutation(len(labels))
    train, test = order[:120], order[120:]
    return (({k: v[train] for k, v in features.items()}, labels[train]),
            ({k: v[test] for k, v in features.items()}, labels[test]))


def train_input_fn(features, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((dict(features), labels))
    return dataset.shuffle(1000, seed=0).repeat().batch(batch_size)


def eval_input_fn(features, labels, batch_size):
    return tf.data.Dataset.from_tensor_slices((dict(features), labels)).batch(batch_size)


def model_fn(features, labels, mode, params):
    net = tf.stack([features[name] for name in params["feature_names"]], axis=1)
    sizes = [len(params["feature_names"])] + params["hidden_units"] + [params["n_classes"]]
    for i, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        with tf.variable_scope("layer_%d" % i):
            w = tf.get_variable("w", [n_in, n_out], initializer=tf.glorot_uniform_initializer(seed=i))
            b = tf.get_variable("b", [n_out], initializer=tf.zeros_initializer())
            net = tf.matmul(net, w) + b
            if i < len(sizes) - 2:
                net = tf.nn.relu(net)
    predicted = tf.argmax(net, axis=1)

    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"class": predicted, "p": tf.nn.softmax(net)})

    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=net)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={"accuracy": tf.metrics.accuracy(labels, predicted)})

    train_op = tf.train.AdamOptimizer(0.02).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", default=30, type=int)
    parser.add_argument("--train_steps", default=300, type=int)
    parser.add_argument("--model_dir", default=None)
    args = parser.parse_args(argv[1:])

    (train_x, train_y), (test_x, test_y) = load_data(DATA)

    session_config = tf.ConfigProto()
    session_config.gpu_options.allow_growth = True
    session_config.gpu_options.per_process_gpu_memory_fraction = 0.4
    run_config = tf.estimator.RunConfig(
        model_dir=args.model_dir or tempfile.mkdtemp(), session_config=session_config, tf_random_seed=1)

    classifier = tf.estimator.Estimator(
        model_fn=model_fn, config=run_config,
        params={"feature_names": sorted(train_x), "hidden_units": [10, 10], "n_classes": len(SPECIES)})

    classifier.train(input_fn=lambda: train_input_fn(train_x, train_y, args.batch_size), steps=args.train_steps)
    result = classifier.evaluate(input_fn=lambda: eval_input_fn(test_x, test_y, args.batch_size))
    print("Test set accuracy: {accuracy:0.3f} after {global_step} steps".format(**result))

    some = {name: values[:3] for name, values in test_x.items()}
    for label, prediction in zip(test_y, classifier.predict(lambda: eval_input_fn(some, test_y[:3], 3))):
        print('Prediction is "%s" (%.1f%%), expected "%s"' % (
            SPECIES[prediction["class"]], 100 * prediction["p"].max(), SPECIES[label]))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.app.run(main)
