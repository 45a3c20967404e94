"""A Session for the shell: it makes itself the default, so that eval() and run() need none."""
import tensorflow as tf

sess = tf.InteractiveSession(config=tf.ConfigProto(
    gpu_options=tf.GPUOptions(allow_growth=True), log_device_placement=False))

x = tf.Variable([1.0, 2.0], name="x")
a = tf.constant([3.0, 3.0])

x.initializer.run()

sub = tf.subtract(x, a)
print("x - a =", sub.eval())

double = tf.assign(x, x * 2)
for _ in range(3):
    sess.run(double)
print("x     =", x.eval())
print("default session:", tf.get_default_session() is sess)

sess.close()
