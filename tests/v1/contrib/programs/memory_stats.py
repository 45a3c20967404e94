"""Programs that use tf.contrib.memory_stats; tests/v1/contrib/test_memory_stats.py has those with GPUs."""

from tests.v1.contrib.raising import raised


def without_a_gpu(tf):
    with tf.Graph().as_default():  # TensorFlow 1 refuses to run anything in a graph with these ops
        tf.set_random_seed(1)
        with tf.name_scope("memory"), tf.device("/job:localhost/task:0"):
            ops = [
                tf.contrib.memory_stats.BytesInUse(),
                tf.contrib.memory_stats.MaxBytesInUse(),
                tf.contrib.memory_stats.BytesLimit(),
            ]
        described = [[op.op.name, op.dtype.name, op.shape] for op in ops]
        seed_after = tf.multinomial([[0.0]], 1).op.get_attr("seed2")
        with tf.Session() as sess:
            errors = [raised(tf.errors.InvalidArgumentError, sess.run, op) for op in ops]
    return [described, seed_after, errors]
