"""Programs of many shapes that train, for the proof that verify calls a program the same on both TensorFlows."""

from __future__ import annotations

_START = """\
import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
rng = np.random.RandomState(0)
"""
# Loops that train `loss` by `train`, with `feeds` for each step.
_LOOP = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        print(sess.run([train, loss], feeds(step))[1])
"""
_ADAM = "train = tf.train.AdamOptimizer(0.01).minimize(loss)\n"
_VECTORS = """\
x = tf.placeholder(tf.float32, [None, 12])
y = tf.placeholder(tf.float32, [None, 3])
def feeds(step):
    return {x: rng.rand(16, 12), y: np.eye(3)[rng.randint(0, 3, 16)]}
"""
_DENSE = "h = tf.layers.dense(x, 20, tf.nn.relu)\nz = tf.layers.dense(h, 3)\n"
_SOFTMAX = "loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=z))\n"
_SEQUENCES = """\
x = tf.placeholder(tf.float32, [8, 10, 6])
y = tf.placeholder(tf.float32, [8, 3])
lengths = tf.placeholder(tf.int32, [8])
def feeds(step):
    return {x: rng.rand(8, 10, 6), y: np.eye(3)[rng.randint(0, 3, 8)], lengths: rng.randint(1, 11, 8)}
"""
_IMAGES = """\
x = tf.placeholder(tf.float32, [None, 12, 12, 3])
y = tf.placeholder(tf.float32, [None, 3])
def feeds(step):
    return {x: rng.rand(6, 12, 12, 3), y: np.eye(3)[rng.randint(0, 3, 6)]}
"""
_ON_IMAGES = "z = tf.layers.dense(tf.layers.flatten(h), 3)\n" + _SOFTMAX
_WORDS = """\
words = tf.placeholder(tf.int32, [8])
near = tf.placeholder(tf.int32, [8, 1])
def feeds(step):
    return {words: rng.randint(0, 50, 8), near: rng.randint(0, 50, (8, 1))}
