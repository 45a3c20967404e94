"""Find out which device every op runs on (log_device_placement)."""
import tensorflow as tf

# Creates a graph.
a = tf.reshape(tf.range(1.0, 7.0), [2, 3], name="a")
b = tf.reshape(tf.range(1.0, 7.0), [3, 2], name="b")
c = tf.matmul(a, b, name="product")

# The placement of each op goes to stderr.
sess = tf.Session(config=tf.ConfigProto(log_device_placement=True))
print(sess.run(c))
sess.close()
