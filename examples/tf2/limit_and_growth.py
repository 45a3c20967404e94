"""Limit and growth together: start small, grow as needed, stop at 2 GiB.

TensorFlow 1 could do this; TensorFlow 2's own `set_memory_growth` and `memory_limit` exclude each other.
"""

import tensorflow as tf

import tf1mem

tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=2048))

kept = []
for mib in (1, 16, 64):
    kept.append(tf.zeros([mib, 256, 1024]))
    print("holding", sum(tensor.shape[0] for tensor in kept), "MiB in", kept[-1].device)

gpus = tf.config.list_logical_devices("GPU")
for gpu in gpus:
    # TensorFlow 2.5 and up can say what it uses; `nvidia-smi` shows what it has taken.
    if hasattr(tf.config.experimental, "get_memory_info"):
        in_use = tf.config.experimental.get_memory_info(gpu.name.split("device:")[-1])["current"]
        print(f"{gpu.name}: {in_use / 2**20:.0f} MiB in use, 2048 at most")
if not gpus:
    print("There is no GPU on this machine: this was the CPU's memory, which has no limit.")

print(tf1mem.report())
