"""tf.contrib.slim's reading of data sets from record files, by queues."""
