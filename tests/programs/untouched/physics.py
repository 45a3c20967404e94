"""Solves u'' = -u by a network whose second derivatives are part of the loss, in float64."""

import sys

import numpy as np
import tensorflow as tf

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


class Solver:
    def __init__(self, layers):
        self.x = tf.placeholder(tf.float64, [None, 1])
        self.weights = [self.xavier(size) for size in zip(layers[:-1], layers[1:])]
        self.biases = [tf.Variable(tf.zeros([1, size], tf.float64)) for size in layers[1:]]
        u = self.network(self.x)
        self.residual = tf.gradients(tf.gradients(u, self.x)[0], self.x)[0] + u
        edges = self.network(tf.constant([[0.0], [np.pi / 2]], tf.float64)) - [[0.0], [1.0]]
        self.loss = tf.reduce_mean(tf.square(self.residual)) + tf.reduce_mean(tf.square(edges))
        self.train = tf.train.AdamOptimizer(0.01).minimize(self.loss)
        config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
        self.sess = tf.Session(config=config)
        self.sess.run(tf.global_variables_initializer())

    def xavier(self, size):
        stddev = np.sqrt(2.0 / sum(size))
        return tf.Variable(tf.truncated_normal(size, stddev=stddev, dtype=tf.float64), dtype=tf.float64)

    def network(self, x):
        for weights, biases in zip(self.weights[:-1], self.biases[:-1]):
            x = tf.tanh(tf.add(tf.matmul(x, weights), biases))
        return tf.add(tf.matmul(x, self.weights[-1]), self.biases[-1])


np.random.seed(16)
tf.set_random_seed(16)
solver = Solver([1, 20, 20, 1])
points = np.random.uniform(0, np.pi / 2, (64, 1))
for step in range(STEPS):
    _, value = solver.sess.run([solver.train, solver.loss], {solver.x: points})
    print("step %d loss %.9g" % (step, value))
print("residual %.9g" % np.abs(solver.sess.run(solver.residual, {solver.x: points[:8]})).max())
