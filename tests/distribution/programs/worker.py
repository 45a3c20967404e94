"""A worker of MultiWorkerMirroredStrategy that uses only the GPU of its rank, like programs for Horovod."""

import json
import os

import tensorflow as tf

import tf1mem

rank = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
config = tf.compat.v1.ConfigProto()
config.gpu_options.visible_device_list = str(rank)
config.gpu_options.per_process_gpu_memory_fraction = 0.25
config.gpu_options.allow_growth = True
tf1mem.apply(config)

collectives = tf.distribute.experimental
options = collectives.CommunicationOptions(implementation=collectives.CommunicationImplementation.RING)
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
assert strategy.num_replicas_in_sync == 2
with strategy.scope():
    weights = tf.Variable(tf.ones([512, 512]))


@tf.function
def step():
    def replica():
        weights.assign_sub(weights * 0.5)
        return tf.reduce_sum(weights)

    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica), axis=None)


for _ in range(3):
    step()
