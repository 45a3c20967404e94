"""Reads the facts about TensorFlow, CUDA and the GPUs without starting them."""
