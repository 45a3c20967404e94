"""tf.contrib.distributions: what tf.distributions hasn't got, of vectors, of one-hot vectors and relaxed ones."""
