"""Decides by a file's bytes alone, before it is parsed, whether a rule can matter, and whether the file is plain.

Most files of a large tree have no settings, and parsing them would be most of the work: on 1,500 files of public
repositories, target apply takes three times as long without the first test, and target shim half as long again without
the second. A plain file imports TensorFlow once, by `import tensorflow as tf` or the like, and nothing but this import
may have to change. The decisions here are those that the rules would make; other files are left to the rules.
tests/codemod/test_prefilter.py compares both.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Iterator

from tf1mem.codemod.facts import calls, guards
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import registry
from tf1mem.codemod.source.chains import chains
from tf1mem.codemod.source.paths import shim_module
from tf1mem.codemod.source.tree import WORD_BYTES
from tf1mem.codemod.tables import arguments, tf1_names, tf2_names
from tf1mem.codemod.tables.evidence import ASKS_MODE, is_evidence, is_tf2_in_use, knows_tf2
from tf1mem.machine import internals

# --- can a rule matter? -----------------------------------------------------------------------------------------------

# Every file that a rule could be about has one of these.
_ABOUT = (b"tensorflow", b"keras", b"ConfigProto", b"GPUOptions")
# Words with which settings are made, in any TensorFlow. Files without any of them are parsed only for their imports.
SETTINGS = (
    b"ConfigProto", b"GPUOptions", b"set_session", b"ession_config", b"RunConfig", b"list_local_devices",
    b"tensorflow_version", b"memory_growth", b"memory_limit", b"memory_fraction", b"irtual_device", b"irtualDevice",
    b"ogical_device", b"ogicalDevice", b"visible_devices", b"client.session",
)  # fmt: skip
# Functions and modules that take a config made elsewhere, and the ways to pass it.
_TAKERS = (b"ession", b"Server", b"server", b"eager_execution", b"contrib", b"slim")
_TAKES_CONFIG = (b"config=", b"config =", b"config	=", b"'config'", b'"config"')
_SPLAT = re.compile(rb"(?:ession|Server)\w*\(\s*(?:[^()]*,\s*)?\*")
# Names of Keras that show that a program is for TensorFlow 1: see evidence.is_evidence.
_OLD_KERAS = (b"get_session", b"CuDNN")
_CHAIN = rb"\s*\.\s*([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)"
_USES = re.compile(rb"(?:tf|v1|tensorflow)" + _CHAIN)
_ALIAS = re.compile(rb"tensorflow[\w.]*(?:[ \t]+import[ \t]+\w+)?[ \t]+as[ \t]+(\w+)")


# Imports from a module of TensorFlow, and imports of such a module.
_FROM = re.compile(
    rb"from[ \t]+tensorflow(?:_core)?\.([\w.]+)[ \t]+import[ \t]*(?:\(([^)]*)|([^(\n;\\]*(?:\\\r?\n[^\n;\\]*)*))"
)
_COMMENT = re.compile(rb"#[^\n]*")
_MODULES = re.compile(rb"import[ \t]+tensorflow(?:_core)?\.([\w.]+)(?:[ \t]+as[ \t]+(\w+))?")


def may_matter(source: bytes) -> bool:
    """Returns True if any rule may have a finding in a file: a fast test of its bytes, without parsing.

    Args:
        source: The file's bytes, of any kind.
    """
    return is_about(source) and (has_settings(source, "apply") or may_use_tf1(source))


def is_about(source: bytes) -> bool:
    """Returns True if a file mentions TensorFlow or Keras."""
    return any(word in source for word in _ABOUT)


@cache
def _setting_words() -> tuple[bytes, ...]:
    return tuple(dict.fromkeys([*SETTINGS, *(word for rule in registry() for word in rule.words)]))


def has_settings(source: bytes, to: str) -> bool:
    """Returns True if a file has a word that a rule about settings looks for."""
    for word in _setting_words():  # a plain loop: any() takes twice as long
        if word in source:
            return True
    if to == "shim" and b"compat" not in source and b"tensorflow.python" not in source:
        return False  # a function that takes a config comes from the import that moves, or isn't TensorFlow's
    if not any(word in source for word in _TAKERS):
        return False
    return any(word in source for word in _TAKES_CONFIG) or _SPLAT.search(source) is not None


def may_use_tf1(source: bytes) -> bool:
    """Returns True if a file has a name that TensorFlow 2 lacks, or an argument that it doesn't take."""
    if b".contrib" in source or b".examples" in source or b"tensorflow import" in source:
        return True
    if b"keras" in source and any(word in source for word in _OLD_KERAS):
        return True
    if b"compat" in source and b"v1" in source:
        return True
    if calls.may_ask_for_lost(source) or any(map(_lacks, _imported(source))):
        return True
    uses = _USES
    aliases = set(_ALIAS.findall(source)) - {b"tf", b"v1"}
    if aliases:
        uses = re.compile(rb"(?:tf|v1|tensorflow|%b)" % b"|".join(map(re.escape, sorted(aliases))) + _CHAIN)
    return any(_is_tf1("".join(dotted.decode().split())) for dotted in set(uses.findall(source)))


