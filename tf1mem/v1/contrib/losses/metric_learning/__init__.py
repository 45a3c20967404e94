"""tf.contrib.losses.metric_learning: losses by which embeddings of the same class come near each other."""
