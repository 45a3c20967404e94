"""The one place that patches TensorFlow: a finder for its modules, and functions put around its own."""
