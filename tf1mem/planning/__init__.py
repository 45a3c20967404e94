"""Decides which route each setting takes, and why. Pure functions: no TensorFlow, no side effects."""
