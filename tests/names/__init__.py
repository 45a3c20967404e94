"""Tests of the tables of TensorFlow's names, and what generates them."""
