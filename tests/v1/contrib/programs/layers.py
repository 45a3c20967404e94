"""Programs that use tf.contrib.layers."""

import functools

import numpy as np

from tests.v1.contrib.raising import results_of
from tests.v1.contrib.values import numbers


def _images(tf, *shape):
    return tf.constant(numbers(*(shape or (2, 5, 5, 3))))


def _updated(tf, outputs):
    """Returns a function that runs a layer's outputs before and after two steps of the collected updates."""
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)

    def run(sess):
        results = [sess.run(outputs)]
        for _ in range(2):
            sess.run(updates)
        return [*results, len(updates), sess.run([outputs, *tf.global_variables()])]

    return run


_ERRORS = (TypeError, ValueError)  # TensorFlow 1 raised some ValueErrors where TensorFlow 2 raises TypeErrors


def regularizers(tf):
    w = tf.constant(numbers(3, 4))
    layers = tf.contrib.layers
    both = [tf.contrib.layers.l1_regularizer(0.5), None, tf.contrib.layers.l2_regularizer(0.1)]
    return {
        "l1": both[0](w),
        "l2": both[2](w),
        "l1_l2": tf.contrib.layers.l1_l2_regularizer(0.5, 0.1)(w),
        "sum": tf.contrib.layers.sum_regularizer(both)(w),
        "nothing": layers.l2_regularizer(0.0)(w),
    }


def initializers(tf):
    kinds = {
        "xavier": tf.contrib.layers.xavier_initializer(seed=1),
        "xavier_normal": tf.contrib.layers.xavier_initializer_conv2d(uniform=False, seed=1),
        "scaling": tf.contrib.layers.variance_scaling_initializer(factor=1.0, mode="FAN_OUT", seed=1),
    }
    drawn = {name: initializer([50, 100]) for name, initializer in kinds.items()}
    return lambda sess: {name: sess.run(tf.norm(value)) for name, value in drawn.items()}


def penalties(tf):
    w = tf.get_variable("w", [2, 3], collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.WEIGHTS])
    summed = tf.contrib.layers.apply_regularization(tf.contrib.layers.l2_regularizer(0.5))
    other = tf.contrib.layers.apply_regularization(lambda _: None, [w, w])
    return [summed, other, results_of(lambda: tf.contrib.layers.apply_regularization(lambda each: each))]


def convolutions(tf):
    x = _images(tf)
    plain = tf.contrib.layers.conv2d(x, 4, 3)
    apart = tf.contrib.layers.convolution2d(
        x,
        4,
        [3, 2],
        stride=2,
        padding="VALID",
        activation_fn=tf.nn.elu,
        weights_regularizer=tf.contrib.layers.l2_regularizer(0.1),
        biases_regularizer=tf.contrib.layers.l1_regularizer(0.1),
        variables_collections={"weights": ["mine"], "biases": ["others"]},
        outputs_collections="outputs",
        scope="apart",
    )
    again = tf.contrib.layers.conv2d(x, 4, [3, 2], reuse=True, scope="apart", variables_collections=["mine"])
    bare = tf.contrib.layers.convolution(x, 2, 1, biases_initializer=None, activation_fn=None, trainable=False)
    return [plain, apart, again, bare, [each.op.name for each in (plain, apart, again, bare)]]


def sizes_given_as_floats(tf):
    cells = {
        name: tf.nn.dynamic_rnn(cell(6 / 2), tf.constant(numbers(2, 4, 3)), dtype=tf.float32, scope=name)[0]
        for name, cell in {
            "lstm": tf.nn.rnn_cell.LSTMCell,
            "gru": tf.nn.rnn_cell.GRUCell,
            "contrib": tf.contrib.rnn.LayerNormBasicLSTMCell,
        }.items()
    }
    return {
        "conv": tf.contrib.layers.conv2d(_images(tf), 6 / 2, [3.0, 3.0], stride=[2.0, 2.0]),
        "numpy": tf.contrib.layers.conv2d(_images(tf), np.float32(4), 3),
        "separable": tf.contrib.layers.separable_conv2d(_images(tf), 4, 3, 1.0),
        "by depth": tf.contrib.layers.separable_conv2d(_images(tf), None, 3, depth_multiplier=2.0),
        "embedded": tf.contrib.layers.embed_sequence([[1, 2]], 5, 4.0),
        "tf.layers": tf.layers.separable_conv1d(tf.constant(numbers(2, 4, 3)), 4.0, 3, depth_multiplier=1.0),
        "variable": tf.get_variable("w", [3, 8 / 2]),
        "placeholder": tf.placeholder(tf.float32, [None, 8 / 2]).shape.as_list(),
        "not whole": results_of(lambda: tf.contrib.layers.separable_conv2d(_images(tf), 4, 3, 1.5))[0] in _ERRORS,
        **cells,
    }