@cache
def _is_tf1(dotted: str) -> bool:
    return is_evidence(dotted) or bool(tf1_names.v1_only_keywords(dotted)) or _may_get_remark(dotted)


def _may_get_remark(dotted: str) -> bool:
    """Returns True for a name that can get a remark in a file whose imports stay."""
    return (
        bool(_lacks(dotted))
        or arguments.orders(dotted) is not None
        or dotted in arguments.WRITES
        or dotted in arguments.PARTITIONED
    )


_lacks = cache(tf2_names.lacking)


def _imported(source: bytes) -> set[str]:
    """Returns the names imported from TensorFlow's modules, with the members used, without "tensorflow"."""
    names = set()
    for module, in_brackets, imported in _FROM.findall(source):
        home = module.decode()
        for item in (_COMMENT.sub(b"", in_brackets) or imported.replace(b"\\", b"").split(b"#")[0]).split(b","):
            words = item.split()
            if words:
                name = f"{home}.{words[0].decode('utf-8', 'replace')}"
                names.add(name)
                if tf2_names.is_module(name):
                    names.update(name + members for members, _ in chains(source, words[-1]))
    for module, alias in _MODULES.findall(source):
        names.add(module.decode())
        if alias:
            names.update(module.decode() + members for members, _ in chains(source, alias))
    return names


# --- the plain case ---------------------------------------------------------------------------------------------------

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


def plain_imports(source: bytes) -> list[Edit] | None:
    """Decides a plain file without parsing it.

    Args:
        source: Python source without any word of the rules about settings.

    Returns:
        Edits that point its imports to tf1mem.v1, in order; an empty list if nothing moves; None if the rules have to
            decide.
    """
    whole, stays = _imports(source)
    if any(_may_matter(match.group().split()[1].decode()) for match in stays):
        return None
    if len(whole) > 1 or (b"\r" in source and b"\r" in source.replace(b"\r\n", b"")):
        return None
    code = _code(source)
    if code is None:
        return None
    # The same number with and without strings and comments: all matches are code.
    plain = _imports(code)
    if len(plain[0]) != len(whole) or sum(len(list(_words(code, word))) for word in _NAMED) != sum(map(len, plain)):
        return None
    if not whole:
        return []
    used = _uses(code, whole[0].group(2))
    if used is None:
        return None
    if any(is_evidence(dotted) for dotted in used):
        # TensorFlow 2 may have all of compat.v1; for names of contrib that tf1mem.v1 lacks the rules make remarks.
        is_plain = whole[0].group(1) == b"tensorflow" and not any(map(_IS_CONTRIB.match, used))
        return list(_edits(whole)) if is_plain and not _may_stay(code, used) else None
    if _F_STRING.search(source) and _is_named_in_text(source, code, whole[0].group(2)):
        return None  # the name may be used in a string
    if calls.may_ask_for_lost(code):
        return None
    of_v1 = whole[0].group(1) == b"tensorflow.compat.v1"
    may_get_remark = any(_may_be_evidence(name, code) or _may_get_remark_here(name, code, of_v1=of_v1) for name in used)
    return None if may_get_remark else []


def _may_matter(module: str) -> bool:
    """Returns True if an import of TensorFlow's own files may name something that moved or is gone."""
    name = module.partition(".")[2]
    return internals.has_files(name) or tf2_names.has_lost_files(name)


def _may_get_remark_here(dotted: str, code: bytes, *, of_v1: bool) -> bool:
    """Returns True if a name may get a remark, by the largest number of arguments of its calls."""
    orders = arguments.orders(dotted)
    if dotted in arguments.WRITES or dotted in arguments.PARTITIONED or dotted in arguments.BY_DEFAULT:
        return True
    if _lacks("compat.v1." + dotted if of_v1 else dotted):
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
    return len(list(_words(source, name))) != len(list(_words(code, name)))


def _may_be_evidence(dotted: str, code: bytes) -> bool:
    return any(re.search(_KEYWORD % word.encode(), code) for word in tf1_names.v1_only_keywords(dotted))


def _edits(statements: list[re.Match[bytes]]) -> Iterator[Edit]:
    for statement in statements:
        module = shim_module(statement.group(1).decode())
        assert module is not None
        yield Edit(statement.start(1), statement.end(1), module.encode())


def _code(source: bytes) -> bytes | None:
    """Returns the source without strings and comments; None if a string stays open, so that the rest is uncertain."""
    parts = _TEXT.split(source)
    return None if any(group is not None for group in parts[1::2]) else b"".join(parts[::2])


def _words(code: bytes, word: bytes) -> Iterator[int]:
    """Yields the offsets of a word that is neither part of a longer word nor an attribute."""
    at = code.find(word)
    while at >= 0:
        end = at + len(word)
        if code[at - 1 : at] not in WORD_BYTES and code[end : end + 1] not in WORD_BYTES and code[at - 1 : at] != b".":
            yield at
        at = code.find(word, end)


def _uses(code: bytes, alias: bytes) -> set[str] | None:
    """Returns the dotted names used of an alias; None if the alias may stand for anything else."""
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
