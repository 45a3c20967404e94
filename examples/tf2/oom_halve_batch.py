"""Out of memory: catch it, halve the batch, go on.

A limit makes this predictable: without one, the batch that fits depends on who else uses the GPU. On a machine
without a GPU the CPU gets an allocator of the GPU's kind (BFC), with the same limit, so that the example works
there, too. Either allocator waits up to 10 seconds for other ops to free memory before it gives up: a first batch that
is far too large costs time.
"""

import argparse
import os

import tensorflow as tf

import tf1mem

LIMIT_MIB = 512
ROW_SHAPE = [256, 1024]  # 1 MiB of float32


def step(batch_size):
    batch = tf.ones([batch_size, *ROW_SHAPE])
    return tf.reduce_mean(batch * 2.0)


def step_that_fits(batch_size):
    """Run a step, with as many rows as there is memory for."""
    while True:
        try:
            return batch_size, step(batch_size)
        except (tf.errors.ResourceExhaustedError, tf.errors.InternalError) as error:
            # A copy to a GPU that is full is an InternalError, and only its text says why.
            if isinstance(error, tf.errors.InternalError) and "Dst tensor is not initialized" not in error.message:
                raise
            print(f"batch of {batch_size}: {type(error).__name__}")
            if batch_size == 1:
                raise
            batch_size //= 2


parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=384, help="the batch to begin with")
args = parser.parse_args()

tf1mem.apply(tf1mem.config(memory_limit_mib=LIMIT_MIB))

if tf.config.list_physical_devices("GPU"):
    print(f"{LIMIT_MIB} MiB of GPU memory")
else:
    print(f"There is no GPU on this machine: {LIMIT_MIB} MiB of the CPU's memory")
    os.environ["TF_CPU_ALLOCATOR_USE_BFC"] = "true"
    os.environ["TF_CPU_BFC_MEM_LIMIT_IN_MB"] = str(LIMIT_MIB)

batch_size, mean = step_that_fits(args.batch_size)
print(f"batch of {batch_size}: fits, mean {mean.numpy():.1f}")
