"""A container that is configured by environment variables.

    docker run -e TF1MEM_MEMORY_LIMIT_MB=2048 -e TF1MEM_ALLOW_GROWTH=true -e TF1MEM_VISIBLE_GPUS=0 ...

or, without a container, `TF1MEM_MEMORY_LIMIT_MB=2048 python container.py`.
"""

import os
import sys

import tensorflow as tf

import tf1mem

try:
    tf1mem.apply(tf1mem.from_env(os.environ))
except tf1mem.Tf1memError as error:
    # A typo in a deployment should stop it at once, with the variable's name, and not run with all of the GPU.
    sys.exit(f"container.py: {error}")

asked = sorted(name for name in os.environ if name.startswith("TF1MEM_") or name in ("VISIBLE_GPU", "MEMORY_LIMIT_MB"))
print("asked for:", ", ".join(f"{name}={os.environ[name]}" for name in asked) or "nothing")
print("GPUs:", len(tf.config.list_logical_devices("GPU")))
print("ready, 6 * 7 =", int(tf.constant(6) * tf.constant(7)))
print(tf1mem.report())
