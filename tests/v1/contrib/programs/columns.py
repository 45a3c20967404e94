"""Programs that use the feature columns and target columns of tf.contrib.layers."""

import os
import tempfile
from importlib import import_module

import numpy as np

from tests.v1.contrib.raising import errors_of
from tests.v1.contrib.values import numbers


def _sparse(tf, values, rows=((0, 0), (0, 1), (2, 0)), shape=(3, 2)):
    return tf.SparseTensor([list(row) for row in rows], values, shape)


def _features(tf):
    return {
        "colour": _sparse(tf, ["red", "green", "blue"]),
        "place": _sparse(tf, np.array([4, 11, 7])),
        "weight": _sparse(tf, [0.5, 2.0, 1.5]),
        "size": tf.constant([[1.0, -1.0], [3.0, 0.5], [2.0, 7.0]]),
        "age": tf.constant([[18], [40], [65]]),
        "word": tf.constant([["x"], [""], ["y"]]),
    }


def _columns(tf):
    size = tf.contrib.layers.real_valued_column("size", dimension=2, normalizer=lambda values: values * 0.5)
    return {
        "hashed": tf.contrib.layers.sparse_column_with_hash_bucket("colour", 10, combiner="mean"),
        "twice": tf.contrib.layers.sparse_column_with_hash_bucket("colour", 10, hash_keys=[[1, 2], [3, 4]]),
        "keys": tf.contrib.layers.sparse_column_with_keys("colour", ["red", "blue"], default_value=1),
        "number": tf.contrib.layers.sparse_column_with_integerized_feature("place", 5, combiner="sqrtn"),
        "size": size,
        "age": tf.contrib.layers.real_valued_column("age", dtype=tf.int32),
        "buckets": tf.contrib.layers.bucketized_column(size, [0.0, 1.0, 1.0, 2.0]),
    }


def _crosses(tf, columns):
    plain = tf.contrib.layers.crossed_column([columns["hashed"], columns["number"]], 100)
    key = tf.contrib.layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY
    return {
        "plain": plain,
        "nested": tf.contrib.layers.crossed_column([plain, columns["buckets"], columns["keys"]], 1000),
        "with_key": tf.contrib.layers.crossed_column([columns["hashed"], columns["buckets"]], 100, hash_key=key),
    }


def transformed_features(tf):
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        vocabulary = os.path.join(folder, "vocabulary.txt")
        with open(vocabulary, "w") as file:
            file.write("x\ny\nz\n")
        columns = _columns(tf)
        named = {**columns, **_crosses(tf, columns)}
        named["file"] = tf.contrib.layers.sparse_column_with_vocabulary_file("word", vocabulary, 2, vocab_size=3)
        named["weighted"] = tf.contrib.layers.weighted_sparse_column(columns["number"], "weight")
        tensors = tf.contrib.layers.transform_features(_features(tf), list(named.values()))
        values = {name: tensors[column] for name, column in named.items()}
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            computed = {
                "values": sess.run(values),
                "names": {name: [column.name, getattr(column, "length", None)] for name, column in named.items()},
                "keys": [named[name].key for name in ("size", "age", "number", "hashed", "plain")],
            }
    return lambda _: computed


def crossed_dense_features(tf):
    """Hashes crosses in every way, of strings and of positive and negative numbers."""
    root = "tf1mem.v1" if tf.__name__ == "tf1mem.v1" else "tensorflow"
    cross = import_module(root + ".contrib.layers.python.ops.sparse_feature_cross_op").sparse_feature_cross
    large = np.array([[2**62, -(2**62)], [-1, 0], [3, 2**40]], np.int64)
    features = [tf.constant([["a", "b"], ["c", ""], ["a", "c"]]), _sparse(tf, [-5, 6, 7]), tf.constant(large)]
    return [
        cross(features, hashed_output=hashed, num_buckets=buckets, hash_key=key)
        for hashed, buckets, key in ((False, 0, None), (True, 0, None), (True, 97, None), (True, 2**40, 5))
    ]


