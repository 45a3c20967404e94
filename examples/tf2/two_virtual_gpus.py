"""Two virtual GPUs of 2 GiB on one card, to try multi-GPU code with a single one."""

import tensorflow as tf

import tf1mem

tf1mem.apply(tf1mem.config(visible_gpus=[0], split_mib=[2048, 2048]))

physical = tf.config.list_physical_devices("GPU")
logical = tf.config.list_logical_devices("GPU")
print(f"{len(physical)} physical GPUs, {len(logical)} logical GPUs")
if not physical:
    print("There is no GPU on this machine: both halves of the work go to the CPU.")

devices = [device.name for device in logical[:2]] or ["/CPU:0", "/CPU:0"]
halves = tf.split(tf.reshape(tf.range(12.0), [4, 3]), len(devices))
sums = []
for device, half in zip(devices, halves):
    with tf.device(device):
        sums.append(tf.reduce_sum(half * half))
        print(f"sum of squares {sums[-1].numpy():.0f} on {sums[-1].device}")

with tf.device("/CPU:0"):
    print(f"together {tf.add_n(sums).numpy():.0f}")

print(tf1mem.report())
