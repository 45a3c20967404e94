"""A finding: one thing that the doctor says, and its kind, which keeps its code; the guide's page has all kinds.

A kind stands in `judges/`, above the function that finds it.
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
class Rewrite:
    """What the codemod does about a finding.

    Attributes:
        target: Its target: "shim" or "apply".
        rules: Its rules; none for all of that target's.
        seldom: Whether it changes something about it in few programs.
    """

    target: str
    rules: tuple[str, ...] = ()
    seldom: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of finding.

    Attributes:
        code: Such as "TFD201"; it stays the same.
        severity: How bad it is: "error", "warning" or "note".
        meaning: What it means, in a line.
        mend: What mends it, in a few words of Markdown.
        rewrite: What the codemod does about it, or None.
        reported_by: The codemod's rules that find the same mistake in source, and leave it for a person.
    """

    code: str
    severity: str
    meaning: str
    mend: str
    rewrite: Rewrite | None = None
    reported_by: tuple[str, ...] = ()

    @classmethod
    def error(
        cls, code: str, meaning: str, mend: str, rewrite: Rewrite | None = None, reported_by: tuple[str, ...] = ()
    ) -> Kind:
        """A setting that is lost, or a program that can't go on."""
        return cls(code, ERROR, meaning, mend, rewrite, reported_by)

    @classmethod
    def warning(
        cls, code: str, meaning: str, mend: str, rewrite: Rewrite | None = None, reported_by: tuple[str, ...] = ()
    ) -> Kind:
        """What often isn't meant."""
        return cls(code, WARNING, meaning, mend, rewrite, reported_by)

    @classmethod
    def note(cls, code: str, meaning: str, mend: str) -> Kind:
        """What is good to know."""
        return cls(code, NOTE, meaning, mend)

    def found(self, says: str, mend: str = "", where: Place | None = None, detail: str = "") -> Finding:
        """A finding of this kind.

        Args:
            says: What it is, in a sentence or two.
            mend: What to do about it; by default what the kind says.
            where: The line that it is about.
            detail: More, in lines of its own.
        """
        file, line = (None, 0) if where is None else (where.file, where.line)
        return Finding(self, says, mend or self.mend.replace("`", ""), file, line, detail)


@dataclass(frozen=True)
class Finding:
    """One thing that the doctor found.

    Attributes:
        kind: Its kind.
        says: What it is, in a sentence or two.
        mend: What to do about it.
        file: The user's file that it is about, or None.
        line: The line in it, from 1, or 0.
        detail: More, in lines of its own, or "".
    """

    kind: Kind
    says: str
    mend: str
    file: str | None = None
    line: int = 0
    detail: str = ""

    @property
    def code(self) -> str:
        """The code of its kind, such as "TFD201"."""
        return self.kind.code

    @property
    def severity(self) -> str:
        """How bad it is: "error", "warning" or "note"."""
        return self.kind.severity

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "says": self.says,
            "mend": self.mend,
            "file": self.file,
            "line": self.line or None,
            "detail": self.detail or None,
        }


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in the order in which they are told: each once, the worst first, else as they came."""
    return sorted(dict.fromkeys(findings), key=lambda finding: _ORDER.index(finding.severity))
