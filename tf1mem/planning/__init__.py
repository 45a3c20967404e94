"""The thinking: which route each setting takes, and why. Pure: no TensorFlow, no effects."""
