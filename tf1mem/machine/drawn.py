"""Calls of the program's after which other numbers are drawn than on TensorFlow 1: for the report of `tf1mem run`."""

from __future__ import annotations

_lines: dict[str, str] = {}


def note(what: str, line: str) -> None:
    """Notes a call after which something was drawn; of several of the same kind the first.

    Args:
        what: The function, as the program writes it, "tf.scan", or "the gradients of tf.scan".
        line: The program's line that calls it, "train.py:12"; "" where there is none.
    """
    place = f" at {line}" if line else ""
    _lines.setdefault(what, f"seeds: what is drawn after {what}{place} differs from TensorFlow 1's")


def as_text() -> str:
    """A line for each; "" where there is nothing to say."""
    return "\n".join(_lines.values())