def input_from_columns(tf):
    columns = _columns(tf)
    crosses = _crosses(tf, columns)
    weighted = tf.contrib.layers.weighted_sparse_column(columns["number"], "weight")
    shared = tf.contrib.layers.shared_embedding_columns(
        [columns["hashed"], tf.contrib.layers.sparse_column_with_hash_bucket("word", 10)], 2, combiner="sum"
    )
    used = [
        tf.contrib.layers.embedding_column(columns["hashed"], 3),
        tf.contrib.layers.embedding_column(weighted, 2, combiner="sqrtn", max_norm=0.5),
        tf.contrib.layers.embedding_column(crosses["plain"], 2, combiner="sum"),
        tf.contrib.layers.embedding_column(crosses["with_key"], 2, trainable=False),
        tf.contrib.layers.one_hot_column(columns["keys"]),
        tf.contrib.layers.one_hot_column(tf.contrib.layers.weighted_sparse_column(columns["hashed"], "weight")),
        tf.contrib.layers.scattered_embedding_column("colour", 20, 3, hash_key=7, combiner="sqrtn"),
        columns["size"],
        columns["age"],
        columns["buckets"],
        *shared,
    ]
    each = {}
    with tf.variable_scope("net"):
        joined = tf.contrib.layers.input_from_feature_columns(
            _features(tf), used, weight_collections=["mine"], cols_to_outs=each
        )
    return {"joined": joined, "each": {column.name: value for column, value in each.items()}}


def sequence_input_from_columns(tf):
    columns = [
        tf.contrib.layers.real_valued_column("size", 2),
        tf.contrib.layers.embedding_column(tf.contrib.layers.sparse_column_with_integerized_feature("place", 5), 3),
        tf.contrib.layers.one_hot_column(tf.contrib.layers.sparse_column_with_keys("colour", ["red", "blue"])),
    ]
    features = {
        "size": tf.constant(numbers(2, 3, 2)),
        "place": _sparse(tf, [4, 11, 7], [(0, 0, 0), (0, 2, 0), (1, 1, 1)], (2, 3, 2)),
        "colour": _sparse(tf, ["red", "blue", "red"], [(0, 0), (0, 2), (1, 1)], (2, 3)),
    }
    bucketized = tf.contrib.layers.bucketized_column(columns[0], [0.0])
    errors = errors_of(lambda: tf.contrib.layers.sequence_input_from_feature_columns(features, [bucketized]))
    return [tf.contrib.layers.sequence_input_from_feature_columns(features, columns, scope="steps"), errors]


def weighted_sums_of_columns(tf):
    columns = _columns(tf)
    used = [*columns.values(), *_crosses(tf, columns).values()]
    used.append(tf.contrib.layers.weighted_sparse_column(columns["hashed"], "weight"))
    sums, weights, bias = tf.contrib.layers.weighted_sum_from_feature_columns(
        _features(tf), used, num_outputs=2, weight_collections=["mine"]
    )
    return [sums, {column.name: [part.op.name for part in parts] for column, parts in weights.items()}, bias.op.name]


def joint_weighted_sums_of_columns(tf):
    columns = _columns_of_ids(tf)
    hashed, number, _, crossed = columns
    joint = tf.contrib.layers.joint_weighted_sum_from_feature_columns(_features(tf), [hashed, number, crossed], 2)
    real, mean = tf.contrib.layers.real_valued_column("size", 2), tf.contrib.layers.sparse_column_with_hash_bucket
    errors = errors_of(
        lambda: tf.contrib.layers.joint_weighted_sum_from_feature_columns(_features(tf), [real], 1),
        lambda: tf.contrib.layers.joint_weighted_sum_from_feature_columns(
            _features(tf), [mean("colour", 5, combiner="mean")], 1
        ),
    )
    sums = tf.contrib.layers.weighted_sum_from_feature_columns(_features(tf), [*columns, real], 1)[0]
    return [joint[0], sums, errors]


def _columns_of_ids(tf):
    size = tf.contrib.layers.real_valued_column("size", dimension=2)
    hashed = tf.contrib.layers.sparse_column_with_hash_bucket("colour", 10)
    number = tf.contrib.layers.sparse_column_with_integerized_feature("place", 5)
    buckets = tf.contrib.layers.bucketized_column(size, [0.0, 2.0])
    return [hashed, number, buckets, tf.contrib.layers.crossed_column([hashed, number], 20)]


