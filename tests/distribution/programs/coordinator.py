"""The coordinator of a parameter server cluster: `coordinator.py CLUSTER`. It has no GPU itself."""

import json
import os
import sys

import tensorflow as tf

import tf1mem

tf1mem.apply({"device_count": {"GPU": 0}})
cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
new = tf.distribute if hasattr(tf.distribute, "ParameterServerStrategy") else tf.distribute.experimental
strategy = new.ParameterServerStrategy(resolver)
new = tf.distribute if hasattr(tf.distribute, "coordinator") else tf.distribute.experimental
coordinator = new.coordinator.ClusterCoordinator(strategy)
with strategy.scope(), tf.device("/cpu:0"):
    weights = tf.Variable(tf.ones([512, 512]), aggregation=tf.VariableAggregation.SUM)


@tf.function
def step():
    def replica():
        with tf.device("/gpu:0"):
            return tf.reduce_sum(weights * 0.5)

    return strategy.run(replica)


for _ in range(12):
    coordinator.schedule(step)
coordinator.join()
print("done", flush=True)
os._exit(0)  # else it would report the servers' end as a failure
