"""The doctor's findings and their kinds; the guide's page lists all kinds.

Each kind is defined in `judges/`, above the function that finds it, and keeps its code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable

if TYPE_CHECKING:
    from tf1mem.doctor.watch.record import Place

ERROR = "error"
WARNING = "warning"
NOTE = "note"
_ORDER = (ERROR, WARNING, NOTE)


@dataclass(frozen=True)
class CodemodRewrite:
    """The codemod's rewrite for a finding.

    Attributes:
        target: codemod target: "shim" or "apply".
        rules: rule codes; empty for all rules of the target.
        seldom: True if it changes something in few programs only.
    """

    target: str
    rules: tuple[str, ...] = ()
    seldom: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of finding.

    Attributes:
        code: code such as "TFD201", which never changes.
        severity: "error", "warning" or "note".
        meaning: meaning in one line.
        remedy: remedy in a few words of Markdown.
        rewrite: codemod's rewrite for it, or None.
        reported_by: codemod rules that report the same mistake in source and leave the fix to a person.
    """

    code: str
    severity: str
    meaning: str
    remedy: str
    rewrite: CodemodRewrite | None = None
    reported_by: tuple[str, ...] = ()

    @classmethod
    def error(
        cls,
        code: str,
        meaning: str,
        remedy: str,
        rewrite: CodemodRewrite | None = None,
        reported_by: tuple[str, ...] = (),
    ) -> Kind:
        """Returns a kind for a lost setting or a program that cannot go on."""
        return cls(code, ERROR, meaning, remedy, rewrite, reported_by)

    @classmethod
    def warning(
        cls,
        code: str,
        meaning: str,
        remedy: str,
        rewrite: CodemodRewrite | None = None,
        reported_by: tuple[str, ...] = (),
    ) -> Kind:
        """Returns a kind for something that is often unintended."""
        return cls(code, WARNING, meaning, remedy, rewrite, reported_by)

    @classmethod
    def note(cls, code: str, meaning: str, remedy: str) -> Kind:
        """Returns a kind for useful information."""
        return cls(code, NOTE, meaning, remedy)

    def finding(self, message: str, remedy: str = "", where: Place | None = None, detail: str = "") -> Finding:
        """Returns a finding of this kind.

        Args:
            message: description in a sentence or two.
            remedy: remedy; by default the kind's.
            where: line of code that the finding is about, or None.
            detail: more text, in separate lines.
        """
        file, line = (None, 0) if where is None else (where.file, where.line)
        return Finding(self, message, remedy or self.remedy.replace("`", ""), file, line, detail)


@dataclass(frozen=True)
class Finding:
    """A finding of the doctor.

    Attributes:
        kind: kind of finding.
        message: description in a sentence or two.
        remedy: instruction that solves the problem.
        file: user's file that it is about, or None.
        line: line in that file, from 1, or 0.
        detail: more text in separate lines, or "".
    """

    kind: Kind
    message: str
    remedy: str
    file: str | None = None
    line: int = 0
    detail: str = ""

    @property
    def code(self) -> str:
        """Returns the code of its kind, such as "TFD201"."""
        return self.kind.code

    @property
    def severity(self) -> str:
        """Returns "error", "warning" or "note"."""
        return self.kind.severity

    def as_dict(self) -> dict[str, Any]:
        """Returns the finding as plain values for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "remedy": self.remedy,
            "file": self.file,
            "line": self.line or None,
            "detail": self.detail or None,
        }


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings in the order of the report: without duplicates, the most severe first, else unchanged."""
    return sorted(dict.fromkeys(findings), key=lambda finding: _ORDER.index(finding.severity))