def columns_mixed_with_tensorflow_s_own(tf):
    columns = _columns_of_ids(tf)
    size = tf.contrib.layers.real_valued_column("size", dimension=2)
    dense = [
        size,
        columns[2],
        tf.contrib.layers.embedding_column(columns[0], 2),
        tf.contrib.layers.one_hot_column(columns[1]),
        tf.feature_column.numeric_column("age"),
    ]
    return [
        tf.feature_column.input_layer(_features(tf), dense),
        tf.feature_column.linear_model(_features(tf), [*columns, size]),
    ]


def parsed_examples(tf):
    columns = _columns_of_ids(tf)
    columns.append(tf.contrib.layers.real_valued_column("age", default_value=3, dtype=tf.int64))
    example = tf.train.Example()
    example.features.feature["colour"].bytes_list.value.extend([b"red", b"blue"])
    example.features.feature["place"].int64_list.value.append(8)
    example.features.feature["size"].float_list.value.extend([1.0, 2.0])
    tensors = tf.contrib.layers.parse_feature_columns_from_examples([example.SerializeToString()] * 2, columns)
    sequence = tf.train.SequenceExample()
    sequence.context.CopyFrom(example.features)
    for value in (0.5, 1.5):
        sequence.feature_lists.feature_list["size"].feature.add().float_list.value.extend([value, value])
    of_sequence = tf.contrib.layers.parse_feature_columns_from_sequence_examples(
        sequence.SerializeToString(), columns[:2], [tf.contrib.layers.real_valued_column("size", 2)]
    )
    spec = tf.contrib.layers.create_feature_spec_for_parsing(columns)
    placeholders = tf.contrib.layers.make_place_holder_tensors_for_base_features(columns)
    return {
        "found": {getattr(key, "name", key): value for key, value in tensors.items()},
        "sequence": list(of_sequence),
        "spec": {key: [type(feature).__name__, feature.dtype.name, getattr(feature, "default_value", None)]
                 for key, feature in spec.items()},
        "placeholders": {key: [isinstance(value, tf.SparseTensor), value.dtype.name]
                         for key, value in placeholders.items()},
    }  # fmt: skip


def inferred_columns(tf):
    inferred = tf.contrib.layers.infer_real_valued_columns({"a": tf.ones([2, 3, 4]), "b": tf.ones([2], tf.int32)})
    alone = tf.contrib.layers.infer_real_valued_columns(tf.ones([5, 2]))
    same = tf.contrib.layers.sparse_column_with_hash_bucket("a", 5)
    return [
        sorted(column.key for column in [*inferred, *alone]),
        errors_of(
            lambda: tf.contrib.layers.infer_real_valued_columns(tf.constant(["a"])),
            lambda: tf.contrib.layers.infer_real_valued_columns(_sparse(tf, [1, 2, 3])),
            lambda: tf.contrib.layers.check_feature_columns({"a": same}),
            lambda: tf.contrib.layers.check_feature_columns([same, same]),
            lambda: tf.contrib.layers.check_feature_columns([same]),
        ),
    ]


