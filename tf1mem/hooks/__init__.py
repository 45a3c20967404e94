"""The only package that patches TensorFlow: a finder for its modules, and wrappers for its functions."""
