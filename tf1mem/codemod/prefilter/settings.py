"""A fast look at a file's bytes, before anything is parsed: whether any rule could have something to say of it."""

from __future__ import annotations

import re
from functools import cache

from tf1mem.codemod.rules import registry
from tf1mem.codemod.tables import tf1_names
from tf1mem.codemod.tables.evidence import is_evidence

# What every file has that some rule could be about.
_ABOUT = (b"tensorflow", b"keras", b"ConfigProto", b"GPUOptions")
# What settings are made with, in any TensorFlow. A file that has none of it isn't parsed, unless its imports say so.
SETTINGS = (
    b"ConfigProto", b"GPUOptions", b"set_session", b"ession_config", b"RunConfig", b"list_local_devices",
    b"tensorflow_version", b"memory_growth", b"memory_limit", b"memory_fraction", b"irtual_device", b"irtualDevice",
    b"ogical_device", b"ogicalDevice", b"visible_devices", b"client.session",
)  # fmt: skip
# What takes a config that is made elsewhere, and how it is given.
_TAKERS = (b"ession", b"Server", b"server", b"eager_execution", b"contrib", b"slim")
_TAKES_CONFIG = (b"config=", b"config =", b"config	=")
# What of Keras says that a program is of TensorFlow 1: see evidence.is_evidence.
_OLD_KERAS = re.compile(rb"\bget_session\b|CuDNN")
_CHAIN = rb"\s*\.\s*([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)"
_USES = re.compile(rb"(?:tf|v1|tensorflow)" + _CHAIN)
_ALIAS = re.compile(rb"tensorflow[\w.]*(?:[ \t]+import[ \t]+\w+)?[ \t]+as[ \t]+(\w+)")


def may_matter(source: bytes) -> bool:
    """Whether any rule could have something to say of a file: a fast look at its bytes, no parsing.

    Args:
        source: The file's bytes, of any kind.
    """
    return is_about(source) and (has_settings(source, "apply") or may_use_tf1(source))


def is_about(source: bytes) -> bool:
    """Whether a file has to do with TensorFlow or Keras at all."""
    return any(word in source for word in _ABOUT)


@cache
def _words() -> tuple[bytes, ...]:
    return tuple(dict.fromkeys([*SETTINGS, *(word for rule in registry() for word in rule.words)]))


def has_settings(source: bytes, to: str) -> bool:
    """Whether something stands in the file that a rule about settings looks for."""
    for word in _words():  # a plain loop: any() takes twice as long
        if word in source:
            return True
    if to == "shim" and b"compat" not in source and b"tensorflow.python" not in source:
        return False  # what takes a config comes from the import that moves, or isn't TensorFlow's
    return any(word in source for word in _TAKES_CONFIG) and any(word in source for word in _TAKERS)


def may_use_tf1(source: bytes) -> bool:
    """Whether a name stands in the file that TensorFlow 2 hasn't got, or an argument that it doesn't take."""
    if b".contrib" in source or b".examples" in source or b"tensorflow import" in source:
        return True
    if b"keras" in source and _OLD_KERAS.search(source):
        return True
    if b"compat" in source and b"v1" in source:
        return True
    uses = _USES
    aliases = set(_ALIAS.findall(source)) - {b"tf", b"v1"}
    if aliases:
        uses = re.compile(rb"(?:tf|v1|tensorflow|%b)" % b"|".join(map(re.escape, sorted(aliases))) + _CHAIN)
    return any(_is_tf1("".join(dotted.decode().split())) for dotted in set(uses.findall(source)))


@cache
def _is_tf1(dotted: str) -> bool:
    return is_evidence(dotted) or bool(tf1_names.v1_only_keywords(dotted))
