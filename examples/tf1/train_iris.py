"""Train a small network on Fisher's irises, with summaries and checkpoints, the way it was done in TensorFlow 1."""
from __future__ import print_function

import csv
import os
import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("data", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "iris.csv"),
                    "CSV file, species in the last column")
flags.DEFINE_string("logdir", None, "Where summaries and checkpoints go. A temporary directory if not given.")
flags.DEFINE_integer("epochs", 60, "Number of passes over the training data")
flags.DEFINE_integer("batch_size", 16, "Batch size")
flags.DEFINE_float("learning_rate", 0.01, "Initial learning rate")
flags.DEFINE_float("keep_prob", 0.9, "1 - dropout rate")
flags.DEFINE_float("gpu_fraction", 0.4, "Share of GPU memory that may be used")
FLAGS = flags.FLAGS


class Iris(object):
    """The data set, split in two, with batches."""

    def __init__(self, path, n_test=30, seed=42):
        with open(path) as f:
            reader = csv.reader(f)
            next(reader)
            rows = [row for row in reader if row]
        self.species = sorted({row[-1] for row in rows})
        x = np.array([row[:-1] for row in rows], dtype=np.float32)
        y = np.array([self.species.index(row[-1]) for row in rows], dtype=np.int64)

        self.rng = np.random.RandomState(seed)
        order = self.rng.permutation(len(x))
        self.x_train, self.y_train = x[order[n_test:]], y[order[n_test:]]
        self.x_test, self.y_test = x[order[:n_test]], y[order[:n_test]]

    def batches(self, batch_size):
        order = self.rng.permutation(len(self.x_train))
        for start in range(0, len(order), batch_size):
            picked = order[start:start + batch_size]
            yield self.x_train[picked], self.y_train[picked]


def fully_connected(x, n_out, name, activation=None):
    with tf.variable_scope(name):
        n_in = int(x.get_shape()[-1])
        w = tf.get_variable("w", [n_in, n_out], initializer=tf.truncated_normal_initializer(stddev=0.3))
        b = tf.get_variable("b", [n_out], initializer=tf.constant_initializer(0.1))
        y = tf.nn.xw_plus_b(x, w, b)
        tf.summary.histogram("weights", w)
        return activation(y) if activation is not None else y


class Model(object):
    def __init__(self, n_features, n_classes, mean, std):
        self.x = tf.placeholder(tf.float32, [None, n_features], name="x")
        self.y = tf.placeholder(tf.int64, [None], name="y")
        self.keep_prob = tf.placeholder_with_default(1.0, [], name="keep_prob")
        self.global_step = tf.Variable(0, trainable=False, name="global_step")

        net = (self.x - mean) / std
        net = fully_connected(net, 16, "fc1", tf.nn.relu)
        net = tf.nn.dropout(net, keep_prob=self.keep_prob)
        net = fully_connected(net, 16, "fc2", tf.nn.relu)
        self.logits = fully_connected(net, n_classes, "logits")

        with tf.name_scope("loss"):
            self.loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=self.logits))
        with tf.name_scope("accuracy"):
            correct = tf.equal(tf.argmax(self.logits, 1), self.y)
            self.accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

        learning_rate = tf.train.exponential_decay(FLAGS.learning_rate, self.global_step, 200, 0.8, staircase=True)
        self.train_op = tf.train.AdamOptimizer(learning_rate).minimize(self.loss, global_step=self.global_step)

        tf.summary.scalar("loss", self.loss)
        tf.summary.scalar("accuracy", self.accuracy)
        tf.summary.scalar("learning_rate", learning_rate)
        self.summaries = tf.summary.merge_all()


def main(_):
    logdir = FLAGS.logdir or tempfile.mkdtemp(prefix="iris-")
    tf.gfile.MakeDirs(logdir)
    tf.set_random_seed(1234)

    iris = Iris(FLAGS.data)
    model = Model(iris.x_train.shape[1], len(iris.species), iris.x_train.mean(axis=0), iris.x_train.std(axis=0))
    saver = tf.train.Saver(max_to_keep=2)

    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = FLAGS.gpu_fraction

    with tf.Session(config=config) as sess:
        train_writer = tf.summary.FileWriter(os.path.join(logdir, "train"), sess.graph)
        test_writer = tf.summary.FileWriter(os.path.join(logdir, "test"))
        sess.run(tf.global_variables_initializer())

        for epoch in range(1, FLAGS.epochs + 1):
            for x, y in iris.batches(FLAGS.batch_size):
                _, summary, step = sess.run(
                    [model.train_op, model.summaries, model.global_step],
                    feed_dict={model.x: x, model.y: y, model.keep_prob: FLAGS.keep_prob})
                train_writer.add_summary(summary, step)

            if epoch % 20 == 0 or epoch == FLAGS.epochs:
                summary, loss, accuracy = sess.run(
                    [model.summaries, model.loss, model.accuracy],
                    feed_dict={model.x: iris.x_test, model.y: iris.y_test})
                test_writer.add_summary(summary, step)
                path = saver.save(sess, os.path.join(logdir, "model.ckpt"), global_step=model.global_step)
                print("epoch %3d  step %4d  test loss %.4f  test accuracy %.4f" % (epoch, step, loss, accuracy))

        train_writer.close()
        test_writer.close()

    # A new Session starts with nothing: everything comes out of the checkpoint.
    with tf.Session(config=config) as sess:
        saver.restore(sess, tf.train.latest_checkpoint(logdir))
        accuracy, step = sess.run([model.accuracy, model.global_step],
                                  feed_dict={model.x: iris.x_test, model.y: iris.y_test})
        print("restored step %d from %s" % (step, os.path.basename(path)))
        print("accuracy after restore: %.4f" % accuracy)

        flower = [[5.9, 3.0, 5.1, 1.8]]
        probabilities = sess.run(tf.nn.softmax(model.logits), feed_dict={model.x: flower})[0]
        print("%s is %s (%.0f%%)" % (flower[0], iris.species[np.argmax(probabilities)], 100 * probabilities.max()))
        for device in sess.list_devices():
            print("%s: %d MiB" % (device.name, device.memory_limit_bytes // 2**20))
    print("logs in", logdir)


if __name__ == "__main__":
    tf.app.run()
