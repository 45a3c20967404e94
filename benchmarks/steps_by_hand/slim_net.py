"""Trains a slim net of residual units, as tests/programs/untouched/slim_net.py does, by tf.layers in place of slim."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def regularize(weights):
    return 4e-5 * tf.nn.l2_loss(weights)


def convolution(net, depth, size, stride=1, *, separable=False, activation=tf.nn.relu, name=None):
    initializer = tf.variance_scaling_initializer(2.0)
    options = {"strides": stride, "padding": "same", "use_bias": False, "name": name}
    if separable:
        net = tf.layers.separable_conv2d(
            net,
            depth,
            size,
            depthwise_initializer=initializer,
            depthwise_regularizer=regularize,
            pointwise_initializer=initializer,
            pointwise_regularizer=regularize,
            **options,
        )
    else:
        net = tf.layers.conv2d(
            net, depth, size, kernel_initializer=initializer, kernel_regularizer=regularize, **options
        )
    net = tf.layers.batch_normalization(net, momentum=0.9, epsilon=1e-3, scale=False, training=True)
    return net if activation is None else activation(net)


def unit(net, depth, stride):
    shortcut = net
    if stride > 1:
        shortcut = convolution(net, depth, 1, stride, activation=None, name="shortcut")
    net = convolution(net, depth, 3, stride, name="conv1")
    net = convolution(net, depth, 3, separable=True, activation=None, name="conv2")
    return tf.nn.relu(shortcut + net)


def network(images):
    net = convolution(images, 16, 3, 2, name="root")
    for number, (depth, stride) in enumerate([(16, 1), (32, 2), (32, 1)]):
        with tf.variable_scope("unit%d" % number):
            net = unit(net, depth, stride)
    net = tf.layers.dropout(tf.reduce_mean(net, [1, 2]), 0.2, training=True)
    return tf.layers.dense(net, 10, name="logits")


tf.set_random_seed(4)
images = tf.placeholder(tf.float32, [16, 32, 32, 3])
labels = tf.placeholder(tf.int32, [16])
with tf.variable_scope("net"):
    logits = network(images)
tf.losses.softmax_cross_entropy(tf.one_hot(labels, 10), logits, label_smoothing=0.1)
loss = tf.losses.get_total_loss()
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.05, step, 10, 0.9)
optimizer = tf.train.RMSPropOptimizer(rate, momentum=0.9)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    checked = tf.check_numerics(loss, "the loss is no number")
pairs = [(tf.clip_by_norm(gradient, 5.0), variable) for gradient, variable in optimizer.compute_gradients(checked)]
with tf.control_dependencies([optimizer.apply_gradients(pairs, global_step=step)]):
    train = tf.identity(checked)

random = np.random.RandomState(5)
with tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5))) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(STEPS):
        value = sess.run(train, {images: random.rand(16, 32, 32, 3), labels: random.randint(0, 10, 16)})
        print("step %d loss %.9g" % (sess.run(step), value))
