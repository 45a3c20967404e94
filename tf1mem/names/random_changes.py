"""Records calls after which random numbers differ from TensorFlow 1's, for the report of `tf1mem run`."""

from __future__ import annotations

_lines: dict[str, str] = {}  # function -> its line of the report


def note(function: str, line: str) -> None:
    """Records a call after which random numbers were drawn; only the first call of each function.

    Args:
        function: The function, as the program writes it, "tf.scan", or "the gradients of tf.scan".
        line: The program's line that calls it, "train.py:12", or "" if there is none.
    """
    place = f" at {line}" if line else ""
    _lines.setdefault(function, f"seeds: random numbers drawn after {function}{place} differ from TensorFlow 1's")


def as_text() -> str:
    """Returns one line for each function, or "" if there is none."""
    return "\n".join(_lines.values())
