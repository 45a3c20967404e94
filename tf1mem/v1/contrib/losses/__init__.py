"""tf.contrib.losses: losses that take predictions first, weigh by examples, and collect their means."""
