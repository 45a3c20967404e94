"""Target shim's plan for a plain file, without a tree.

A plain file imports TensorFlow once, by `import tensorflow as tf` or the like, and nothing but this import may have to
change. The decisions here are those that the rules would make; other files are left to the rules. If plain files were
parsed, too, target shim would take 1.5 times as long on 1,500 files of public repositories.
tests/codemod/test_prefilter.py compares the decisions.
"""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.codemod.facts import call_arguments, guards
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.chains import words
from tf1mem.codemod.source.paths import shim_module
from tf1mem.names import arguments, internals, tf1_names, tf2_names
from tf1mem.names.evidence import ASKS_MODE, is_evidence, is_tf2_in_use, knows_tf2

# Comments and strings; the group matches if a string stays open. Patterns that begin with a character set are fast.
_TEXT = re.compile(
    rb"""["'#](?:(?<=\#)[^\n]*"""
    rb"""|(?<=")(?:""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"{3}|(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*")"""
    rb"""|(?<=')(?:''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'{3}|(?!'')[^'\\\n]*(?:\\.[^'\\\n]*)*')"""
    rb"""|())""",
    re.DOTALL,
)
_F_STRING = re.compile(rb"\b(?:[rRbB]?[fF][rRbB]?)[\"']")

# The forms of import that are decided here: each at the start of its own line.
_WHOLE = re.compile(rb"import[ \t]+(tensorflow(?:\.compat\.v1)?)[ \t]+as[ \t]+([A-Za-z_]\w*)(?=[ \t]*(?:\#|\r?\n|\Z))")
# Imports that stay: of TensorFlow's own files, except for those with configs and Keras; and of TF2's API by name.
_STAYS = re.compile(
    rb"[ \t]*from[ \t]+tensorflow\.python\.(?!client\b|keras\b|estimator\b)[\w.]+[ \t]+import\b"
    rb"|import[ \t]+tensorflow\.compat\.v2[ \t]+as[ \t]+\w+"
)
_FORMS = (_WHOLE, _STAYS)
_TENSORFLOW = re.compile(rb"tensorflow")
_IS_CONTRIB = re.compile(r"contrib\b")
_NAMED = (b"tensorflow", b"tensorflow_core", b"keras", b"tf1mem")
_DOTTED = re.compile(rb"[A-Za-z_][\w.]*")
_KEYWORD = rb"\b%b[\s\\]*=(?!=)"
# The rest of a dotted name that continues on the next line.
_GOES_ON = re.compile(rb"[\s\\]*\.")


def edits(source: bytes) -> list[Edit] | None:
    """Decides a plain file without parsing it.

    Args:
        source: Python source without any word of the rules about settings.

    Returns:
        Edits that point its imports to tf1mem.v1, in order; an empty list if nothing moves; None if the rules have to
            decide.
    """
    whole, stays = _imports(source)
    if any(_may_have_moved(match.group().split()[1].decode()) for match in stays):
        return None
    if len(whole) > 1 or (b"\r" in source and b"\r" in source.replace(b"\r\n", b"")):
        return None
    code = _code(source)
    if code is None:
        return None
    # If the numbers are equal with and without strings and comments, all matches are code.
    plain = _imports(code)
    if len(plain[0]) != len(whole) or sum(len(list(words(code, word))) for word in _NAMED) != sum(map(len, plain)):
        return None
    if not whole:
        return []
    used = _uses(code, whole[0].group(2))
    if used is None:
        return None
    if any(is_evidence(dotted) for dotted in used):
        # TensorFlow 2 may have all of compat.v1; for names of contrib that tf1mem.v1 lacks the rules make remarks.
        is_plain = whole[0].group(1) == b"tensorflow" and not any(map(_IS_CONTRIB.match, used))
        return list(_moved(whole)) if is_plain and not _may_stay(code, used) else None
    if _F_STRING.search(source) and _is_named_in_text(source, code, whole[0].group(2)):
        return None  # the name may be used in a string
    if call_arguments.may_use_lost_members(code):
        return None
    of_v1 = whole[0].group(1) == b"tensorflow.compat.v1"
    may_get_remark = any(_may_be_evidence(name, code) or _may_get_remark_here(name, code, of_v1=of_v1) for name in used)
    return None if may_get_remark else []


