"""The outcome of each file of a tree, and of all files together."""

from __future__ import annotations

from dataclasses import dataclass, field

from tf1mem.codemod.results import Change, Remark


@dataclass(frozen=True)
class Outcome:
    """The outcome of one file.

    Attributes:
        path: The file's path, as shown to people.
        kind: "python", "notebook", "markdown" or "rst"; "file" or "folder" for `left_out`.
        changes: The changes, made or planned.
        remarks: The places that need a decision by hand.
        tf1_names: Number of remaining names that TensorFlow 2 lacks.
        supplied: Names that TensorFlow 2 lacks and that tf1mem.v1 supplies.
        diff: A unified diff in the file's own bytes, if requested.
        written: True if the file was written.
        left_out: The reason why it is outside the search, or ""; follows "2 files", such as "named in .gitignore".
        passed_over: The reason why it was skipped, or "".
        problem: The problem with the file, or "".
        remedy: The remedy for the problem.
    """

    path: str
    kind: str = "python"
    changes: tuple[Change, ...] = ()
    remarks: tuple[Remark, ...] = ()
    tf1_names: int = 0
    supplied: tuple[str, ...] = ()
    diff: bytes = b""
    written: bool = False
    left_out: str = ""
    passed_over: str = ""
    problem: str = ""
    remedy: str = ""


@dataclass
class Tally:
    """Counted outcomes.

    Attributes:
        files: Number of files that were read.
        changed: Number of files with changes, made or planned.
        written: Number of files that were written.
        changes: Number of rewritten constructs, made or planned.
        remarks: Number of places that need a decision by hand.
        tf1_names: Number of remaining names that TensorFlow 2 lacks.
        supplied: Number of files that use each name that TensorFlow 2 lacks and tf1mem.v1 supplies.
        passed_over: Number of files that were skipped.
        problems: Number of files and folders that could not be read or written.
        by_code: Number of changes and remarks with each code.
        left_out: Numbers of files and folders left out, by reason.
    """

    files: int = 0
    changed: int = 0
    written: int = 0
    changes: int = 0
    remarks: int = 0
    tf1_names: int = 0
    passed_over: int = 0
    problems: int = 0
    supplied: dict[str, int] = field(default_factory=dict)
    by_code: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        """Counts one more outcome."""
        if outcome.left_out:
            counts = self.left_out.setdefault(outcome.left_out, {"file": 0, "folder": 0})
            counts[outcome.kind] += 1
            return
        if outcome.passed_over:
            self.passed_over += 1
            return
        self.problems += bool(outcome.problem)
        self.files += not outcome.problem or bool(outcome.changes)
        self.changed += bool(outcome.changes)
        self.written += outcome.written
        self.changes += len(outcome.changes)
        self.remarks += len(outcome.remarks)
        self.tf1_names += outcome.tf1_names
        for name in outcome.supplied:
            self.supplied[name] = self.supplied.get(name, 0) + 1
        codes = [change.code for change in outcome.changes] + [remark.code for remark in outcome.remarks]
        for code in codes:
            self.by_code[code] = self.by_code.get(code, 0) + 1

    def status(self, *, write: bool) -> int:
        """Returns the command's exit status.

        Args:
            write: True if files were written.

        Returns:
            2 if a file could not be read or written; else 1 if there are planned changes or, with `write`,
            places that need a decision by hand; else 0.
        """
        if self.problems:
            return 2
        return int(bool(self.remarks if write else self.changed))
