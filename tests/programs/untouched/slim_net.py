"""Trains a slim net of residual units, with an arg_scope, batch norm without scale, and slim's train op."""

import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def unit(net, depth, stride):
    shortcut = net
    if stride > 1:
        shortcut = slim.conv2d(net, depth, 1, stride=stride, activation_fn=None, scope="shortcut")
    net = slim.conv2d(net, depth, 3, stride=stride, scope="conv1")
    net = slim.separable_conv2d(net, depth, 3, depth_multiplier=1, activation_fn=None, scope="conv2")
    return tf.nn.relu(shortcut + net)


def network(images, is_training):
    norm = {"is_training": is_training, "decay": 0.9, "epsilon": 1e-3}
    with slim.arg_scope(
        [slim.conv2d, slim.separable_conv2d],
        normalizer_fn=slim.batch_norm,
        normalizer_params=norm,
        weights_regularizer=slim.l2_regularizer(4e-5),
        weights_initializer=slim.variance_scaling_initializer(),
    ):
        net = slim.conv2d(images, 16, 3, stride=2, scope="root")
        for number, (depth, stride) in enumerate([(16, 1), (32, 2), (32, 1)]):
            with tf.variable_scope("unit%d" % number):
                net = unit(net, depth, stride)
    net = slim.dropout(tf.reduce_mean(net, [1, 2]), 0.8, is_training=is_training)
    return slim.fully_connected(net, 10, activation_fn=None, scope="logits")


tf.set_random_seed(4)
images = tf.placeholder(tf.float32, [16, 32, 32, 3])
labels = tf.placeholder(tf.int32, [16])
with tf.variable_scope("net"):
    logits = network(images, is_training=True)
tf.losses.softmax_cross_entropy(tf.one_hot(labels, 10), logits, label_smoothing=0.1)
loss = tf.losses.get_total_loss()
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.05, step, 10, 0.9)
train = slim.learning.create_train_op(loss, tf.train.RMSPropOptimizer(rate, momentum=0.9), clip_gradient_norm=5.0)

random = np.random.RandomState(5)
with tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5))) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(STEPS):
        value = sess.run(train, {images: random.rand(16, 32, 32, 3), labels: random.randint(0, 10, 16)})
        print("step %d loss %.9g" % (sess.run(step), value))
