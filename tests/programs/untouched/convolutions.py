"""Classifies small pictures by convolutions with batch normalization, and dropout."""

import sys

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5

tf.set_random_seed(1)
images = tf.placeholder(tf.float32, [None, 24, 24, 3], name="images")
labels = tf.placeholder(tf.int64, [None], name="labels")
training = tf.placeholder_with_default(False, [], name="training")

net = images
for number, filters in enumerate((16, 32)):
    net = tf.layers.conv2d(net, filters, 3, padding="same", use_bias=False, name="conv%d" % number)
    net = tf.nn.relu(tf.layers.batch_normalization(net, training=training, scale=False, name="norm%d" % number))
    net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.layers.dense(tf.layers.flatten(net), 64, activation=tf.nn.relu)
logits = tf.layers.dense(tf.layers.dropout(net, 0.5, training=training), 10)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits) + 1e-4 * tf.add_n(
    [tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name]
)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
random = np.random.RandomState(3)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        batch = {images: random.rand(32, 24, 24, 3), labels: random.randint(0, 10, 32), training: True}
        _, value = sess.run([train, loss], feed_dict=batch)
        print("step %d loss %.9g" % (step, value))
    print("evaluated %.9g" % sess.run(loss, feed_dict={images: batch[images], labels: batch[labels]}))
