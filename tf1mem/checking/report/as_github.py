"""Verdicts as annotations of GitHub Actions."""

from __future__ import annotations

import os
from typing import Iterator, Sequence

from tf1mem.checking.verdict import Checked
from tf1mem.codemod.trees.formats.github import annotation
from tf1mem.codemod.trees.phrases import sentence

_LEVELS = {"note": "notice"}  # errors and warnings have the same names in both


def lines(checked: Sequence[Checked]) -> Iterator[str]:
    """Yields an annotation for each finding and for each file that could not be read.

    Args:
        checked: The results of the checked paths.
    """
    for path_checked in checked:
        for placed in path_checked.placed:
            path, finding = placed
            severity = path_checked.severity(placed)
            level = _LEVELS.get(severity, severity)
            place = finding.line, finding.column, finding.cell
            yield annotation(
                level, path.replace(os.sep, "/"), sentence(finding.message, finding.remedy), place, finding.kind.code
            )
        for path, reason in path_checked.problems:
            yield annotation("error", path.replace(os.sep, "/"), reason)
