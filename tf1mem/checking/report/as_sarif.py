"""Verdicts as SARIF, for code scanning."""

from __future__ import annotations

from typing import Sequence

from tf1mem.checking.kinds import kinds
from tf1mem.checking.verdict import Checked
from tf1mem.codemod.trees import code_scanning
from tf1mem.codemod.trees.phrases import sentence


def document(checked: Sequence[Checked], status: int) -> bytes:
    """Returns a SARIF document of one run.

    Args:
        checked: The results of the checked paths.
        status: The command's exit status.
    """
    results = [
        code_scanning.result(
            placed.path, (placed.finding.line, placed.finding.column, placed.finding.cell), placed.finding.kind.code,
            path_checked.severity(placed), sentence(placed.finding.message, placed.finding.remedy),
        )
        for path_checked in checked for placed in path_checked.placed
    ]  # fmt: skip
    problems = [(path, why) for path_checked in checked for path, why in path_checked.problems]
    notifications = [code_scanning.notification(path, "error", why) for path, why in problems]
    rules = [(kind.code, "", kind.meaning) for kind in kinds()]
    return code_scanning.document(rules, results, notifications, status=status, is_whole=not problems)
