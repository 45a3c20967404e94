"""Trains the LSTMs of tests/programs/untouched/block_lstm.py, by the op that contrib's LSTMBlockFusedCell calls."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
TIMES, BATCH, UNITS = 30, 16, 64

tf.set_random_seed(9)
series = tf.placeholder(tf.float32, [TIMES, BATCH, 8])
targets = tf.placeholder(tf.float32, [BATCH, 1])
lengths = tf.placeholder(tf.int32, [BATCH])


# `inputs` has shape [TIMES, BATCH, size]. Returns each sequence's last output, [BATCH, units], and all outputs, zero
# behind a sequence's end, [TIMES, BATCH, units].
def layer(name, inputs, size, units, peephole=False):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [size + units, 4 * units])
        bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
        peepholes = [tf.get_variable(n, [units]) if peephole else tf.zeros([units]) for n in ("wci", "wcf", "wco")]
    zeros = tf.zeros([BATCH, units])
    block = tf.raw_ops.BlockLSTM(
        seq_len_max=tf.reduce_max(tf.cast(lengths, tf.int64)),
        x=inputs,
        cs_prev=zeros,
        h_prev=zeros,
        w=kernel,
        wci=peepholes[0],
        wcf=peepholes[1],
        wco=peepholes[2],
        b=bias,
        forget_bias=1.0,
        cell_clip=-1.0,
        use_peephole=peephole,
    )
    mask = tf.transpose(tf.sequence_mask(lengths, TIMES, dtype=tf.float32))[:, :, None]
    return tf.gather_nd(tf.concat([[zeros], block.h], 0), last), block.h * mask


# The indices of the last outputs: `layer` puts a zero output before the first one, so a length is an index.
last = tf.stack([lengths, tf.range(BATCH)], 1)
_, outputs = layer("lower", series, 8, UNITS)
state, _ = layer("upper", outputs, UNITS, UNITS // 2, peephole=True)
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