def convolutions_with_batch_norm(tf):
    x = _images(tf)
    layers = tf.contrib.layers
    with tf.contrib.framework.arg_scope(
        [layers.conv2d, layers.fully_connected], normalizer_fn=layers.batch_norm, normalizer_params={"scale": True}
    ), tf.contrib.framework.arg_scope([layers.batch_norm], is_training=False):
        y = tf.contrib.layers.conv2d(x, 4, 3, scope="conv")
        y = tf.contrib.layers.fully_connected(tf.contrib.layers.flatten(y), 3)
    return [y, [each.op.name for each in tf.contrib.framework.get_model_variables()]]


def dilated_convolutions(tf):
    x = _images(tf, 1, 7, 7, 2)
    return [
        tf.contrib.layers.conv2d(x, 3, 3, rate=2),
        tf.contrib.layers.conv2d(x, 3, 3, rate=[2, 1], padding="VALID"),
        tf.contrib.layers.separable_conv2d(x, 3, 3, rate=2),
    ]


def one_and_three_dimensional_convolutions(tf):
    line, volume = _images(tf, 2, 6, 3), _images(tf, 1, 3, 4, 4, 2)
    return [
        tf.contrib.layers.conv1d(line, 4, 3),
        tf.contrib.layers.convolution1d(line, 4, 3, stride=2, padding="VALID"),
        tf.contrib.layers.conv3d(volume, 2, 2),
        tf.contrib.layers.convolution3d(volume, 2, [1, 2, 2], scope="volume"),
        tf.contrib.layers.conv3d_transpose(volume, 2, 2, stride=2),
        tf.contrib.layers.convolution3d_transpose(volume, 3, 2, padding="VALID", scope="back"),
        results_of(
            lambda: tf.contrib.layers.conv2d(line, 4, 3),
            lambda: tf.contrib.layers.conv1d(line, 4, 3, data_format="CWN"),
            lambda: tf.contrib.layers.convolution(tf.zeros([2, 3]), 4, 3),
        ),
    ]


def separable_and_in_plane_convolutions(tf):
    x = _images(tf)
    return [
        tf.contrib.layers.separable_conv2d(x, 4, 3, depth_multiplier=2),
        tf.contrib.layers.separable_convolution2d(x, None, 3, depth_multiplier=2, stride=2, scope="depthwise"),
        tf.contrib.layers.separable_conv2d(
            x, 4, [3, 2], pointwise_initializer=tf.ones_initializer(), normalizer_fn=tf.contrib.layers.layer_norm
        ),
        tf.contrib.layers.separable_conv2d(
            x, None, 2, padding="VALID", weights_regularizer=tf.nn.l2_loss, variables_collections={"weights": ["mine"]}
        ),
        tf.contrib.layers.conv2d_in_plane(x, 3),
        tf.contrib.layers.convolution2d_in_plane(x, [1, 2], stride=2, padding="VALID", scope="plane"),
    ]


def transposed_convolutions(tf):
    x = _images(tf)
    return [
        tf.contrib.layers.conv2d_transpose(x, 4, 3, stride=2),
        tf.contrib.layers.convolution2d_transpose(
            x, 2, [3, 2], padding="VALID", normalizer_fn=tf.contrib.layers.batch_norm, scope="back"
        ),
        results_of(lambda: tf.contrib.layers.conv2d_transpose(x, 4, 3, data_format="HWNC")),
    ]


