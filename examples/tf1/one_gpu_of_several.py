"""Use one GPU of several. A GPU that is not there is an error, unless soft placement may choose another device."""
import tensorflow as tf

DEVICE = "/device:GPU:2"

with tf.device(DEVICE):
    a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name="a")
    b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name="b")
    c = tf.matmul(a, b)

gpu_options = tf.GPUOptions(allow_growth=True)

try:
    with tf.Session(config=tf.ConfigProto(gpu_options=gpu_options)) as sess:
        print(sess.run(c))
        print("There is a third GPU on this machine.")
except tf.errors.InvalidArgumentError as e:
    reason = [line for line in e.message.splitlines() if "Cannot assign" in line][0]
    print("%s: %s" % (type(e).__name__, reason.split(". Make sure")[0]))

with tf.Session(config=tf.ConfigProto(gpu_options=gpu_options, allow_soft_placement=True)) as sess:
    print("With soft placement:")
    print(sess.run(c))
