"""Fits a series by two layers of fused block LSTMs, time first, over sequences of different lengths."""

import sys

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
TIMES, BATCH, UNITS = 30, 16, 64

tf.set_random_seed(9)
series = tf.placeholder(tf.float32, [TIMES, BATCH, 8])
targets = tf.placeholder(tf.float32, [BATCH, 1])
lengths = tf.placeholder(tf.int32, [BATCH])
lower = tf.contrib.rnn.LSTMBlockFusedCell(UNITS, forget_bias=1.0)
outputs, _ = lower(series, dtype=tf.float32, sequence_length=lengths)
upper = tf.contrib.rnn.LSTMBlockFusedCell(UNITS // 2, use_peephole=True, name="upper")
_, (_, state) = upper(outputs, dtype=tf.float32, sequence_length=lengths)
predicted = tf.layers.dense(state, 1)
loss = tf.losses.huber_loss(targets, predicted)
train = tf.train.AdamOptimizer(1e-2).minimize(loss)

random = np.random.RandomState(10)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        data = random.randn(TIMES, BATCH, 8)
        feed = {series: data, targets: data.sum((0, 2))[:, None] / 10, lengths: random.randint(9, TIMES + 1, BATCH)}
        _, value = sess.run([train, loss], feed)
        print("step %d loss %.9g" % (step, value))
