"""Take a fixed share of each GPU, so that several jobs fit on one (per_process_gpu_memory_fraction)."""
import argparse

import numpy as np
import tensorflow as tf


def get_session(gpu_fraction):
    gpu_options = tf.GPUOptions(per_process_gpu_memory_fraction=gpu_fraction)
    return tf.Session(config=tf.ConfigProto(gpu_options=gpu_options))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu_fraction", type=float, default=0.333, help="share of each GPU's memory, 0 to 1")
    args = parser.parse_args()

    a = tf.placeholder(tf.float32, [None, 3])
    b = tf.constant(np.eye(3), dtype=tf.float32)
    c = tf.reduce_sum(tf.matmul(a, b))

    with get_session(args.gpu_fraction) as sess:
        print("sum:", sess.run(c, feed_dict={a: [[1, 2, 3], [4, 5, 6]]}))
        gpus = [d for d in sess.list_devices() if d.device_type == "GPU"]
        for gpu in gpus:
            print("%s has %d MiB, %.1f%% asked for" % (gpu.name, gpu.memory_limit_bytes >> 20, 100 * args.gpu_fraction))
        if not gpus:
            print("no GPU here, ran on the CPU")
