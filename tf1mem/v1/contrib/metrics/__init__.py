"""tf.contrib.metrics: metrics that are kept from step to step; most take predictions before labels."""