def column_errors(tf):
    layers = tf.contrib.layers
    real, ids = layers.real_valued_column("size"), layers.sparse_column_with_integerized_feature("place", 5)
    features = _features(tf)
    return errors_of(
        lambda: layers.real_valued_column("a", dimension=0),
        lambda: layers.real_valued_column("a", dimension=2.0),
        lambda: layers.real_valued_column("a", dimension=2, default_value=[1.0]),
        lambda: layers.real_valued_column("a", default_value=1.5, dtype=tf.int32),
        lambda: layers.real_valued_column("a", dtype=tf.string),
        lambda: layers.sparse_column_with_hash_bucket("a", 0),
        lambda: layers.sparse_column_with_hash_bucket("a", 5, dtype=tf.float32),
        lambda: layers.sparse_column_with_hash_bucket("a", 5, hash_keys=[[1]]),
        lambda: layers.sparse_column_with_vocabulary_file("a", "file"),
        lambda: layers.bucketized_column(ids, [0.0]),
        lambda: layers.bucketized_column(real, [1.0, 0.0]),
        lambda: layers.bucketized_column(real, []),
        lambda: layers.crossed_column([ids], 10),
        lambda: layers.crossed_column([ids, real], 10),
        lambda: layers.crossed_column([ids, ids], 1),
        lambda: layers.embedding_column(ids, 2, initializer=1),
        lambda: layers.embedding_column(ids, 2, ckpt_to_load_from="there"),
        lambda: layers.weighted_sparse_column(ids, "weight", tf.string),
        lambda: layers.shared_embedding_columns([], 2),
        lambda: layers.shared_embedding_columns([ids, layers.sparse_column_with_hash_bucket("a", 7)], 2),
        lambda: layers.shared_embedding_columns("place", 2),
        lambda: layers.scattered_embedding_column("a", 0, 2, hash_key=1),
        lambda: layers.scattered_embedding_column("a", 2, 2, hash_key=1, combiner="max"),
        lambda: layers.input_from_feature_columns(features, [ids]),
        lambda: layers.input_from_feature_columns(features, [layers.real_valued_column("absent")]),
        lambda: layers.weighted_sum_from_feature_columns(features, [layers.embedding_column(ids, 2)], 1),
        lambda: layers.create_feature_spec_for_parsing([tf.feature_column.numeric_column("size")]),
    )


def embedding_column_from_a_checkpoint(tf):
    with tempfile.TemporaryDirectory() as folder:
        with tf.Graph().as_default(), tf.Session() as sess:
            saved = tf.get_variable("saved", initializer=numbers(5, 2))
            sess.run(saved.initializer)
            path = tf.train.Saver().save(sess, os.path.join(folder, "saved"))
        with tf.Graph().as_default(), tf.Session() as sess:
            ids = tf.contrib.layers.sparse_column_with_integerized_feature("place", 5)
            column = tf.contrib.layers.embedding_column(ids, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="saved")
            net = tf.contrib.layers.input_from_feature_columns(_features(tf), [column])
            sess.run(tf.global_variables_initializer())
            computed = sess.run(net)
    return lambda _: computed


def targets(tf):
    features = {"weight": tf.constant([[1.0], [0.0], [2.0]])}
    logits, classes = tf.constant(numbers(3, 1)), tf.constant([[1], [0], [1]])
    several, values = tf.constant(numbers(3, 4)), tf.constant(numbers(3, seed=1))
    accuracy = tf.contrib.metrics.streaming_accuracy
    binary = tf.contrib.layers.multi_class_target(2, weight_column_name="weight")
    many = tf.contrib.layers.multi_class_target(4)
    number = tf.contrib.layers.regression_target(weight_column_name="weight")
    metrics = {
        "binary": binary.get_eval_ops(features, logits, classes),
        "many": many.get_eval_ops(features, several, classes, {("mine", "classes"): accuracy}),
        "number": number.get_eval_ops(
            features, logits, values, {"mse": tf.contrib.metrics.streaming_mean_squared_error}
        ),
    }
    results = {
        "losses": [
            binary.loss(logits, classes, features), binary.training_loss(logits, classes, features),
            many.loss(several, classes, features), many.training_loss(several, classes, features),
            number.loss(logits, values, features), number.training_loss(logits, values, features),
        ],
        "predictions": [
            binary.logits_to_predictions(logits, proba=True), many.logits_to_predictions(several),
            number.logits_to_predictions(logits),
        ],
    }  # fmt: skip
    errors = errors_of(
        lambda: tf.contrib.layers.multi_class_target(1),
        lambda: many.loss(several, tf.constant([0.0, 1.0, 2.0]), features),
        lambda: binary.get_eval_ops(features, logits, classes, {("a", "b"): accuracy}),
    )

    def run(sess):
        sess.run([update for of_kind in metrics.values() for _, update in of_kind.values()])
        values = {kind: {name: value for name, (value, _) in of_kind.items()} for kind, of_kind in metrics.items()}
        return [sess.run([results, values]), errors]

    return run
