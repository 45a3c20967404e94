"""Decides by a file's bytes alone, before it is parsed, whether a rule can matter.

Most files of a large tree have no settings, and parsing them would be most of the work: on 1,500 files of public
repositories, target apply takes three times as long without this test.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache, lru_cache

from tf1mem.codemod.facts import call_arguments
from tf1mem.codemod.rules import registry
from tf1mem.codemod.source.chains import chains
from tf1mem.codemod.source.paths import may_be_public
from tf1mem.names import arguments, tf1_names, tf2_names
from tf1mem.names.evidence import is_evidence

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
_ROOTS = (b"tf", b"v1", b"tensorflow")
_START = rb"(?<![A-Za-z0-9_])"
_USES = re.compile(_START + rb"(?:%b)" % b"|".join(_ROOTS) + _CHAIN)
_ALIAS = re.compile(rb"tensorflow((?:_core)?[.\w]*)(?:[ \t]+import[ \t]+(\w+))?[ \t]+as[ \t]+(\w+)")
_V1 = re.compile(rb"v1(?<![A-Za-z0-9_]v1)(?![A-Za-z0-9_])")


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


class Needs(Enum):
    """The part of the codemod that a file needs."""

    NOTHING = "no rule can have a finding"
    NAMES = "a Python file without settings, in which only imports and names can matter"
    RULES = "any rule may have a finding"


def needs(source: bytes, kind: str, to: str) -> Needs:
    """Returns the part of the codemod that a file needs.

    Args:
        source: The file's bytes.
        kind: "python", "notebook", "markdown" or "rst".
        to: The target.
    """
    if not is_about(source):
        return Needs.NOTHING
    if kind != "python" or has_settings(source, to):
        return Needs.RULES
    return Needs.NAMES if may_use_tf1(source) else Needs.NOTHING


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
    if b"compat" in source and _V1.search(source) is not None:
        return True
    if call_arguments.may_use_lost_members(source) or any(map(tf2_names.lacking, _imported(source))):
        return True
    aliases = {alias for module, name, alias in _ALIAS.findall(source) if _has_public_names(module, name)}
    uses = _uses_of(frozenset(aliases.difference(_ROOTS)))
    return any(_is_tf1("".join(dotted.decode().split())) for dotted in set(uses.findall(source)))


@lru_cache(maxsize=1 << 8)
def _uses_of(aliases: frozenset[bytes]) -> re.Pattern[bytes]:
    """Returns the pattern of the names used of TensorFlow, by its usual names and by others."""
    if not aliases:
        return _USES
    return re.compile(_START + rb"(?:%b)" % b"|".join([*_ROOTS, *map(re.escape, sorted(aliases))]) + _CHAIN)


@lru_cache(maxsize=1 << 12)
def _has_public_names(module: bytes, name: bytes) -> bool:
    """Returns True if an import's alias may stand for something with names of TensorFlow's public API.

    `_imported` looks up the names of TensorFlow's own files. Other packages, such as tensorflow_probability, have none.

    Args:
        module: The rest of the module's name after "tensorflow", such as b".python.training".
        name: The name that is imported from it; b"" for the module itself.
    """
    root, *parts = module.decode().split(".")
    path = ".".join(["tensorflow", *parts, *([name.decode()] if name else [])])
    return root in ("", "_core") and may_be_public(path)


@cache
def _is_tf1(dotted: str) -> bool:
    return is_evidence(dotted) or bool(tf1_names.v1_only_keywords(dotted)) or _may_get_remark(dotted)


def _may_get_remark(dotted: str) -> bool:
    """Returns True for a name that can get a remark in a file whose imports stay."""
    return (
        bool(tf2_names.lacking(dotted))
        or arguments.orders(dotted) is not None
        or dotted in arguments.WRITES
        or dotted in arguments.PARTITIONED
    )


def _imported(source: bytes) -> set[str]:
    """Returns the names imported from TensorFlow's modules, with the members used, without "tensorflow"."""
    names = set()
    members_of = []  # modules with the names that they have in the file
    for module, in_brackets, imported in _FROM.findall(source):
        home = module.decode()
        for item in (_COMMENT.sub(b"", in_brackets) or imported.replace(b"\\", b"").split(b"#")[0]).split(b","):
            words = item.split()
            if words:
                name = f"{home}.{words[0].decode('utf-8', 'replace')}"
                names.add(name)
                if tf2_names.is_module(name):
                    members_of.append((name, words[-1]))
    for module, alias in _MODULES.findall(source):
        names.add(module.decode())
        if alias:
            members_of.append((module.decode(), alias))
    return names.union(name + members for name, alias in members_of for members, _ in chains(source, alias))
