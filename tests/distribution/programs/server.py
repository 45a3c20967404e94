"""A task of a parameter server cluster: `server.py JOB INDEX CLUSTER`. Its Server gets no config from the program."""

import json
import sys

import tensorflow as tf

import tf1mem

job, index, cluster = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
if job == "worker":
    tf1mem.apply({"gpu_options": {"visible_device_list": str(index), "per_process_gpu_memory_fraction": 0.25}})
else:
    tf1mem.apply({"device_count": {"GPU": 0}})
server = tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index, protocol="grpc")
print("up", flush=True)
server.join()
