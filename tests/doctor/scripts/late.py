"""Lists the devices, which starts the GPUs; all settings after that come too late."""

import os

import tensorflow as tf
from tensorflow.python.client import device_lib

v1 = tf.compat.v1
print(len(device_lib.list_local_devices()), "devices")
config = v1.ConfigProto(intra_op_parallelism_threads=3)
config.gpu_options.per_process_gpu_memory_fraction = 0.25
for _ in range(2):
    v1.Session(config=config, graph=tf.Graph()).close()
graph = tf.Graph()
with graph.as_default(), v1.Session() as session:
    session.run(tf.constant(1.0) + 1.0)
os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
try:
    gpus = tf.config.experimental.list_physical_devices("GPU")
    tf.config.experimental.set_memory_growth(gpus[0], True)
except RuntimeError as error:
    print(error)
