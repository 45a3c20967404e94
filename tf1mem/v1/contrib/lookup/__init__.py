"""tf.contrib.lookup: tables from strings to ids and back."""
