"""Finds a file's GPU settings: by ConfigProto, by environment variables, by tf.config."""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.checking import kinds
from tf1mem.checking.file_findings import FileFinding
from tf1mem.codemod.facts.gpu_memory import GROWTH, LIMITS, config_calls
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source import syntax
from tf1mem.settings.fields import FIELDS

CONFIG, ENVIRONMENT, TF_CONFIG = "ConfigProto", "environment", "tf.config"
_IN_GPU_OPTIONS = "gpu_options."
# The last parts of the paths of fields that concern GPUs, such as "allow_growth".
_LEAVES = ("device_count", *sorted({name.rpartition(".")[2] for name in FIELDS if name.startswith(_IN_GPU_OPTIONS)}))
_MESSAGES = ("ConfigProto", "GPUOptions")
_VARIABLES = ("CUDA_VISIBLE_DEVICES", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR")


def settings(facts: Facts) -> Iterator[FileFinding]:
    """Yields one finding for each setting and each way in which it is set."""
    if facts.mentions("onfigProto") or facts.mentions("GPUOptions") or facts.mentions("gpu_options"):
        for leaf in _LEAVES:
            place = next((node for node in facts.source.identifiers(leaf.encode()) if _is_set(facts, node)), None)
            if place is not None:
                yield _finding(facts, leaf, CONFIG, place)
    for name in _VARIABLES:
        at = facts.source.text.find(name.encode())
        node = facts.source.node_at(at, at + len(name)) if at >= 0 else None
        if node is not None and node.type in ("string", "string_content"):
            yield _finding(facts, name, ENVIRONMENT, node)
    for leaf in (*GROWTH, *LIMITS):
        call = next(config_calls(facts, leaf), None)
        if call is not None:
            yield _finding(facts, leaf, TF_CONFIG, call)


def _is_set(facts: Facts, node: Node) -> bool:
    """Returns True if a field is a keyword of a message's constructor, or an attribute that is assigned."""
    above = node.parent
    if above is not None and above.type == "keyword_argument" and syntax.name_of(above) == node:
        call = syntax.enclosing(above, "call")
        return call is not None and facts.decoded(syntax.leaf_of(syntax.callee(call))) in _MESSAGES
    named = syntax.attribute_named(node)
    return named is not None and syntax.assignment_to(named) is not None


def _finding(facts: Facts, setting: str, way: str, node: Node) -> FileFinding:
    return FileFinding(kinds.SETTINGS, way, f"{setting} by {way}", "", *facts.extract.locate(node.start_byte))
