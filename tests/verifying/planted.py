"""A program that trains, and differences planted in it, each with the expected finding of verify."""

from __future__ import annotations

from typing import NamedTuple

BASE = """\
import numpy as np
import tensorflow as tf

tf.set_random_seed(3)
rng = np.random.RandomState(0)
images = rng.rand(60, 8, 8, 2).astype("float32")
labels = (images.mean((1, 2, 3)) > 0.5).astype("int64")
data = tf.data.Dataset.from_tensor_slices((images, labels))
data = data.shuffle(60, seed=5)
data = data.batch(16)
data = data.repeat()
x, y = data.make_one_shot_iterator().get_next()
rate = tf.placeholder(tf.float32, [], "rate")
x = tf.image.resize_bilinear(x, [10, 10])
x = x / 0.5 - 1.0
h = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu)
h = tf.layers.batch_normalization(h, momentum=0.9, training=True)
h = tf.layers.max_pooling2d(h, 2, 2)
h = tf.layers.flatten(h)
h = tf.layers.dense(h, 8, activation=tf.nn.tanh, kernel_initializer=tf.glorot_uniform_initializer())
h = tf.nn.dropout(h, keep_prob=0.8)
w = tf.get_variable("w", [8, 8])
h = tf.matmul(h, w)
z = tf.layers.dense(h, 2)
loss = tf.losses.sparse_softmax_cross_entropy(y, z)
loss = loss + 1e-3 * tf.nn.l2_loss(w)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(z, 1), y), tf.float32))
optimizer = tf.train.AdamOptimizer(rate, beta1=0.9, epsilon=1e-8)
variables = tf.trainable_variables()
gradients = tf.gradients(loss, variables)
gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = optimizer.apply_gradients(zip(gradients, variables))
saver = tf.train.Saver()
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.5
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, "./first")
    saver.restore(sess, path)
    for step in range(6):
        feeds = {rate: 0.02 * 0.9**step}
        print(sess.run([train, loss, accuracy], feeds)[1:])
"""


class Planted(NamedTuple):
    """A planted difference.

    Attributes:
        name: The name of the difference.
        old: The text of `BASE` that is replaced.
        new: The text in its place.
        kind: The kind of the first difference.
        says: Words that must all be in the report of the difference.
    """

    name: str
    old: str
    new: str
    kind: str
    says: tuple[str, ...]


