"""A task of a TF1 cluster: `tf1_server.py INDEX CLUSTER`, the cluster in JSON: {"worker": ["host:port", …]}.

Task 0 runs a graph in which each task uses its GPU.
"""

import json
import sys

from tf1mem.v1.python.ops import gen_array_ops

import tf1mem.v1 as tf

index, cluster = int(sys.argv[1]), json.loads(sys.argv[2])
config = tf.ConfigProto()
config.gpu_options.visible_device_list = str(index)
config.gpu_options.per_process_gpu_memory_fraction = 0.25
server = tf.train.Server(cluster, job_name="worker", task_index=index, config=config)
print("up", flush=True)
if index:
    server.join()
allocations = []
for task in range(2):
    with tf.device(f"/job:worker/task:{task}/gpu:0"):
        allocations.append(gen_array_ops.empty([1 << 20], tf.float32, init=False).op)
with tf.Session(server.target) as session:
    session.run(allocations)
print("done", flush=True)
