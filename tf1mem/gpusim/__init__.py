"""Simulated GPUs: a substitute for the CUDA driver, on which TensorFlow's own allocator runs without a GPU."""
