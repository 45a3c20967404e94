"""The one place that patches TensorFlow."""
