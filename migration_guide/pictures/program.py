"""The program of the pictures: a TF1 program that holds a given amount of memory in tensors.

    python program.py [--allow_growth] [--memory_fraction 0.4]

It reads lines from its standard input, each a number of MiB. After each it holds that much in tensors of 128 MiB, or as
much as it gets, and reports it in a line of JSON. It mentions neither tf1mem nor TensorFlow 2.
"""

import argparse
import json
import sys

import tensorflow as tf

TENSOR_MIB = 128

parser = argparse.ArgumentParser()
parser.add_argument("--allow_growth", action="store_true")
parser.add_argument("--memory_fraction", type=float)
options = parser.parse_args()

config = tf.ConfigProto()
if options.allow_growth:
    config.gpu_options.allow_growth = True
if options.memory_fraction:
    config.gpu_options.per_process_gpu_memory_fraction = options.memory_fraction
tf.enable_eager_execution(config=config)


def hold(tensors, mib):
    """Frees tensors, or creates more, until there are so many MiB of them; returns the error's name, or None."""
    del tensors[mib // TENSOR_MIB :]
    while len(tensors) * TENSOR_MIB < mib:
        try:
            with tf.device("/gpu:0"):
                tensors.append(tf.fill([TENSOR_MIB, 256, 1024], 1.0))
        except tf.errors.OpError as error:
            return type(error).__name__
    return None


print(json.dumps({"tensorflow": tf.VERSION}), flush=True)
held = []
for line in sys.stdin:
    refused = hold(held, int(line))
    print(json.dumps({"held_mib": len(held) * TENSOR_MIB, "refused": refused}), flush=True)
