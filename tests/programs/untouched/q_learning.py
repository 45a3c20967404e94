"""Learns by double Q-learning on a small chain of places, with a replay memory, a target network and checkpoints."""

import collections
import os
import shutil
import sys
import tempfile

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
PLACES, ACTIONS = 6, 2


def q_values(states, scope, reuse=None):
    with tf.variable_scope(scope, reuse=reuse):
        net = tf.contrib.layers.fully_connected(states, 16, activation_fn=tf.nn.relu)
        value = tf.contrib.layers.fully_connected(net, 1, activation_fn=None)
        advantage = tf.contrib.layers.fully_connected(net, ACTIONS, activation_fn=None)
        return value + advantage - tf.reduce_mean(advantage, 1, keep_dims=True)


tf.set_random_seed(17)
before = tf.placeholder(tf.float32, [None, PLACES])
after = tf.placeholder(tf.float32, [None, PLACES])
action = tf.placeholder(tf.int32, [None])
reward = tf.placeholder(tf.float32, [None])
q = q_values(before, "online")
best = tf.argmax(q_values(after, "online", reuse=True), 1)
following = tf.reduce_sum(q_values(after, "target") * tf.one_hot(best, ACTIONS), 1)
targets = tf.stop_gradient(reward + 0.9 * following)
chosen = tf.reduce_sum(q * tf.one_hot(action, ACTIONS), 1)
error = tf.where(tf.abs(chosen - targets) < 1.0, tf.square(chosen - targets) * 0.5, tf.abs(chosen - targets) - 0.5)
loss = tf.reduce_mean(error)
online, target = (tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=name) for name in ("online", "target"))
optimizer = tf.train.RMSPropOptimizer(0.01, momentum=0.5)
pairs = [(tf.clip_by_value(gradient, -1.0, 1.0), v) for gradient, v in optimizer.compute_gradients(loss, online)]
train = optimizer.apply_gradients(pairs)
copy = tf.group(*[tf.assign(old, 0.5 * old + 0.5 * new) for old, new in zip(target, online)])
saver = tf.train.Saver(online, max_to_keep=1)

folder = tempfile.mkdtemp()
random = np.random.RandomState(18)
memory, place = collections.deque(maxlen=200), 0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(STEPS):
        for _ in range(10):
            state = np.eye(PLACES)[place]
            greedy = sess.run(q, {before: state[None]}).argmax()
            move = greedy if random.rand() > 0.3 else random.randint(ACTIONS)
            place = min(max(place + 2 * int(move) - 1, 0), PLACES - 1)
            memory.append((state, move, float(place == PLACES - 1), np.eye(PLACES)[place]))
        rows = [memory[number] for number in random.randint(0, len(memory), 16)]
        states, moves, rewards, others = (np.array(column) for column in zip(*rows))
        feed = {before: states, action: moves, reward: rewards, after: others}
        _, value = sess.run([train, loss], feed)
        sess.run(copy)
        path = saver.save(sess, os.path.join(folder, "q"), global_step=step)
        print("step %d loss %.9g in place %d" % (step, value, place))
with tf.Session() as sess:
    saver.restore(sess, tf.train.latest_checkpoint(folder))
    print("restored %.9g" % sess.run(q, {before: np.eye(PLACES)}).sum())
shutil.rmtree(folder)
