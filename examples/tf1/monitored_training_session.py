"""A training loop with hooks: it logs, stops by itself, and goes on from the checkpoint in --logdir if run again."""
import argparse
import tempfile

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--logdir", default=None, help="checkpoints and summaries; a temporary directory if not given")
parser.add_argument("--steps", type=int, default=200, help="steps to train in this run")
parser.add_argument("--gpu_memory_fraction", type=float, default=0.5)


def xor_model(features, labels):
    net = tf.layers.dense(features, 16, activation=tf.nn.tanh, name="hidden",
                          kernel_initializer=tf.random_normal_initializer(seed=3))
    logits = tf.layers.dense(net, 1, name="logits", kernel_initializer=tf.random_normal_initializer(seed=4))
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    accuracy = tf.reduce_mean(tf.to_float(tf.equal(logits > 0, labels > 0.5)))
    return loss, accuracy


def main():
    args = parser.parse_args()
    logdir = args.logdir or tempfile.mkdtemp(prefix="xor")
    tf.logging.set_verbosity(tf.logging.INFO)

    global_step = tf.train.get_or_create_global_step()
    features = tf.constant([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=tf.float32)
    labels = tf.constant([[0], [1], [1], [0]], dtype=tf.float32)
    loss, accuracy = xor_model(features, labels)
    train_op = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=global_step)
    tf.summary.scalar("loss", loss)

    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = args.gpu_memory_fraction

    hooks = [
        tf.train.StopAtStepHook(num_steps=args.steps),
        tf.train.NanTensorHook(loss),
        tf.train.LoggingTensorHook({"step": global_step, "loss": loss}, every_n_iter=50),
    ]
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=logdir, hooks=hooks, config=config,
            save_checkpoint_steps=100, save_summaries_steps=50) as sess:
        first = sess.run(global_step)
        last_loss, last_accuracy = np.nan, np.nan
        while not sess.should_stop():
            _, last_loss, last_accuracy = sess.run([train_op, loss, accuracy])

    print("started at step", first)
    print("loss %.4f, accuracy %.2f" % (last_loss, last_accuracy))
    print("checkpoint:", tf.train.latest_checkpoint(logdir))


if __name__ == "__main__":
    main()
