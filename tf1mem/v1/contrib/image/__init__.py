"""tf.contrib.image: images turned, moved and warped."""
