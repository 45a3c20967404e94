"""Two replicas in one process, each on its own GPU."""

import tensorflow as tf

import tf1mem

tf1mem.apply({"gpu_options": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.25}})
strategy = tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.ReductionToOneDevice())
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
