"""Images in tf.keras: their transformations and the nets for them, compared with TensorFlow 1.15.5's."""