def pools(tf):
    x, volume = _images(tf), _images(tf, 1, 4, 4, 4, 2)
    pooled = [
        tf.contrib.layers.max_pool2d(x, 2),
        tf.contrib.layers.max_pool2d(x, [3, 2], stride=1, padding="SAME", outputs_collections="outputs", scope="pool"),
        tf.contrib.layers.avg_pool2d(x, 3),
        tf.contrib.layers.avg_pool2d(x, [2, 3], stride=[1, 2], padding="SAME"),
        tf.contrib.layers.max_pool3d(volume, 2),
        tf.contrib.layers.avg_pool3d(volume, [2, 2, 1], padding="SAME"),
    ]
    names = [each.op.name for each in pooled]
    return [pooled, names, pooled[1].aliases, results_of(lambda: tf.contrib.layers.max_pool2d(x, 2, data_format="HW"))]


def fully_connected(tf):
    x = tf.constant(numbers(3, 4))
    deep = tf.constant(numbers(2, 3, 4))
    outputs = [
        tf.contrib.layers.fully_connected(x, 5),
        tf.contrib.layers.fully_connected(deep, 2, activation_fn=tf.tanh, scope="deep"),
        tf.contrib.layers.relu(x, 2),
        tf.contrib.layers.relu6(x, 2),
        tf.contrib.layers.elu(x, 2),
        tf.contrib.layers.linear(x, 2, biases_initializer=None, weights_regularizer=tf.nn.l2_loss),
        tf.contrib.layers.fully_connected(
            x, 3, normalizer_fn=tf.contrib.layers.batch_norm, normalizer_params={"is_training": True}
        ),
    ]
    return [outputs, [each.op.name for each in outputs], results_of(lambda: tf.contrib.layers.fully_connected(x, 2.5))]


def legacy_fully_connected(tf):
    x = tf.constant(numbers(3, 4))
    return [
        tf.contrib.layers.legacy_fully_connected(x, 5),
        tf.contrib.layers.legacy_relu(tf.constant(numbers(2, 3, 4)), 2, weight_regularizer=tf.nn.l2_loss),
        tf.contrib.layers.legacy_linear(x, 2, name="linear", bias_init=None),
        results_of(lambda: tf.contrib.layers.legacy_linear(tf.zeros([3]), 2)),
    ]


def batch_norm(tf):
    return _updated(tf, tf.contrib.layers.batch_norm(_images(tf), decay=0.9, scale=True))


def fused_batch_norm(tf):
    return _updated(tf, tf.contrib.layers.batch_norm(_images(tf), decay=0.9, updates_collections=None))


def fused_batch_norm_without_the_op(tf):
    x = _images(tf)
    outputs = tf.contrib.layers.batch_norm(x, decay=0.9, scale=True, updates_collections=None, fused=False)
    return _updated(tf, outputs)


def batch_norm_while_training(tf):
    training = tf.placeholder_with_default(True, [])
    x = _images(tf)
    outputs = [
        tf.contrib.layers.batch_norm(x, decay=0.9, is_training=training),
        tf.contrib.layers.batch_norm(x, decay=0.8, is_training=training, updates_collections=None),
        tf.contrib.layers.batch_norm(x, decay=0.7, is_training=training, updates_collections=None, fused=False),
        tf.contrib.layers.batch_norm(x, decay=0.6, is_training=training, updates_collections="mine", fused=False),
    ]
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection("mine")

    def run(sess):
        results = [sess.run(outputs, {training: False}), sess.run([outputs, updates])[0]]
        return [*results, sess.run(outputs, {training: False}), sess.run(tf.global_variables())]

    return run


def batch_norm_of_other_ranks(tf):
    rows = tf.constant(numbers(4, 3))
    return _updated(
        tf,
        [
            tf.contrib.layers.batch_norm(rows, decay=0.9),
            tf.contrib.layers.batch_norm(rows, decay=0.9, fused=False, center=False),
            tf.contrib.layers.batch_norm(tf.constant(numbers(2, 4, 3)), decay=0.9),
            tf.contrib.layers.batch_norm(tf.constant(numbers(2, 2, 2, 2, 3)), decay=0.9),
        ],
    )


def batch_norm_with_a_zero_debiased_mean(tf):
    x = _images(tf)
    return _updated(
        tf,
        [
            tf.contrib.layers.batch_norm(x, decay=0.9, zero_debias_moving_mean=True),
            tf.contrib.layers.batch_norm(x, decay=0.9, zero_debias_moving_mean=True, fused=False, scope="other"),
        ],
    )


