"""Naming a symbol together with the line of the program that asked for it."""

from __future__ import annotations

from tf1mem.hooks import watch


def asked(symbol: str) -> str:
    """The symbol and its line, "tf.contrib.crf, at train.py:12", if a line of the program's is on the stack."""
    filename, line = watch.user_frame()
    return symbol if filename is None else f"{symbol}, at {filename}:{line}"
