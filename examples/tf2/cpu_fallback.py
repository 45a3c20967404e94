"""Code that names a GPU, on a machine that has none: soft placement lets it run on the CPU.

`--cpu` hides the machine's GPUs, so that every machine prints the same.
"""

import argparse

import tensorflow as tf

import tf1mem

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cpu", action="store_true", help="hide all GPUs")
args = parser.parse_args()

if args.cpu:
    # TensorFlow 1's way of saying it. A dict in the shape of a ConfigProto does, too.
    config = {"device_count": {"GPU": 0}, "allow_soft_placement": True}
else:
    config = tf1mem.config(allow_growth=True, soft_placement=True)
tf1mem.apply(config)

with tf.device("/GPU:0"):
    a = tf.reshape(tf.range(6.0), [2, 3])
    product = tf.matmul(a, a, transpose_b=True)

print(product.numpy())
if "GPU" in product.device:
    print("ran on the GPU, as asked:", product.device)
elif tf.config.list_physical_devices("GPU"):
    print("asked for a GPU, all are hidden, ran on", product.device)
else:
    print("asked for a GPU, there is none, ran on", product.device)
print(tf1mem.report())