def weighted_batch_norm(tf):
    weights = tf.constant([1.0, 3.0])
    x = _images(tf)
    return _updated(
        tf,
        [
            tf.contrib.layers.batch_norm(x, decay=0.9, batch_weights=weights, scale=True),
            tf.contrib.layers.batch_norm(
                tf.transpose(x, [0, 3, 1, 2]), decay=0.9, batch_weights=weights, data_format="NCHW"
            ),
            tf.contrib.layers.batch_norm(
                tf.transpose(x, [0, 3, 1, 2]), decay=0.9, updates_collections=None, fused=False, data_format="NCHW"
            ),
        ],
    )


def batch_renorm(tf):
    x = _images(tf)
    clipping = {"rmax": 2.0, "rmin": 0.5, "dmax": 1.0}
    return _updated(
        tf,
        [
            tf.contrib.layers.batch_norm(x, renorm=True, renorm_clipping=clipping, renorm_decay=0.9, decay=0.8),
            # This call raises; `x` takes the place of its outputs.
            results_of(lambda: tf.contrib.layers.batch_norm(x, renorm=True, updates_collections=None)) and x,
        ],
    )


def batch_norm_with_initializers_and_regularizers(tf):
    x = _images(tf)
    initializers = {
        "beta": tf.constant_initializer(0.5),
        "gamma": tf.constant_initializer(2.0),
        "moving_mean": tf.constant_initializer(0.1),
        "moving_variance": tf.constant_initializer(3.0),
    }
    regularizers = {"beta": tf.nn.l2_loss, "gamma": tf.nn.l2_loss}
    outputs = []
    for updates in (tf.GraphKeys.UPDATE_OPS, None):
        for fused in (True, False):
            outputs.append(
                tf.contrib.layers.batch_norm(
                    x,
                    scale=True,
                    is_training=False,
                    param_initializers=initializers,
                    param_regularizers=regularizers,
                    updates_collections=updates,
                    fused=fused,
                    activation_fn=tf.nn.relu,
                    variables_collections={"beta": ["betas"], "moving_mean": ["means"]},
                    outputs_collections="outputs",
                )
            )
    return outputs


def batch_norm_with_an_adjustment(tf):
    return tf.contrib.layers.batch_norm(_images(tf), adjustment=lambda shape: (tf.constant(2.0), tf.constant(0.5)))


def reused_batch_norm(tf):
    x = _images(tf)
    outputs = [tf.contrib.layers.batch_norm(x, scope="bn"), tf.contrib.layers.batch_norm(x + 1, scope="bn", reuse=True)]
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
        outputs.append(tf.contrib.layers.batch_norm(x, updates_collections=None, trainable=False))
    return outputs


def batch_norm_errors(tf):
    unknown = tf.placeholder(tf.float32, [None, None])
    return results_of(
        lambda: tf.contrib.layers.batch_norm(unknown),
        lambda: tf.contrib.layers.batch_norm(tf.placeholder(tf.float32), updates_collections=None),
        lambda: tf.contrib.layers.batch_norm(unknown, data_format="CHWN"),
        lambda: tf.contrib.layers.batch_norm(_images(tf), renorm=True, updates_collections=None),
    )


def layer_norm(tf):
    x = _images(tf)
    return [
        tf.contrib.layers.layer_norm(x),
        tf.contrib.layers.layer_norm(x, center=False, begin_norm_axis=-1, activation_fn=tf.nn.relu),
        tf.contrib.layers.layer_norm(x, scale=False, begin_params_axis=1, variables_collections=["mine"]),
        tf.contrib.layers.layer_norm(tf.cast(x, tf.float16), scope="half"),
        results_of(
            lambda: tf.contrib.layers.layer_norm(x, begin_params_axis=4),
            lambda: tf.contrib.layers.layer_norm(tf.placeholder(tf.float32, [2, None])),
            lambda: tf.contrib.layers.layer_norm(tf.placeholder(tf.float32)),
        ),
    ]


