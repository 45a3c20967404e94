"""Rewriting a graph so that it trains for, or runs with, eight bits, as tf.contrib.quantize had it."""
