"""Reads the lines that a program printed: their text without numbers, and the numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

from tf1mem.verifying.comparing import Number, Point

_REAL = r"(?:(?<![\w.)\]])[-+])?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBER = re.compile(rf"{_REAL}|(?<![\w.])[-+]?(?:nan|inf)(?!\w)")
# Places in source, versions, addresses, dates and times of day. A call of several lines is logged with its last line
# up to Python 3.7, and with its first from 3.8 on. A library's version may have one or two numbers, "TensorFlow 1", but
# "TensorFlow 0.52" is a result.
_NO_NUMBER = re.compile(
    r"(?<=\.py)(?::|\", line )\d+|0x[0-9a-fA-F]+"
    r"|(?i:(?<=\btensorflow )|(?<=\bpython )|(?<=\bnumpy )|(?<=\bkeras ))[1-3](?:\.\d\d?)?(?![\d.eE])"
    r"|(?i:(?<=\bversion )|(?<=\bversion: ))\d[\w.+]*"
    r"|\d+(?:\.\d+){2,}[\w.+]*|\d+([-/])\d{1,2}\1\d+(?:T|\b)|\d+:\d\d(?::\d\d)?(?:[.,]\d+)?"
)
# A time, a rate or an amount of memory: a number before one of these units, or behind one of these words.
_TIME_AFTER = re.compile(
    r"\s*(?:[munµ]?s|secs?|seconds?|min|minutes?|hours?|h)(?![\w.])|\s*[\w.]*/(?:s|sec|second)\b|\s*[kKMGT]i?B\b"
)
_TIME_BEFORE = re.compile(
    r"(?:time|took|elapsed|eta|speed|duration|seconds?|secs?|/s|/step|per[_ ]sec\w*)\W{0,4}$", re.IGNORECASE
)
# NumPy 2's representation of a scalar; older NumPys print the number alone.
_NUMPY = re.compile(r"\bnp\.\w+\(([^()]*)\)")
_COLORS = re.compile(r"\x1b\[[0-9;]*m")
# TensorFlow's lines for log_device_placement: devices and the names of all ops, which differ between versions.
_PLACEMENT = re.compile(r"Device mapping:|/job:\S+ -> |\S+: \(\w+\): ?/job:\S+$")
_LONGEST = 4000


class PrintedLine(NamedTuple):
    """A printed line.

    Attributes:
        text: The line without spaces, with "#" for each number and "~" for each time, version or address.
        numbers: The numbers in the line's order.
    """

    text: str
    numbers: tuple[Number, ...]


def points(text: str, root: str) -> dict[tuple[str, int], Point]:
    """Returns the lines that a program printed: (the text without numbers, its count among equal texts) -> the line.

    Lines in which TensorFlow logs the placement of ops are left out.

    Args:
        text: The printed text.
        root: The folder of the program's own files, whose name differs between the sides.
    """
    counts: dict[str, int] = {}
    read: dict[tuple[str, int], Point] = {}
    for number, raw in enumerate(text.replace(root, ".").split("\n"), 1):
        shown = re.split("[\r\b]", _COLORS.sub("", raw).rstrip("\r\b"))[-1].rstrip()  # a progress bar's last state
        if not shown or _PLACEMENT.match(shown):
            continue
        line = parse(shown[:_LONGEST])
        counts[line.text] = counts.get(line.text, 0) + 1
        read[line.text, counts[line.text]] = Point(str(number), shown[:200], line.numbers)
    return read


def parse(line: str) -> PrintedLine:
    """Returns a line's text and numbers."""
    line = _NO_NUMBER.sub("~", _NUMPY.sub(r"\1", line))
    numbers: list[Number] = []
    parts, end = [], 0
    for match in _NUMBER.finditer(line):
        is_time = _TIME_AFTER.match(line, match.end()) or _TIME_BEFORE.search(line[end : match.start()])
        parts += [line[end : match.start()], "~" if is_time else "#"]
        end = match.end()
        if not is_time:
            numbers.append(_number(match.group()))
    return PrintedLine("".join("".join([*parts, line[end:]]).split()), tuple(numbers))


def _number(text: str) -> Number:
    digits, _, exponent = text.lower().partition("e")
    if "." not in digits and not exponent:
        return Number(float(text), is_whole=digits.lstrip("+-").isdigit())
    places = len(digits.partition(".")[2])
    return Number(float(text), 10.0 ** (int(exponent or 0) - places) if places else 0.0)
