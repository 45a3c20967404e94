"""The plain case without a tree: a TF1 program that imports TensorFlow in plain ways and says nothing of settings.

Most files of an old program are like that, and parsing them would be most of the work on a large tree. What is decided
here is what the rules would decide; whatever isn't plain is left to them. tests/codemod/test_quick.py holds one against
the other.
"""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.codemod.facts import guards
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.paths import shim_module
from tf1mem.codemod.source.tree import OF_WORDS
from tf1mem.codemod.tables import tf1_names
from tf1mem.codemod.tables.evidence import is_evidence, is_tf2_in_use

# Where a string or a comment begins, and where a string on one line ends.
_BEGINS = re.compile(rb"[\"'#]")
_ON_A_LINE = {
    b'"': re.compile(rb"\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"", re.DOTALL),
    b"'": re.compile(rb"'[^'\\\n]*(?:\\.[^'\\\n]*)*'", re.DOTALL),
}
_F_STRING = re.compile(rb"\b(?:[rRbB]?[fF][rRbB]?)[\"']")

# The forms of an import that are decided here, each on a line of its own, at the start of it.
_WHOLE = re.compile(rb"import[ \t]+(tensorflow(?:\.compat\.v1)?)[ \t]+as[ \t]+([A-Za-z_]\w*)(?=[ \t]*(?:\#|\r?\n|\Z))")
_CONTRIB = re.compile(
    rb"(?:import[ \t]+(tensorflow\.(?:contrib|examples)[\w.]*)[ \t]+as[ \t]+\w+(?=[ \t]*(?:\#|\r?\n|\Z))"
    rb"|from[ \t]+(tensorflow\.(?:contrib|examples)[\w.]*)[ \t]+import\b(?![ \t]*\(?[ \t]*\*))"
)
# What stays: what is inside TensorFlow, but for what programs take configs from and Keras by; and TF2's API by name.
_STAYS = re.compile(
    rb"[ \t]*from[ \t]+tensorflow\.python\.(?!client\b|keras\b|estimator\b)[\w.]+[ \t]+import\b"
    rb"|import[ \t]+tensorflow\.compat\.v2[ \t]+as[ \t]+\w+"
)
_NAMED = (b"tensorflow", b"tensorflow_core", b"keras", b"tf1mem")
_DOTTED = re.compile(rb"[A-Za-z_][\w.]*")
# A test of something, and what may be kept for one: see guards.
_TESTS = re.compile(rb"\b(?:if|elif|while)\b")
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_KEYWORD = rb"\b%b[\s\\]*=(?!=)"
# A dotted name that goes on in the next line.
_GOES_ON = re.compile(rb"[\s\\]*\.")


def plain_imports(source: bytes) -> list[Edit] | None:
    """Decides a plain file.

    Args:
        source: Python source, in which none of the words stands that the rules about settings look for.

    Returns:
        The edits that point its imports to tf1mem.v1, in order; none where nothing moves; None where the rules have
        to look.
    """
    whole, contrib, _ = _imports(source)
    if len(whole) > 1 or (b"\r" in source and b"\r" in source.replace(b"\r\n", b"")):
        return None
    code = _code(source)
    if code is None:
        return None
    # Equally many with and without strings and comments: all that were found are code.
    plain = _imports(code)
    if [len(found) for found in plain[:2]] != [len(whole), len(contrib)]:
        return None
    if sum(len(list(_words(code, word))) for word in _NAMED) != sum(map(len, plain)):
        return None
    if not whole:
        return list(_edits(contrib))
    used = _uses(code, whole[0].group(2))
    if used is None or _may_be_guarded(source, code):
        return None
    if any(map(is_tf2_in_use, used)) or b"compat.v2" in code:
        return None
    if any(is_evidence(dotted) for dotted in used):
        return sorted([*_edits(whole), *_edits(contrib)], key=lambda edit: edit.start)
    if contrib or (_F_STRING.search(source) and _is_named_in_text(source, code, whole[0].group(2))):
        return None  # it says so otherwise; or may do so in a string
    return None if any(_may_be_evidence(dotted, code) for dotted in used) else []


def _imports(source: bytes) -> tuple[list[re.Match[bytes]], list[re.Match[bytes]], list[re.Match[bytes]]]:
    """The lines that import TensorFlow, those that import what was contributed to it, and those that stay."""
    forms = (_WHOLE, _CONTRIB, _STAYS)
    found: tuple[list[re.Match[bytes]], ...] = ([], [], [])
    at, line = source.find(b"tensorflow"), -1
    while at >= 0:
        start = source.rfind(b"\n", 0, at) + 1
        if start != line:
            for form, kept in zip(forms, found):
                match = form.match(source, start)
                if match is not None:
                    kept.append(match)
        line, at = start, source.find(b"tensorflow", at + 1)
    return found  # type: ignore[return-value]


def _may_be_guarded(source: bytes, code: bytes) -> bool:
    """Whether anything may be reached on one side of a test of TensorFlow's version only, or tried."""
    if guards.may_try(code):
        return True
    if not guards.may_ask(source):
        return False
    for text in (code, source):
        for found in guards.ASKS.finditer(text):
            start, end = text.rfind(b"\n", 0, found.start()) + 1, text.find(b"\n", found.end())
            line = text[start : end if end >= 0 else len(text)]
            if _TESTS.search(line) or guards.KEPT.search(line) or (text is code and _is_open(code[:start])):
                return True
    # In a string or a comment it may still be in the middle of a test.
    return any(_TESTS.search(line) and _is_open(line) for line in code.split(b"\n"))


def _is_open(code: bytes) -> bool:
    """Whether a statement goes on behind this."""
    return code.rstrip().endswith(b"\\") or any(
        code.count(opening) != code.count(closing) for opening, closing in _BRACKETS
    )


def _is_named_in_text(source: bytes, code: bytes, name: bytes) -> bool:
    """Whether a name stands in a string or a comment."""
    return len(list(_words(source, name))) != len(list(_words(code, name)))


def _may_be_evidence(dotted: str, code: bytes) -> bool:
    return any(re.search(_KEYWORD % word.encode(), code) for word in tf1_names.v1_only_keywords(dotted))


def _edits(found: list[re.Match[bytes]]) -> Iterator[Edit]:
    for statement in found:
        group = 1 if statement.group(1) else 2
        module = shim_module(statement.group(group).decode())
        assert module is not None
        yield Edit(statement.start(group), statement.end(group), module.encode())


def _code(source: bytes) -> bytes | None:
    """The source without strings and comments; None where a string stays open, so that nothing can be told."""
    parts, at = [], 0
    while True:
        begin = _BEGINS.search(source, at)
        if begin is None:
            parts.append(source[at:])
            return b"".join(parts)
        start, mark = begin.start(), begin.group()
        parts.append(source[at:start])
        if mark == b"#":
            at = source.find(b"\n", start)
        elif source.startswith(mark * 3, start):
            at = _end_of_triple(source, start + 3, mark * 3)
        else:
            string = _ON_A_LINE[mark].match(source, start)
            at = string.end() if string is not None else -1
        if at < 0:
            return b"".join(parts) if mark == b"#" else None


def _end_of_triple(source: bytes, at: int, mark: bytes) -> int:
    while True:
        end = source.find(mark, at)
        if end < 0:
            return -1
        before = source[at:end]
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            return end + 3
        at = end + 1


def _words(code: bytes, word: bytes) -> Iterator[int]:
    """Where a word begins that isn't part of a longer one, nor an attribute of something."""
    at = code.find(word)
    while at >= 0:
        end = at + len(word)
        if code[at - 1 : at] not in OF_WORDS and code[end : end + 1] not in OF_WORDS and code[at - 1 : at] != b".":
            yield at
        at = code.find(word, end)


def _uses(code: bytes, alias: bytes) -> set[str] | None:
    """The dotted names that are used of the alias; None where it stands for anything else as well."""
    used, others, end = set(), 0, len(alias)
    for at in _words(code, alias):
        if code[at + end : at + end + 1] == b".":
            dotted = _DOTTED.match(code, at + end + 1)
            if dotted is None or dotted.group().endswith(b".") or _GOES_ON.match(code, dotted.end()):
                return None
            used.add(dotted.group().decode())
        else:
            others += 1
    return used if others == 1 else None