table = tf.get_variable("table", [50, 8], initializer=tf.random_uniform_initializer(-1, 1))
weights = tf.get_variable("weights", [50, 8])
biases = tf.get_variable("biases", [50], initializer=tf.zeros_initializer())
h = tf.nn.embedding_lookup(table, words)
"""


def _trained(*parts: str) -> str:
    return "".join([_START, *parts, _LOOP])


def _of_cell(cell: str) -> str:
    outputs = "_, state = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)\n"
    last = "z = tf.layers.dense(tf.concat(tf.contrib.framework.nest.flatten(state), 1), 3)\n"
    return _trained(_SEQUENCES, f"cell = {cell}\n", outputs, last, _SOFTMAX, _ADAM)


# Name -> source.
EQUAL = {
    "a decaying rate": _trained(
        _VECTORS, _DENSE, _SOFTMAX,
        "count = tf.train.get_or_create_global_step()\n"
        "rate = tf.train.exponential_decay(0.1, count, 2, 0.5, staircase=True)\n"
        "train = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=count)\n",
    ),
    "moving averages": _trained(
        _VECTORS, _DENSE, _SOFTMAX,
        "step = tf.train.AdamOptimizer(0.01).minimize(loss)\naverages = tf.train.ExponentialMovingAverage(0.9)\n"
        "with tf.control_dependencies([step]):\n    train = averages.apply(tf.trainable_variables())\n",
    ),
    "contrib.layers": _trained(
        _VECTORS, "h = tf.contrib.layers.fully_connected(x, 20, normalizer_fn=tf.contrib.layers.layer_norm)\n"
        "z = tf.contrib.layers.fully_connected(h, 3, activation_fn=None)\n", _SOFTMAX,
        "train = tf.contrib.layers.optimize_loss(loss, None, 0.05, 'Adam', clip_gradients=1.0)\n",
    ),
    "lstm": _of_cell("tf.nn.rnn_cell.LSTMCell(9, use_peepholes=True)"),
    "dropout without seeds": _of_cell(  # dropout in a loop: iterations have to draw in order
        "tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(9), 0.8, "
        "state_keep_prob=0.7) for _ in range(2)])"
    ),
    "random images": _START + (
        "def changed(image):\n    return tf.image.random_brightness(tf.image.random_flip_left_right(image), 0.3)\n"
        "data = tf.data.Dataset.from_tensor_slices(rng.rand(24, 6, 6, 1).astype('float32'))\n"
        "data = data.map(changed, num_parallel_calls=4).batch(8).repeat()\n"
        "images = data.make_one_shot_iterator().get_next()\nimages = tf.map_fn(changed, images)\n"
        "z = tf.layers.dense(tf.layers.flatten(images), 1)\nloss = tf.reduce_mean(tf.square(z - 1))\n"
        "train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)\nfeeds = lambda step: {}\n"
    ) + _LOOP,
    "both directions": _trained(
        _SEQUENCES, "cells = [tf.contrib.rnn.GRUCell(5), tf.contrib.rnn.GRUCell(5)]\n"
        "h, _ = tf.nn.bidirectional_dynamic_rnn(*cells, inputs=x, sequence_length=lengths, dtype=tf.float32)\n"
        "z = tf.layers.dense(tf.reduce_max(tf.concat(h, 2), 1), 3)\n", _SOFTMAX, _ADAM,
    ),
    "ctc": _trained(
        _SEQUENCES, "labels = tf.SparseTensor([[i, 0] for i in range(8)], [i % 3 for i in range(8)], [8, 1])\n"
        "z = tf.layers.dense(x, 4)\nloss = tf.reduce_mean(tf.nn.ctc_loss(labels, z, lengths, time_major=False))\n",
        _ADAM,
    ),
    "crf": _trained(
        _SEQUENCES, "tags = tf.constant(np.random.RandomState(1).randint(0, 4, (8, 10)))\n"
        "fit, _ = tf.contrib.crf.crf_log_likelihood(tf.layers.dense(x, 4), tags, lengths)\n"
        "loss = tf.reduce_mean(-fit)\n", _ADAM,
    ),
    "noise contrast": _trained(
        _WORDS, "loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, near, h, 5, 50))\n",
        "train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)\n",
    ),
    "slim": _trained(
        _IMAGES, "slim = tf.contrib.slim\nwith slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, "
        "weights_regularizer=slim.l2_regularizer(0.001)):\n"
        "    h = slim.max_pool2d(slim.conv2d(x, 6, [3, 3]), [2, 2])\n    h = slim.conv2d(h, 5, [3, 3], stride=2)\n",
        _ON_IMAGES.replace("loss =", "tf.losses.softmax_cross_entropy(y, z)\nloss = tf.losses.get_total_loss() #"),
        "train = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.01))\n",
    ),
    "kinds of convolution": _trained(
        _IMAGES, "h = tf.layers.separable_conv2d(x, 5, 3, activation=tf.nn.leaky_relu)\n"
        "h = tf.layers.conv2d_transpose(h, 4, 3, strides=2, padding='same')\nh = tf.nn.lrn(h)\n"
        "h = tf.layers.average_pooling2d(h, 2, 2)\nh = tf.nn.depthwise_conv2d(h, tf.get_variable('k', [3, 3, 4, 2]), "
        "[1, 1, 1, 1], 'VALID')\n", _ON_IMAGES, _ADAM,
    ),
    "a residual net": _trained(
        _IMAGES, "h = tf.layers.conv2d(x, 4, 3, padding='same')\nfor _ in range(2):\n"
        "    r = tf.layers.batch_normalization(h, training=True)\n"
        "    h += tf.layers.conv2d(tf.nn.relu(r), 4, 3, padding='same', use_bias=False)\n"
        "h = tf.reduce_mean(h, [1, 2], keepdims=True)\n", _ON_IMAGES,
        "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
        "    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)\n",
    ),
    "two adversaries": _trained(
        _VECTORS, "with tf.variable_scope('g'):\n    fake = tf.layers.dense(tf.random_uniform([16, 4]), 12)\n"
        "def judge(data):\n    with tf.variable_scope('d', reuse=tf.AUTO_REUSE):\n"
        "        return tf.layers.dense(tf.layers.dense(data, 8, tf.nn.leaky_relu), 1)\n"
        "real, made = judge(x), judge(fake)\nloss = tf.reduce_mean(tf.nn.softplus(-real) + tf.nn.softplus(made))\n"
        "own = [tf.trainable_variables(scope) for scope in 'dg']\n"
        "train = [tf.train.AdamOptimizer(0.01).minimize(loss, var_list=own[0]),\n"
        "         tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.nn.softplus(-made)), var_list=own[1])]\n",
    ),
    "a policy": _trained(
        _VECTORS, _DENSE, "action = tf.multinomial(z, 1, seed=4)[:, 0]\n"
        "loss = tf.reduce_mean(x[:, 0] * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=z))\n",
        _ADAM,
    ),
    "a target net": _trained(
        _VECTORS, "def net(scope):\n    with tf.variable_scope(scope):\n        return tf.layers.dense(x, 3)\n"
        "z, goal = net('a'), net('b')\nloss = tf.losses.huber_loss(tf.stop_gradient(goal) + y, z)\n"
        "step = tf.train.RMSPropOptimizer(0.01).minimize(loss)\nwith tf.control_dependencies([step]):\n"
        "    train = [b.assign(0.9 * b + 0.1 * a) for a, b in zip(*map(tf.trainable_variables, 'ab'))]\n",
    ),
    "a loop": _trained(
        _VECTORS, "w = tf.get_variable('w', [12, 12])\n"
        "_, h = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), (0, x))\n"
        "h = tf.cond(tf.reduce_sum(y) > 3, lambda: h * 2, lambda: h)\nz = tf.layers.dense(h, 3)\n", _SOFTMAX, _ADAM,
    ),
    # One thread fills each queue, and none shuffles: the order is always the same.
    "queues, a loop and a handle": _START + (
        "data = tf.constant(rng.rand(40, 5), tf.float32)\n"
        "row = tf.train.slice_input_producer([data], shuffle=False, capacity=8)[0]\n"
        "steps = tf.data.make_one_shot_iterator(tf.data.Dataset.range(9))\nhandle = tf.placeholder(tf.string, [])\n"
        "step = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()\n"
        "x = tf.train.batch([row], 8, capacity=16) + tf.cast(step, tf.float32)\nw = tf.get_variable('w', [5, 5])\n"
        "_, h = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), (0, x))\n"
        "loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1) - 1))\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    coordinator = tf.train.Coordinator()\n    threads = tf.train.start_queue_runners(sess, coordinator)\n"
        "    fed = {handle: sess.run(steps.string_handle())}\n"
        "    for _ in range(6):\n        print(sess.run([train, loss], fed)[1])\n"
        "    coordinator.request_stop()\n    coordinator.join(threads)\n"
    ),
    "a monitored session": _START + _VECTORS + _DENSE + _SOFTMAX + (
        "count = tf.train.get_or_create_global_step()\n"
        "train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=count)\n"
        "hooks = [tf.train.StopAtStepHook(6), tf.train.NanTensorHook(loss)]\n"
        "with tf.train.MonitoredTrainingSession(checkpoint_dir='out', hooks=hooks) as sess:\n"
        "    while not sess.should_stop():\n        sess.run([train, loss], feeds(0))\n"
    ),
    "an estimator": _START + (
        "def model(features, labels, mode):\n    h = tf.layers.dense(features['x'], 8, tf.nn.relu)\n"
        "    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(h, 3))\n"
        "    count = tf.train.get_global_step()\n    train = tf.train.AdamOptimizer(0.01).minimize(loss, count)\n"
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)\n"
        "run = tf.estimator.RunConfig('out', tf_random_seed=3)\n"
        "data = {'x': rng.rand(40, 5).astype('float32')}\n"
        "feed = tf.estimator.inputs.numpy_input_fn(data, rng.randint(0, 3, 40), 8, None, shuffle=False)\n"
        "tf.estimator.Estimator(model, config=run).train(feed, steps=6)\n"
    ),
    "a canned estimator": _START + (
        "column = tf.feature_column.numeric_column('x', [5])\n"
        "run = tf.estimator.RunConfig('out', tf_random_seed=3)\ndata = {'x': rng.rand(40, 5).astype('float32')}\n"
        "feed = tf.estimator.inputs.numpy_input_fn(data, rng.randint(0, 3, 40), 8, None, shuffle=False)\n"
        "tf.estimator.DNNClassifier([8, 4], [column], n_classes=3, config=run).train(feed, steps=6)\n"
    ),
    "keras": _START + (
        "k = tf.keras\ninput = k.Input((8, 8, 1))\nh = k.layers.Conv2D(4, 3, activation='elu')(input)\n"
        "h = k.layers.BatchNormalization()(h)\nh = k.layers.GlobalAveragePooling2D()(h)\n"
        "model = k.Model(input, k.layers.Dense(3, 'softmax')(h))\n"
        "model.compile(k.optimizers.SGD(0.05, 0.9), 'sparse_categorical_crossentropy')\n"
        "for _ in range(6):\n    model.train_on_batch(rng.rand(8, 8, 8, 1), rng.randint(0, 3, 8))\n"
    ),
    "keras's lstm": _START + (
        "k = tf.keras\nmodel = k.Sequential([k.layers.Embedding(30, 6, input_length=7), k.layers.LSTM(5), "
        "k.layers.Dense(1)])\nmodel.compile('rmsprop', 'mse')\n"
        "model.fit(rng.randint(0, 30, (48, 7)), rng.rand(48), batch_size=8, epochs=1, shuffle=False, verbose=0)\n"
    ),
    "eager keras": _START.replace("tf.set", "tf.enable_eager_execution()\ntf.set") + (
        "k = tf.keras\nmodel = k.Sequential([k.layers.Dense(5, 'relu', input_shape=(6,)), k.layers.Dense(1)])\n"
        "optimizer = tf.train.MomentumOptimizer(0.05, 0.9)\nfor _ in range(6):\n"
        "    x = tf.constant(rng.rand(16, 6), tf.float32)\n    with tf.GradientTape() as tape:\n"
        "        loss = tf.reduce_mean((model(x) - x[:, :1]) ** 2)\n    weights = model.trainable_variables\n"
        "    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))\n"
    ),
    # TensorFlows add 3,200 numbers in different orders; at step 6 the difference exceeds an input of a ReLU.
    "a batch norm over large batches": _START + (
        "images = np.random.RandomState(0).rand(256, 12, 12, 1).astype('float32')\n"
        "labels = (images.mean(axis=(1, 2, 3)) > 0.5).astype('int64')\n"
        "x, y = tf.placeholder(tf.float32, [None, 12, 12, 1]), tf.placeholder(tf.int64, [None])\n"
        "h = tf.layers.batch_normalization(tf.layers.conv2d(x, 8, 3, activation=tf.nn.relu), training=True)\n"
        "h = tf.nn.dropout(tf.layers.flatten(h), keep_prob=0.8)\n"
        "loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(h, 2))\n"
        "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
        "    train = tf.train.AdamOptimizer(0.01).minimize(loss)\n"
        "def feeds(step):\n    rows = slice(step % 8 * 32, step % 8 * 32 + 32)\n"
        "    return {x: images[rows], y: labels[rows]}\n"
    ) + _LOOP.replace("range(6)", "range(10)"),
}  # fmt: skip
