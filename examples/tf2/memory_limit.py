"""A hard limit: TensorFlow takes 1 GiB of each GPU and not a byte more."""

import tensorflow as tf

import tf1mem

tf1mem.apply(tf1mem.config(memory_limit_mib=1024))

x = tf.random.stateless_normal([256, 256], seed=[1, 2])
inverse = tf.linalg.inv(x)
print(f"largest error of x @ inv(x): {tf.reduce_max(tf.abs(x @ inverse - tf.eye(256))).numpy():.4f}")

gpus = tf.config.list_logical_devices("GPU")
for gpu in gpus:
    print(gpu.name, "is limited to 1024 MiB")
if not gpus:
    print("There is no GPU on this machine: nothing to limit.")

print(tf1mem.report())
