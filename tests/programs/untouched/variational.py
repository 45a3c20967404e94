"""Fits a variational autoencoder by contrib.distributions, under a Supervisor with summaries."""

import glob
import os
import shutil
import sys
import tempfile

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
ds = tf.contrib.distributions

tf.set_random_seed(26)
x = tf.placeholder(tf.float32, [None, 20])
with tf.variable_scope("encoder"):
    hidden = tf.contrib.layers.fully_connected(x, 16, activation_fn=tf.nn.softplus)
    mean, scale = tf.split(tf.contrib.layers.fully_connected(hidden, 8, activation_fn=None), 2, axis=1)
q = ds.Normal(mean, tf.nn.softplus(scale) + 1e-3)
prior = ds.Normal(tf.zeros([4]), tf.ones([4]))
z = q.sample(seed=27)
with tf.variable_scope("decoder"):
    hidden = tf.contrib.layers.fully_connected(z, 16, activation_fn=tf.nn.softplus)
    p = ds.Bernoulli(logits=tf.contrib.layers.fully_connected(hidden, 20, activation_fn=None))
likelihood = tf.reduce_sum(p.log_prob(x), 1)
divergence = tf.reduce_sum(ds.kl_divergence(q, prior), 1)
loss = -tf.reduce_mean(likelihood - divergence)
step = tf.train.get_or_create_global_step()
train = tf.contrib.layers.optimize_loss(loss, step, 0.01, "Adam", clip_gradients=5.0, summaries=["loss"])
tf.summary.histogram("z", z)
summary = tf.summary.merge_all()

folder = tempfile.mkdtemp()
random = np.random.RandomState(28)
supervisor = tf.train.Supervisor(logdir=folder, summary_op=None, save_model_secs=0)
with supervisor.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    for _ in range(STEPS):
        feed = {x: random.rand(16, 20) > 0.6}
        _, value, kl, written = sess.run([train, loss, divergence, summary], feed)
        supervisor.summary_computed(sess, written)
        print("step %d loss %.9g divergence %.9g" % (sess.run(step), value, kl.mean()))
events = [event for path in glob.glob(os.path.join(folder, "*tfevents*")) for event in tf.train.summary_iterator(path)]
print(
    "losses written: %d"
    % sum(value.tag == "OptimizeLoss/loss" or value.tag == "loss" for e in events for value in e.summary.value)
)
shutil.rmtree(folder)