PLANTED = (
    Planted("activation", "tf.nn.relu", "tf.nn.elu", "op", ("Relu, now Elu", "program.py:16", "new.py:16")),
    Planted("activation of a dense layer", "tf.nn.tanh", "tf.nn.sigmoid", "op", ("Tanh, now Sigmoid",)),
    Planted("no activation", ", activation=tf.nn.tanh", "", "op", ("program.py:20",)),
    Planted("learning rate", "0.02 * 0.9", "0.03 * 0.9", "feed", ("rate:0", "step 0")),
    Planted("decay of the learning rate", "0.9**step", "0.8**step", "feed", ("rate:0", "step 1")),
    Planted("learning rate in the graph", "Optimizer(rate,", "Optimizer(0.5 * rate,", "update", ("learning rate",)),
    Planted("epsilon of Adam", "epsilon=1e-8", "epsilon=1e-3", "update", ("epsilon",)),
    Planted("beta1", "beta1=0.9", "beta1=0.8", "update", ("beta1",)),
    Planted(
        "another optimizer",
        "tf.train.AdamOptimizer(rate, beta1=0.9, epsilon=1e-8)",
        "tf.train.RMSPropOptimizer(rate)",
        "update",
        ("optimizer differs: ApplyAdam has become ApplyRMSProp",),
    ),
    Planted("seed", "set_random_seed(3)", "set_random_seed(4)", "seed", ("seed is 3", "4")),
    Planted("no seed", "tf.set_random_seed(3)\n", "", "seed", ("seed is 3",)),
    Planted("order of data", "seed=5", "seed=6", "data", ("IteratorGetNext",)),
    Planted("no shuffle", "data = data.shuffle(60, seed=5)\n", "", "data", ("IteratorGetNext",)),
    Planted("a dropped last batch", "batch(16)", "batch(16, drop_remainder=True)", "data", ("step 3",)),
    Planted("another batch size", "batch(16)", "batch(12)", "data", ("step 0", "shape")),
    Planted("one batch without end", "data.repeat()", "data.take(1).repeat()", "data", ("step 1",)),
    Planted("other data", "RandomState(0)", "RandomState(1)", "data", ("step 0",)),
    Planted(
        "glorot made he",
        "tf.glorot_uniform_initializer()",
        "tf.keras.initializers.he_uniform()",
        "first values",
        ("dense/kernel",),
    ),
    Planted(
        "a bias of ones",
        "tf.layers.dense(h, 2)",
        "tf.layers.dense(h, 2, bias_initializer=tf.ones_initializer())",
        "first values",
        ("dense_1/bias",),
    ),
    Planted(
        "stddev",
        'tf.get_variable("w", [8, 8])',
        'tf.get_variable("w", [8, 8], initializer=tf.random_normal_initializer(stddev=0.3))',
        "first values",
        ("w:0",),
    ),
    Planted(
        "a missing update op",
        "tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS))",
        "tf.control_dependencies([])",
        "update",
        ("moving_mean", "isn't updated"),
    ),
    Planted("momentum of batch norm", "momentum=0.9", "momentum=0.99", "op", ("batch_normalization",)),
    Planted(
        "epsilon of batch norm", "momentum=0.9,", "momentum=0.9, epsilon=1e-5,", "op", ("FusedBatchNorm", "epsilon")
    ),
    Planted("batch norm at rest", "training=True", "training=False", "op", ("FusedBatchNorm",)),
    Planted("dropout's rate", "keep_prob=0.8", "keep_prob=0.2", "op", ("dropout",)),
    Planted("dropout left out", "h = tf.nn.dropout(h, keep_prob=0.8)", "h = tf.identity(h)", "op", ("program.py:21",)),
    Planted(
        "half precision",
        "h = tf.matmul(h, w)",
        "h = tf.cast(tf.matmul(tf.cast(h, tf.float16), tf.cast(w, tf.float16)), tf.float32)",
        "op",
        ("MatMul",),
    ),
    Planted(
        "a swapped axis", "x = x / 0.5 - 1.0", "x = tf.transpose(x, [0, 2, 1, 3]) / 0.5 - 1.0", "op", ("program.py:15",)
    ),
    Planted(
        "a transposed kernel", "tf.matmul(h, w)", "tf.matmul(h, w, transpose_b=True)", "op", ("MatMul", "transpose_b")
    ),
    Planted(
        "reduction of the loss",
        "sparse_softmax_cross_entropy(y, z)",
        "sparse_softmax_cross_entropy(y, z, reduction=tf.losses.Reduction.SUM)",
        "op",
        ("program.py:25",),
    ),
    Planted(
        "clipping by value",
        "gradients, _ = tf.clip_by_global_norm(gradients, 1.0)",
        "gradients = [tf.clip_by_value(each, -0.1, 0.1) for each in gradients]",
        "op",
        ("clip",),
    ),
    Planted("clipping at another norm", "(gradients, 1.0)", "(gradients, 0.1)", "op", ("clip_by_global_norm",)),
    Planted(
        "a variable that isn't restored",
        "tf.train.Saver()",
        "tf.train.Saver([each for each in tf.global_variables() if each is not w])",
        "restore",
        ("w:0",),
    ),
    Planted("corners", "[10, 10])", "[10, 10], align_corners=True)", "op", ("align_corners", "program.py:14")),
    Planted(
        "nearest neighbour",
        "resize_bilinear",
        "resize_nearest_neighbor",
        "op",
        (
            "ResizeBilinear",
            "ResizeNearestNeighbor",
        ),
    ),
    Planted(
        "label off by one", "cross_entropy(y, z)", "cross_entropy((y + 1) % 2, z)", "op", ("program.py:25", "FloorMod")
    ),
    Planted(
        "stride", "tf.layers.conv2d(x, 4, 3, ", "tf.layers.conv2d(x, 4, 3, dilation_rate=2, ", "op", ("program.py:16",)
    ),
    Planted("kernel size", "conv2d(x, 4, 3", "conv2d(x, 4, 5", "variables", ("conv2d/kernel",)),
    Planted(
        "no bias", "tf.layers.dense(h, 2)", "tf.layers.dense(h, 2, use_bias=False)", "variables", ("dense_1/bias",)
    ),
    Planted(
        "a frozen layer",
        'tf.get_variable("w", [8, 8])',
        'tf.get_variable("w", [8, 8], trainable=False)',
        "variables",
        ("w:0",),
    ),
    Planted("average pooling", "max_pooling2d", "average_pooling2d", "op", ("MaxPool", "AvgPool")),
    Planted("weight of a penalty", "1e-3 *", "1e-2 *", "op", ("program.py:26",)),
    Planted("scale of the input", "x / 0.5", "x / 0.51", "op", ("program.py:15", "0.51")),
    Planted("one step less", "range(6)", "range(5)", "steps", ("6", "5")),
    Planted("growth lost", "config.gpu_options.allow_growth = True\n", "", "setting", ("allow_growth",)),
    Planted("another fraction", "fraction = 0.5", "fraction = 0.8", "setting", ("per_process_gpu_memory_fraction",)),
    Planted(
        "a metric off by one",
        "tf.equal(tf.argmax(z, 1), y)",
        "tf.equal(tf.argmin(z, 1), y)",
        "op",
        ("ArgMax", "ArgMin"),
    ),
)


def planted(each: Planted) -> str:
    """Returns `BASE` with a difference, as a program that imports `tf1mem.v1`."""
    assert BASE.count(each.old) == 1, each
    return new(BASE.replace(each.old, each.new))


def new(text: str) -> str:
    """Returns a program of TensorFlow 1 that imports `tf1mem.v1` in place of TensorFlow."""
    return text.replace("import tensorflow as tf", "import tf1mem.v1 as tf")
