"""Reverses sequences of numbers as tests/programs/untouched/seq2seq.py does; a loop takes contrib.seq2seq's place."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

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
    mask = tf.sequence_mask(lengths, TIMES, dtype=tf.float32)
    values = memory * mask[:, :, None]
    keys = tf.layers.dense(values, UNITS, use_bias=False, name="keys")
    score = tf.get_variable("score", [UNITS])
    queries, mixing, projection = (tf.layers.Dense(size, use_bias=False) for size in (UNITS, UNITS, WORDS))
    cell = tf.nn.rnn_cell.LSTMCell(UNITS)
    shifted = tf.concat([tf.fill([BATCH, 1], 1), target[:, :-1]], 1)
    embedded = tf.transpose(tf.nn.embedding_lookup(embedding, shifted), [1, 0, 2])
    longest = tf.reduce_max(lengths)
    inputs = tf.TensorArray(tf.float32, TIMES).unstack(embedded)

    def advance(time, finished, state, attention, written):
        output, state_after = cell(tf.concat([inputs.read(time), attention], 1), state)
        scores = tf.reduce_sum(score * tf.tanh(keys + queries(output)[:, None]), 2)
        alignments = tf.nn.softmax(tf.where(mask > 0, scores, tf.fill(tf.shape(scores), -np.inf)))
        context = tf.reduce_sum(alignments[:, :, None] * values, 1)
        attention_after = mixing(tf.concat([output, context], 1))
        state = tf.nn.rnn_cell.LSTMStateTuple(*[tf.where(finished, *pair) for pair in zip(state, state_after)])
        logits = tf.where(finished, tf.zeros([BATCH, WORDS]), projection(attention_after))
        attention = tf.where(finished, attention, attention_after)
        return time + 1, time + 1 >= lengths, state, attention, written.write(time, logits)

    start = (0, tf.equal(lengths, 0), last, tf.zeros([BATCH, UNITS]), tf.TensorArray(tf.float32, longest))
    written = tf.while_loop(lambda time, *_: time < longest, advance, start)[-1]

logits = tf.transpose(written.stack(), [1, 0, 2])
weights = tf.sequence_mask(lengths, longest, dtype=tf.float32)
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target[:, :longest], logits=logits)
loss = tf.reduce_sum(losses * weights) / (tf.reduce_sum(weights) + 1e-12)
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