def instance_norm(tf):
    x = _images(tf)
    return [
        tf.contrib.layers.instance_norm(x),
        tf.contrib.layers.instance_norm(tf.transpose(x, [0, 3, 1, 2]), data_format="NCHW", activation_fn=tf.nn.relu),
        tf.contrib.layers.instance_norm(x, center=False, param_initializers={"gamma": tf.constant_initializer(2.0)}),
        results_of(
            lambda: tf.contrib.layers.instance_norm(tf.placeholder(tf.float32)),
            lambda: tf.contrib.layers.instance_norm(x, data_format="HW"),
        ),
    ]


def group_norm(tf):
    x = _images(tf, 2, 3, 3, 6)
    layers = tf.contrib.layers
    return [
        tf.contrib.layers.group_norm(x, groups=3),
        layers.group_norm(tf.transpose(x, [0, 3, 1, 2]), 2, channels_axis=1, reduction_axes=[2, 3], scope="first"),
        layers.group_norm(x, groups=2, mean_close_to_zero=True, scale=False, activation_fn=tf.nn.relu),
        layers.group_norm(tf.placeholder_with_default(numbers(2, 3, 3, 6), [None, 3, 3, 6]), groups=6),
        results_of(
            lambda: layers.group_norm(x, groups=4),
            lambda: layers.group_norm(x, groups=7),
            lambda: layers.group_norm(x, groups=2, channels_axis=4),
            lambda: layers.group_norm(x, groups=2, reduction_axes=[1, 3]),
        ),
    ]


def biases(tf):
    x = _images(tf)
    return [
        tf.contrib.layers.bias_add(x, initializer=tf.constant_initializer(0.5), activation_fn=tf.nn.relu),
        tf.contrib.layers.bias_add(tf.transpose(x, [0, 3, 1, 2]), data_format="NCHW", regularizer=tf.nn.l2_loss),
        results_of(lambda: tf.contrib.layers.bias_add(tf.zeros([2, 3]), data_format="NCHW")),
    ]


def dropout(tf):
    x = tf.constant(numbers(20, 20))
    training = tf.placeholder_with_default(False, [])
    kept = [
        tf.contrib.layers.dropout(x, is_training=False),
        tf.contrib.layers.dropout(x, is_training=training, outputs_collections="outputs"),
        tf.contrib.layers.dropout(x, keep_prob=1.0),
    ]
    some = tf.contrib.layers.dropout(tf.ones([50, 50]), keep_prob=0.8, noise_shape=[50, 1], seed=1, scope="some")

    def run(sess):
        value = sess.run(some)
        rows = [len(set(row)) for row in value.tolist()]
        return sess.run(kept), sorted({round(float(each), 4) for each in value.ravel()}), max(rows)

    return run


def shapes(tf):
    x = _images(tf)
    unknown = tf.placeholder_with_default(numbers(2, 3, 4), [None, 3, 4])
    return {
        "flat": tf.contrib.layers.flatten(x, outputs_collections="outputs"),
        "flat of unknown": [tf.contrib.layers.flatten(unknown), tf.contrib.layers.flatten(unknown).shape],
        "sequence": tf.contrib.layers.images_to_sequence(x),
        "sequence of channels first": tf.contrib.layers.images_to_sequence(x, data_format="NCHW"),
        "images": tf.contrib.layers.sequence_to_images(tf.constant(numbers(4, 6, 2)), 3),
        "images, channels first": tf.contrib.layers.sequence_to_images(
            tf.constant(numbers(4, 6, 2)), 2, output_data_format="channels_first"
        ),
        "sparse": tf.contrib.layers.dense_to_sparse(tf.constant([[1, 0, 2], [0, 0, 3]])),
        "sparse but for 3": tf.contrib.layers.dense_to_sparse(tf.constant([[1, 3, 2], [0, 0, 3]]), eos_token=3),
        "one hot": tf.contrib.layers.one_hot_encoding(tf.constant([0, 2]), 3, on_value=2.0, off_value=-1.0),
        "maxout": tf.contrib.layers.maxout(tf.constant(numbers(3, 6)), 2),
        "maxout in the middle": tf.contrib.layers.maxout(unknown, 3, axis=1),
        "unit": tf.contrib.layers.unit_norm(x, 1, epsilon=0.1),
        "softmax": tf.contrib.layers.softmax(x),
        "errors": results_of(
            lambda: tf.contrib.layers.maxout(tf.zeros([3, 5]), 2),
            lambda: tf.contrib.layers.unit_norm(x, 4),
        ),
    }


