"""TensorFlow's profiler under its old names, as tf.contrib.tfprof had it."""
