"""tf.contrib.testing: what tests ask of the summaries that a program wrote."""