def spatial_softmax(tf):
    x = _images(tf)
    return [
        tf.contrib.layers.spatial_softmax(x),
        tf.contrib.layers.spatial_softmax(x, temperature=0.5, name="cold", trainable=False),
        tf.contrib.layers.spatial_softmax(tf.transpose(x, [0, 3, 1, 2]), data_format="NCHW"),
    ]


def scale_gradient(tf):
    v = tf.get_variable("v", [3])
    return tf.contrib.layers.scale_gradient(v * v, 0.25)


def repeat_and_stack(tf):
    x = _images(tf)
    layers = tf.contrib.layers
    y = tf.contrib.layers.repeat(x, 2, layers.conv2d, 4, 3)
    y = tf.contrib.layers.repeat(y, 2, functools.partial(layers.conv2d, kernel_size=1), 2, scope="named")
    y = tf.contrib.layers.stack(layers.flatten(y), layers.relu, [3, 2])
    y = tf.contrib.layers.stack(y, layers.fully_connected, [[4, tf.tanh], (2, None)], scope="two")
    return [y, results_of(lambda: layers.stack(x, layers.conv2d, 3))]


def divisive_normalization(tf):
    x = _images(tf)
    layer = tf.contrib.layers.GDN(inverse=True, gamma_init=0.3, name="inverse")
    return [
        tf.contrib.layers.gdn(x),
        layer(x + 0.5),
        tf.contrib.layers.gdn(tf.constant(numbers(2, 4, 3)), beta_min=0.1, name="lines"),
        results_of(lambda: tf.contrib.layers.gdn(x, data_format="first")),
    ]


def embed_sequence_and_bow_encoder(tf):
    ids = tf.constant([[1, 2, 0], [3, 3, 1]])
    layers = tf.contrib.layers
    outputs = [
        tf.contrib.layers.embed_sequence(ids, 5, 4),
        layers.embed_sequence(ids, 5, 4, unique=True, scope="unique"),
        layers.embed_sequence(ids, scope="unique", reuse=True),
        tf.contrib.layers.bow_encoder(ids, 5, 4),
        layers.bow_encoder(ids, 5, 4, sparse_lookup=False, regularizer=tf.nn.l2_loss, scope="dense"),
        layers.bow_encoder(layers.dense_to_sparse(ids), 5, 4, trainable=False, scope="sparse"),
    ]
    return outputs + results_of(lambda: layers.embed_sequence(ids), lambda: layers.bow_encoder(ids, 5, 0))


def embeddings(tf):
    weights = [tf.get_variable("a", [3, 2]), tf.get_variable("b", [2, 2])]
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, -1, 4], tf.int64), [4, 2])
    amounts = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [2.0, 1.0, 0.5], [4, 2])
    lookup = tf.contrib.layers.safe_embedding_lookup_sparse
    return [
        tf.contrib.layers.safe_embedding_lookup_sparse(weights, ids),
        lookup(weights, ids, amounts, combiner="sqrtn", default_id=2),
        lookup(weights, ids, amounts, combiner="sum", max_norm=0.1),
        tf.contrib.layers.embedding_lookup_unique(weights, tf.constant([[4, 0], [0, 0]], tf.int64)),
        results_of(lambda: lookup(None, ids), lambda: lookup([], ids)),
    ]


