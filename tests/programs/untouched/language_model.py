"""Finetunes a causal attention model by accumulated gradients, and samples from it in a while_loop."""

import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib.training import HParams

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 4
hparams = HParams(n_vocab=0, n_ctx=16, n_embd=24, n_head=3, n_layer=2)
hparams.parse("n_vocab=50")


def norm(x, scope, epsilon=1e-5):
    with tf.variable_scope(scope):
        g = tf.get_variable("g", [x.shape[-1].value], initializer=tf.constant_initializer(1))
        b = tf.get_variable("b", [x.shape[-1].value], initializer=tf.constant_initializer(0))
        u = tf.reduce_mean(x, axis=-1, keepdims=True)
        return (x - u) * tf.rsqrt(tf.reduce_mean(tf.square(x - u), axis=-1, keepdims=True) + epsilon) * g + b


def conv1d(x, scope, nf):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [1, x.shape[-1].value, nf], initializer=tf.random_normal_initializer(stddev=0.02))
        b = tf.get_variable("b", [nf], initializer=tf.constant_initializer(0))
        start = tf.shape(x)[:-1]
        return tf.reshape(
            tf.matmul(tf.reshape(x, [-1, x.shape[-1].value]), tf.reshape(w, [-1, nf])) + b, tf.concat([start, [nf]], 0)
        )


def attend(x, scope):
    with tf.variable_scope(scope):

        def heads(t):
            shape = tf.concat([tf.shape(t)[:-1], [hparams.n_head, hparams.n_embd // hparams.n_head]], 0)
            return tf.transpose(tf.reshape(t, shape), [0, 2, 1, 3])

        q, k, v = map(heads, tf.split(conv1d(x, "c_attn", 3 * hparams.n_embd), 3, axis=2))
        w = tf.matmul(q, k, transpose_b=True) * tf.rsqrt(tf.cast(v.shape[-1].value, tf.float32))
        nd, ns = tf.shape(w)[-2], tf.shape(w)[-1]
        mask = tf.cast(tf.range(nd)[:, None] >= tf.range(ns) - ns + nd, tf.float32)
        mixed = tf.matmul(tf.nn.softmax(w * mask - 1e10 * (1 - mask)), v)
        merged = tf.transpose(mixed, [0, 2, 1, 3])
        return conv1d(tf.reshape(merged, tf.shape(x)), "c_proj", hparams.n_embd)


def logits_of(tokens):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        wte = tf.get_variable(
            "wte", [hparams.n_vocab, hparams.n_embd], initializer=tf.random_normal_initializer(stddev=0.02)
        )
        wpe = tf.get_variable(
            "wpe", [hparams.n_ctx, hparams.n_embd], initializer=tf.random_normal_initializer(stddev=0.01)
        )
        h = tf.gather(wte, tokens) + tf.gather(wpe, tf.range(tf.shape(tokens)[1]))
        h.set_shape([None, None, hparams.n_embd])
        for layer in range(hparams.n_layer):
            with tf.variable_scope("h%d" % layer):
                h = h + attend(norm(h, "ln_1"), "attn")
                h = h + conv1d(tf.nn.relu(conv1d(norm(h, "ln_2"), "c_fc", 48)), "c_proj2", hparams.n_embd)
                h.set_shape([None, None, hparams.n_embd])
        flat = tf.matmul(tf.reshape(norm(h, "ln_f"), [-1, hparams.n_embd]), wte, transpose_b=True)
        return tf.reshape(flat, tf.concat([tf.shape(tokens), [hparams.n_vocab]], 0))


tf.set_random_seed(23)
context = tf.placeholder(tf.int32, [2, None])
loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=context[:, 1:], logits=logits_of(context)[:, :-1])
)
variables = tf.trainable_variables()
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in variables]
count = tf.Variable(0.0, trainable=False)
clear = tf.group(count.assign(0.0), *[s.assign(tf.zeros_like(s)) for s in sums])
gradients = tf.gradients(loss, variables)
gather = tf.group(count.assign_add(1.0), *[s.assign_add(g) for s, g in zip(sums, gradients)])
train = tf.train.AdamOptimizer(1e-2).apply_gradients([(s / count, v) for s, v in zip(sums, variables)])


def longer(tokens):
    logits = logits_of(tokens)[:, -1]
    values, _ = tf.nn.top_k(logits, k=8)
    logits = tf.where(logits < values[:, -1, None], tf.ones_like(logits) * -1e10, logits)
    return [tf.concat([tokens, tf.multinomial(logits, num_samples=1, output_dtype=tf.int32, seed=24)], 1)]


sampled = tf.while_loop(
    lambda tokens: tf.shape(tokens)[1] < 10, longer, [context[:, :4]], shape_invariants=[tf.TensorShape([2, None])],
    parallel_iterations=1, back_prop=False,
)  # fmt: skip
random = np.random.RandomState(25)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        sess.run(clear)
        for _ in range(2):
            value, _ = sess.run([loss, gather], {context: np.cumsum(random.randint(1, 3, [2, 12]), 1)})
        sess.run(train)
        print("step %d loss %.9g" % (step, value))
    print("sampled", sess.run(sampled, {context: np.arange(8).reshape(2, 4)}).tolist())
