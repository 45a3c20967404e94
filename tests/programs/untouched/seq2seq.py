"""Reverses sequences of numbers by an encoder, and a decoder with attention."""

import sys

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
BATCH, TIMES, WORDS, UNITS = 16, 12, 40, 48

tf.set_random_seed(11)
source = tf.placeholder(tf.int32, [BATCH, TIMES])
target = tf.placeholder(tf.int32, [BATCH, TIMES])
lengths = tf.placeholder(tf.int32, [BATCH])
embedding = tf.get_variable("embedding", [WORDS, UNITS])

with tf.variable_scope("encoder"):
    cells = [tf.nn.rnn_cell.LSTMCell(UNITS // 2) for _ in range(2)]
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        cells[0], cells[1], tf.nn.embedding_lookup(embedding, source), lengths, dtype=tf.float32
    )
    memory = tf.concat(outputs, 2)
    last = tf.nn.rnn_cell.LSTMStateTuple(*[tf.concat(pair, 1) for pair in zip(*states)])

with tf.variable_scope("decoder"):
    attention = tf.contrib.seq2seq.BahdanauAttention(UNITS, memory, memory_sequence_length=lengths)
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.LSTMCell(UNITS), attention, attention_layer_size=UNITS)
    first = cell.zero_state(BATCH, tf.float32).clone(cell_state=last)
    shifted = tf.concat([tf.fill([BATCH, 1], 1), target[:, :-1]], 1)
    helper = tf.contrib.seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, shifted), lengths)
    projection = tf.layers.Dense(WORDS, use_bias=False)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, first, output_layer=projection)
    decoded, _, sizes = tf.contrib.seq2seq.dynamic_decode(decoder)

logits = decoded.rnn_output
weights = tf.sequence_mask(lengths, tf.reduce_max(sizes), dtype=tf.float32)
loss = tf.contrib.seq2seq.sequence_loss(logits, target[:, : tf.reduce_max(sizes)], weights)
optimizer = tf.train.AdamOptimizer(0.005)
pairs = [(tf.clip_by_norm(gradient, 2.0), variable) for gradient, variable in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(pairs)

random = np.random.RandomState(12)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        words = random.randint(2, WORDS, [BATCH, TIMES])
        feed = {source: words, target: words[:, ::-1], lengths: random.randint(6, TIMES + 1, BATCH)}
        _, value = sess.run([train, loss], feed)
        print("step %d loss %.9g" % (step, value))