def optimize_loss(tf):
    def train(**options):
        with tf.Graph().as_default() as graph:
            a = tf.get_variable("a", initializer=numbers(3))
            b = tf.get_variable("b", initializer=numbers(2, seed=1))
            step = tf.train.get_or_create_global_step()
            counted = tf.get_variable("counted", [], initializer=tf.zeros_initializer(), trainable=False)
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counted.assign_add(1.0))
            loss = tf.reduce_sum(tf.square(a)) * 3 + tf.reduce_sum(tf.abs(b))
            rate = options.pop("learning_rate", 0.1)
            op = tf.contrib.layers.optimize_loss(loss, step, rate, options.pop("optimizer", "SGD"), **options)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(2):
                    sess.run(op)
                summaries = [each.op.name for each in graph.get_collection(tf.GraphKeys.SUMMARIES)]
                names = [each.op.name for each in tf.global_variables()]
                return [sess.run(tf.global_variables()), names, summaries]

    gradient = tf.train.GradientDescentOptimizer
    all_summaries = tf.contrib.layers.OPTIMIZER_SUMMARIES
    return [
        *(train(optimizer=name) for name in sorted(tf.contrib.layers.OPTIMIZER_CLS_NAMES)),
        train(optimizer=gradient, clip_gradients=0.5, summaries=all_summaries, name="mine"),
        train(optimizer=gradient(0.2), learning_rate=None, gradient_multipliers={"a:0": 0.5}),
        train(optimizer=lambda rate: gradient(rate / 2), learning_rate_decay_fn=lambda rate, step: rate / 2),
        train(optimizer=lambda: gradient(0.3), learning_rate=None, increment_global_step=False, update_ops=[]),
        train(clip_gradients=lambda pairs: [(g * 0.1, v) for g, v in pairs]),
        results_of(
            lambda: train(optimizer="None"),
            lambda: train(learning_rate=1),
            lambda: train(learning_rate=-0.5),
            lambda: train(learning_rate=None),
            lambda: train(summaries=["all"]),
            lambda: train(clip_gradients=3),
            lambda: train(optimizer=lambda rate: 3),
            lambda: train(optimizer=3),
        ),
    ]


def summaries(tf):
    x = tf.constant(numbers(2, 3), name="x")
    activations = [tf.nn.relu(x), tf.nn.relu6(x * 9), tf.tanh(x)]
    tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, activations[2])
    tf.add_to_collection("mine", x)
    tf.add_to_collection("mine", tf.constant(3.0, name="three"))
    for activation in activations:
        tf.contrib.layers.summarize_activation(activation)
    none = tf.contrib.layers.summarize_tensor(tf.constant("text"))
    tf.contrib.layers.summarize_tensors([x, tf.constant(2.0, name="two")])
    tf.contrib.layers.summarize_collection("mine", name_filter="th")
    tf.contrib.layers.summarize_activations()
    tf.get_variable("v", initializer=numbers(2))
    tf.contrib.layers.summaries.summarize_variables()
    names = [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    of_zeros = tf.get_default_graph().get_tensor_by_name("Mean:0")
    return [none, names, of_zeros]


def reversible_blocks(tf):
    def dense(x, side=None):
        y = tf.layers.dense(x, 3, activation=tf.tanh)
        return y + side[0] if side else y

    x1, x2 = tf.constant(numbers(2, 3)), tf.constant(numbers(2, 3, seed=1))
    shift = tf.get_variable("shift", initializer=numbers(3, seed=2), use_resource=True)
    side = [tf.identity(shift)]
    with tf.variable_scope("side"):
        aside = tf.contrib.layers.rev_block(x1, x2, dense, [dense, dense], num_layers=2, f_side_input=side)
    with tf.variable_scope("plain"):
        plain = tf.contrib.layers.rev_block(x1, x2, dense, dense, is_training=False)
    block = tf.contrib.layers.RevBlock(dense, dense, num_layers=2, name="block")
    ys = block.forward(x1, x2)
    back = block.backward(*ys)
    is_back = [tf.reduce_max(tf.abs(result - x)) < 1e-5 for result, x in zip(back, (x1, x2))]
    return [aside, plain, ys, is_back]


def recompute_grad(tf):
    again = []

    @tf.contrib.layers.recompute_grad
    def layer(x):
        return tf.layers.dense(x, 3, activation=tf.tanh, name="one")

    @tf.contrib.layers.recompute_grad(tupleize_grads=True, use_data_dep=True)
    def told(x, y, is_recomputing=False):
        again.append(is_recomputing)
        return tf.layers.dense(x * y, 2, name="other"), y

    x = tf.constant(numbers(2, 3))
    with tf.variable_scope("scope", use_resource=True):
        result = told(layer(x), tf.constant(numbers(2, 3, seed=1)))
    gradient = tf.gradients(result[0], tf.trainable_variables())
    hidden = tf.constant(1.0)
    errors = []
    for wrong in (lambda: tf.contrib.layers.recompute_grad(lambda: hidden), lambda: layer([1.0])):
        try:
            wrong()
        except ValueError as error:
            errors.append(type(error))
    return [result, gradient, again, errors]
