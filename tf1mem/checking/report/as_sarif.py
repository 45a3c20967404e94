"""Verdicts as SARIF, for code scanning."""

from __future__ import annotations

from typing import Sequence

from tf1mem.checking.kinds import kinds
from tf1mem.checking.verdict import Checked
from tf1mem.codemod.trees import code_scanning
from tf1mem.codemod.trees.phrases import sentence


def document(checked: Sequence[Checked], status: int) -> bytes:
    """The document: one run.

    Args:
        checked: What was checked.
        status: The command's exit status.
    """
    results = [
        code_scanning.result(
            path, (found.line, found.column, found.cell), found.kind.code, found.kind.severity,
            sentence(found.says, found.mend),
        )
        for one in checked for path, found in one.placed
    ]  # fmt: skip
    problems = [(path, why) for one in checked for path, why in one.problems]
    notifications = [code_scanning.notification(path, "error", why) for path, why in problems]
    rules = [(kind.code, "", kind.meaning) for kind in kinds()]
    return code_scanning.document(rules, results, notifications, status=status, is_whole=not problems)
