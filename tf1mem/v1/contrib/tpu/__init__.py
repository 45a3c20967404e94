"""TensorFlow 1's contrib.tpu, as it falls back on CPU and GPU."""
