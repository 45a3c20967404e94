"""A TF1 program as for Horovod, which runs once for each rank: its config has the GPU of its rank."""

import horovod.tensorflow as hvd

import tf1mem.v1 as tf

hvd.init()
config = tf.ConfigProto()
config.gpu_options.visible_device_list = str(hvd.local_rank())
config.gpu_options.allow_growth = True
with tf.Session(config=config) as session:
    session.run(tf.fill([1 << 20], 1.0).op)
