"""MNIST: its data, and the model of the tutorial."""

from __future__ import annotations

from tf1mem.v1.examples.tutorials.mnist import input_data, mnist

__all__ = ["input_data", "mnist"]
