"""Put some of the ops on the CPU by hand (tf.device)."""
import tensorflow as tf

with tf.device("/cpu:0"):
    a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name="a")
    b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name="b")
# No device here: TensorFlow chooses one, the GPU if there is one.
c = tf.matmul(a, b, name="c")

config = tf.ConfigProto(log_device_placement=True, allow_soft_placement=False)
config.gpu_options.allow_growth = True

with tf.Session(config=config) as sess:
    print(sess.run(c))

for tensor in [a, b, c]:
    print(tensor.name, "was asked for on", tensor.device or "any device")
