"""Functions that predict, of what was trained and saved, as tf.contrib.predictor had them."""
