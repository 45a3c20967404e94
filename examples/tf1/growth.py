"""Start with little GPU memory and take more as it is needed (allow_growth)."""
import numpy as np
import tensorflow as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True

x = tf.placeholder(tf.float32, shape=[None, 1024], name="x")
w = tf.Variable(tf.truncated_normal([1024, 10], stddev=0.01, seed=1), name="w")
y = tf.nn.softmax(tf.matmul(x, w))

with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for batch_size in [1, 100, 1000]:
        out = sess.run(y, feed_dict={x: np.ones([batch_size, 1024], dtype=np.float32)})
        print("batch of", batch_size, "->", out.shape, "rows sum to %.3f" % out.sum(axis=1).mean())

    for device in sess.list_devices():
        print(device.name, "may use", device.memory_limit_bytes // 2**20, "MiB")
