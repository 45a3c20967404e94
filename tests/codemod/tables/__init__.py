"""Tests of the codemod's tables of TensorFlow's names."""