def _may_have_moved(module: str) -> bool:
    """Returns True if an import of TensorFlow's own files may name something that moved or is gone."""
    name = module.partition(".")[2]
    return internals.has_files(name) or tf2_names.has_lost_files(name)


def _may_get_remark_here(dotted: str, code: bytes, *, of_v1: bool) -> bool:
    """Returns True if a name may get a remark, by the largest number of arguments of its calls."""
    orders = arguments.orders(dotted)
    if dotted in arguments.WRITES or dotted in arguments.PARTITIONED or dotted in arguments.BY_DEFAULT:
        return True
    if tf2_names.lacking("compat.v1." + dotted if of_v1 else dotted):
        return True
    return orders is not None and _positions(dotted, code) > orders.first


_BRACKET = re.compile(rb"[()\[\]{},]")


def _positions(dotted: str, code: bytes) -> int:
    """Returns the number of arguments of a name's longest call."""
    most = 0
    for call in re.finditer(rb"\b%b\s*\(" % re.escape(dotted.encode()), code):
        depth, commas = 1, 0
        for bracket in _BRACKET.finditer(code, call.end()):
            sign = bracket.group()
            depth += (sign in b"([{") - (sign in b")]}")
            commas += sign == b"," and depth == 1
            if depth == 0:
                break
        most = max(most, commas + 1)
    return most


def _imports(source: bytes) -> list[list[re.Match[bytes]]]:
    """Returns the matches of imports of TensorFlow that move, and of those that stay."""
    starts = dict.fromkeys(source.rfind(b"\n", 0, match.start()) + 1 for match in _TENSORFLOW.finditer(source))
    return [[match for match in (form.match(source, start) for start in starts) if match] for form in _FORMS]


def _may_stay(code: bytes, used: set[str]) -> bool:
    """Returns True if code may support TensorFlow 2, or run only on one side of a test of its version, or in a try."""
    if any(map(is_tf2_in_use, used)) or any(map(knows_tf2, used)) or b"compat.v2" in code or ASKS_MODE.search(code):
        return True
    return guards.may_try(code) or guards.may_ask(code)


def _is_named_in_text(source: bytes, code: bytes, name: bytes) -> bool:
    """Returns True if a name occurs in a string or a comment."""
    return len(list(words(source, name))) != len(list(words(code, name)))


def _may_be_evidence(dotted: str, code: bytes) -> bool:
    return any(re.search(_KEYWORD % word.encode(), code) for word in tf1_names.v1_only_keywords(dotted))


def _moved(statements: list[re.Match[bytes]]) -> Iterator[Edit]:
    for statement in statements:
        module = shim_module(statement.group(1).decode())
        assert module is not None
        yield Edit(statement.start(1), statement.end(1), module.encode())


def _code(source: bytes) -> bytes | None:
    """Returns the source without strings and comments; None if a string stays open, so that the rest is uncertain."""
    parts = _TEXT.split(source)
    return None if any(group is not None for group in parts[1::2]) else b"".join(parts[::2])


def _uses(code: bytes, alias: bytes) -> set[str] | None:
    """Returns the dotted names used of an alias; None if the alias may stand for anything else."""
    used, others, end = set(), 0, len(alias)
    for at in words(code, alias):
        if code[at + end : at + end + 1] == b".":
            dotted = _DOTTED.match(code, at + end + 1)
            if dotted is None or dotted.group().endswith(b".") or _GOES_ON.match(code, dotted.end()):
                return None
            used.add(dotted.group().decode())
        else:
            others += 1
    return used if others == 1 else None
