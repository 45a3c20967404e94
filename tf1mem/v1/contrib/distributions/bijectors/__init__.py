"""tf.contrib.distributions.bijectors: functions that turn a distribution into another, and back."""
