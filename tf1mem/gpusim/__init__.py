"""Simulated GPUs: a CUDA driver that is not there, on which TensorFlow's own allocator runs."""
