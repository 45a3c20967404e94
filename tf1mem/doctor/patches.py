"""The smallest change that fixes the findings, as a diff, if the codemod can make one."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Iterable, Sequence

from tf1mem.doctor.finding import CodemodRewrite, Finding
from tf1mem.machine.first_start import near

_MOST_BYTES = 2**22  # a larger file is not a hand-written script


@dataclass(frozen=True)
class Patch:
    """A change that would fix a file.

    Attributes:
        file: file to change.
        codes: codes of the findings that it fixes.
        command: command line that makes the change.
        diff: the change, or "" if it could not be computed here.
        why_not: reason for an empty diff, or "".
        left: places in the file that the codemod leaves to a person, each with its remedy.
    """

    file: str
    codes: tuple[str, ...]
    command: str
    diff: str = ""
    why_not: str = ""
    left: tuple[str, ...] = ()


def patches(findings: Iterable[Finding], script: str) -> list[Patch]:
    """Returns the changes that would fix findings, one for each file and target.

    Args:
        findings: findings to fix.
        script: file to change for findings that name no file.
    """
    rewrites_by_file: dict[tuple[str, str], dict[str, CodemodRewrite]] = {}
    for finding in findings:
        rewrite = finding.kind.rewrite
        if rewrite is not None:
            file = finding.file if finding.file and os.path.isfile(finding.file) else script
            rewrites_by_file.setdefault((near(file), rewrite.target), {})[finding.code] = rewrite
    changes = [
        _patch_of(file, target, tuple(sorted(rewrites)), list(rewrites.values()))
        for (file, target), rewrites in rewrites_by_file.items()
        if os.path.isfile(file) and os.path.getsize(file) <= _MOST_BYTES
    ]
    return [patch for patch in changes if patch is not None]


def _patch_of(file: str, target: str, codes: tuple[str, ...], rewrites: Sequence[CodemodRewrite]) -> Patch | None:
    rules = tuple(sorted({rule for each in rewrites for rule in each.rules}))
    if not all(each.rules for each in rewrites):
        rules = ()  # all rules of the target
    words = ["tf1mem codemod", "--to " + target] if target != "shim" else ["tf1mem codemod"]
    if rules:
        words.append("--only " + ",".join(rules))
    command = " ".join([*words, shlex.quote(file) if os.name == "posix" else file])
    missing = _missing()
    if missing:
        # A change that few programs need isn't offered: only the codemod could tell whether this one needs it.
        return None if all(each.seldom for each in rewrites) else Patch(file, codes, command, "", missing)
    from tf1mem.codemod import rewrite
    from tf1mem.codemod.trees.diff import unified

    with open(file, "rb") as source:
        old = source.read()
    result = rewrite(old, to=target, only=rules)
    left = tuple(f"line {remark.line}: {remark.message}. {remark.remedy}" for remark in result.remarks)
    # With shim, the remarks are shown even if nothing is changed: they are what a person has to change.
    if not result.changed and (target != "shim" or not left):
        return None
    diff = unified(file, old, result.source).decode("utf-8", "replace") if result.changed else ""
    return Patch(file, codes, command, diff, left=left)


def _missing() -> str:
    if sys.version_info < (3, 10):
        return "the codemod needs Python 3.10, in a separate environment: pip install 'tf1mem[cli]'"
    if any(find_spec(name) is None for name in ("tree_sitter", "tree_sitter_python")):
        return "the codemod isn't installed: pip install 'tf1mem[cli]'"
    return ""
