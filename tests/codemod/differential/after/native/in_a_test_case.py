"""The Sessions of a test case."""

import tf1mem
import tensorflow as tf


class ConstantTest(tf.test.TestCase):
    def test_one(self):
        config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=1)
        config.gpu_options.allow_growth = True
        with self.test_session(config=tf1mem.apply(config)) as sess:
            self.assertEqual(sess.run(tf.constant(1)), 1)


if __name__ == "__main__":
    tf.test.main()
