"""Detects files that are worse after a rewrite: they no longer parse, or their layout has changed."""

from __future__ import annotations

import json
import re

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from corpus_checks import reading

_LINE_END = re.compile(rb"\r\n|\r|\n")


def damage(before: bytes, after: bytes, kind: str) -> str:
    """Returns a phrase that says what is worse after the rewrite, or "".

    `ast.parse` of the Python that runs this decides. If it can't parse the old file either, the new file must not have
    more errors for tree-sitter.
    """
    if kind == "notebook":
        try:
            old_json, new_json = json.loads(before), json.loads(after)
        except ValueError as error:
            return f"no JSON any more: {error}"
        if _without_sources(old_json) != _without_sources(new_json):
            return "something other than the source of a cell changed"
    if kind in ("python", "notebook"):
        old, new = (reading.cells(text) if kind == "notebook" else reading.decoded(text) for text in (before, after))
        if reading.parsed(old) is not None:
            if reading.parsed(new) is None:
                return "doesn't parse any more"
        elif _errors(new) > _errors(old):
            return "has more syntax errors"
    return _layout(before, after)


def _layout(before: bytes, after: bytes) -> str:
    old, new = set(_LINE_END.findall(before)), set(_LINE_END.findall(after))
    if not new <= old | (set() if old else {b"\n"}):
        return "line ends changed"
    if before.endswith(b"\n") != after.endswith(b"\n"):
        return "the last newline changed"
    if before.startswith(b"\xef\xbb\xbf") != after.startswith(b"\xef\xbb\xbf"):
        return "the byte order mark changed"
    return ""


def _without_sources(notebook: object) -> object:
    if isinstance(notebook, dict):
        is_code = notebook.get("cell_type") == "code"
        return {
            key: _without_sources(value)
            for key, value in notebook.items()
            if not (is_code and key in ("source", "input"))
        }
    return [_without_sources(item) for item in notebook] if isinstance(notebook, list) else notebook


def _errors(text: str) -> int:
    tree = Parser(Language(tree_sitter_python.language())).parse(text.encode("utf-8", "surrogatepass"))
    count, waiting = 0, [tree.root_node]
    while waiting:
        node: Node = waiting.pop()
        count += node.is_error or node.is_missing
        if node.has_error:
            waiting += node.children
    return count
