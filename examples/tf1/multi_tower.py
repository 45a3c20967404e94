"""Data parallel training: one tower for each GPU, gradients averaged on the CPU."""
from __future__ import absolute_import, division, print_function

import argparse

import numpy as np
import tensorflow as tf

TRUE_W = np.array([[2.0], [-3.0]], dtype=np.float32)
TRUE_B = 0.5


def make_data(n, seed=0):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=[n, 2]).astype(np.float32)
    y = x.dot(TRUE_W) + TRUE_B + 0.01 * rng.normal(size=[n, 1])
    return x, y.astype(np.float32)


def tower_loss(x, y):
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    return tf.losses.mean_squared_error(y, tf.matmul(x, w) + b)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [g for g, _ in grad_and_vars]
        # The variables are shared by the towers, so the first tower's will do.
        average_grads.append((tf.reduce_mean(tf.stack(grads), axis=0), grad_and_vars[0][1]))
    return average_grads


def main(args):
    x_train, y_train = make_data(1024)

    with tf.Graph().as_default(), tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.placeholder(tf.float32, [None, 1])
        opt = tf.train.GradientDescentOptimizer(args.learning_rate)

        tower_grads, tower_losses = [], []
        x_parts, y_parts = tf.split(x, args.num_gpus), tf.split(y, args.num_gpus)
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(args.num_gpus):
                with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                    loss = tower_loss(x_parts[i], y_parts[i])
                    tf.get_variable_scope().reuse_variables()
                    tower_losses.append(loss)
                    tower_grads.append(opt.compute_gradients(loss))

        train_op = opt.apply_gradients(average_gradients(tower_grads))
        mean_loss = tf.add_n(tower_losses) / args.num_gpus

        # Without soft placement this would stop on machines with fewer GPUs.
        config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=args.log_device_placement)
        config.gpu_options.allow_growth = True
        sess = tf.Session(config=config)
        sess.run(tf.global_variables_initializer())

        for step in range(args.steps):
            batch = np.random.RandomState(step).choice(len(x_train), args.batch_size)
            _, loss_value = sess.run([train_op, mean_loss], feed_dict={x: x_train[batch], y: y_train[batch]})
            if step % 20 == 0 or step == args.steps - 1:
                print("step %3d  loss %.5f" % (step, loss_value))

        w, b = sess.run(tf.trainable_variables())
        print("%d towers, %d variables" % (args.num_gpus, len(tf.global_variables())))
        print("w = %s (should be %s), b = %.2f (should be %.2f)" % (
            np.round(w.ravel(), 2), TRUE_W.ravel(), b[0], TRUE_B))
        sess.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_gpus", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=64, help="over all towers")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--learning_rate", type=float, default=0.1)
    parser.add_argument("--log_device_placement", action="store_true")
    main(parser.parse_args())
