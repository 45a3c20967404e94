"""Predicts the next letter by an LSTM and a GRU layer in one dynamic_rnn; each step starts from the last state."""

import sys

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
BATCH, TIMES, LETTERS, UNITS = 16, 20, 50, 64

tf.set_random_seed(6)
inputs = tf.placeholder(tf.int32, [BATCH, TIMES])
targets = tf.placeholder(tf.int32, [BATCH, TIMES])
lengths = tf.placeholder(tf.int32, [BATCH])
cells = [tf.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=True), tf.nn.rnn_cell.GRUCell(UNITS)]
cells = [
    tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=0.9, variational_recurrent=True, dtype=tf.float32, seed=7)
    for cell in cells
]
cell = tf.nn.rnn_cell.MultiRNNCell(cells)
first = cell.zero_state(BATCH, tf.float32)

with tf.variable_scope("letters", initializer=tf.random_uniform_initializer(-0.1, 0.1)):
    embedding = tf.get_variable("embedding", [LETTERS, UNITS])
    outputs, last = tf.nn.dynamic_rnn(
        cell, tf.nn.embedding_lookup(embedding, inputs), sequence_length=lengths, initial_state=first
    )
    kernel = tf.get_variable("kernel", [UNITS, LETTERS])
    logits = tf.matmul(tf.reshape(outputs, [-1, UNITS]), kernel)
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(targets, [-1]), logits=logits)
mask = tf.reshape(tf.sequence_mask(lengths, TIMES, dtype=tf.float32), [-1])
loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
variables = tf.trainable_variables()
gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
train = tf.train.AdamOptimizer(0.01).apply_gradients(zip(gradients, variables))

random = np.random.RandomState(8)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    state = sess.run(first)
    for step in range(STEPS):
        text = random.randint(0, LETTERS, [BATCH, TIMES + 1])
        feed = {inputs: text[:, :-1], targets: text[:, 1:], lengths: random.randint(5, TIMES + 1, BATCH)}
        for part, value in zip(tf.contrib.framework.nest.flatten(first), tf.contrib.framework.nest.flatten(state)):
            feed[part] = value
        _, value, size, state = sess.run([train, loss, norm, last], feed)
        print("step %d loss %.9g norm %.9g" % (step, value, size))
