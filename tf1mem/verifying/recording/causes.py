"""Finds in the text of an error the line that states its cause."""

from __future__ import annotations

import re

# The last line of a stack, before the cause.
_ENDS_STACK = re.compile(r"Node: '|<stack traces unavailable>")
# Lines before the cause that don't state it.
_HEADING = re.compile(r"Graph execution error:|Detected at node|\d+ root error\(s\) found|File \"")
# The number of one of several errors: "(0) INVALID_ARGUMENT: ".
_COUNTED = re.compile(r"^\(\d+\) ")
# Characters of a cause that are kept: some list whole tensors.
_LONGEST = 500


def cause(text: str) -> str:
    """Returns the line of an error's text that states the cause, without the stacks that TensorFlow puts around it.

    A text without such a line is returned whole. Either is cut to 500 characters.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines[:1] == ["in user code:"]:  # AutoGraph's, with the cause after the stack
        return lines[-1][:_LONGEST]
    # TensorFlow 2: "Graph execution error:", the node's stack, "Node: 'Gather'", and then the cause.
    ends = [index for index, line in enumerate(lines[:-1]) if _ENDS_STACK.match(line)]
    after = lines[ends[0] + 1 :] if ends else lines
    causes = (_COUNTED.sub("", line) for line in after if not _HEADING.match(line))
    return next(causes, text.strip())[:_LONGEST]
