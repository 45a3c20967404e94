"""SavedModels of Keras, and their files, as tf.contrib.saved_model had it."""
