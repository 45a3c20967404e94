"""The smallest change that mends what was found, as a diff, where the codemod can make one."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Iterable, Sequence

from tf1mem.doctor.finding import Finding, Rewrite
from tf1mem.machine.first_start import near

_MOST_BYTES = 2**22  # a file that is larger isn't anybody's script


@dataclass(frozen=True)
class Mend:
    """What would mend a file.

    Attributes:
        file: The file.
        codes: The findings that it mends.
        command: What makes the change.
        diff: The change, or "" where it couldn't be worked out here.
        why_not: Why not, or "".
        left: What the codemod leaves for a person in the file, and what to do about it.
    """

    file: str
    codes: tuple[str, ...]
    command: str
    diff: str = ""
    why_not: str = ""
    left: tuple[str, ...] = ()


def mends(findings: Iterable[Finding], script: str) -> list[Mend]:
    """The changes that would mend findings, a file and a target at a time.

    Args:
        findings: What was found.
        script: The script: what is mended where a finding names no file.
    """
    wanted: dict[tuple[str, str], dict[str, Rewrite]] = {}
    for finding in findings:
        rewrite = finding.kind.rewrite
        if rewrite is not None:
            file = finding.file if finding.file and os.path.isfile(finding.file) else script
            wanted.setdefault((near(file), rewrite.target), {})[finding.code] = rewrite
    found = [
        _mend(file, target, tuple(sorted(rewrites)), list(rewrites.values()))
        for (file, target), rewrites in wanted.items()
        if os.path.isfile(file) and os.path.getsize(file) <= _MOST_BYTES
    ]
    return [mend for mend in found if mend is not None]


def _mend(file: str, target: str, codes: tuple[str, ...], rewrites: Sequence[Rewrite]) -> Mend | None:
    rules = tuple(sorted({rule for one in rewrites for rule in one.rules}))
    if not all(one.rules for one in rewrites):
        rules = ()
    words = ["tf1mem codemod", "--to " + target] if target != "shim" else ["tf1mem codemod"]
    if rules:
        words.append("--only " + ",".join(rules))
    command = " ".join([*words, shlex.quote(file) if os.name == "posix" else file])
    missing = _missing()
    if missing:
        return None if all(one.seldom for one in rewrites) else Mend(file, codes, command, "", missing)
    from tf1mem.codemod import rewrite
    from tf1mem.codemod.trees.diff import unified

    with open(file, "rb") as source:
        old = source.read()
    result = rewrite(old, to=target, only=rules)
    left = tuple(f"line {one.line}: {one.message}. {one.remedy}" for one in result.remarks)
    if not result.changed and (target != "shim" or not left):
        return None
    diff = unified(file, old, result.source).decode("utf-8", "replace") if result.changed else ""
    return Mend(file, codes, command, diff, left=left)


def _missing() -> str:
    if sys.version_info < (3, 10):
        return "the codemod needs Python 3.10, in an environment of its own: pip install 'tf1mem[codemod]'"
    if any(find_spec(name) is None for name in ("tree_sitter", "tree_sitter_python")):
        return "the codemod isn't installed: pip install 'tf1mem[codemod]'"
    return ""
