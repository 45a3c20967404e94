"""What becomes of each file of a tree, and of all of them together."""

from __future__ import annotations

from dataclasses import dataclass, field

from tf1mem.codemod.results import Change, Remark


@dataclass(frozen=True)
class Outcome:
    """What became of one file.

    Attributes:
        path: The file, as it is named to a person.
        kind: "python", "notebook", "markdown" or "rst"; of what is left out "file" or "folder".
        changes: What is rewritten, or would be.
        remarks: What is left for a person.
        tf1_names: How many names are left that TensorFlow 2 hasn't got.
        supplied: Names that TensorFlow 2 hasn't got, and that tf1mem.v1 supplies.
        diff: A unified diff in the file's own bytes, where one was asked for.
        written: Whether the file was written.
        left_out: What it is that is not looked for, or "": as it goes behind "2 files", such as "named in .gitignore".
        passed_over: Why it was not looked at, or "".
        problem: What went wrong with it, or "".
        remedy: What to do about the problem.
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
    """Outcomes, counted.

    Attributes:
        files: Files that were looked at.
        changed: Files that are rewritten, or would be.
        written: Files that were written.
        changes: Constructs that are rewritten, or would be.
        remarks: Constructs that are left for a person.
        tf1_names: Names that are left, and that TensorFlow 2 hasn't got.
        supplied: In how many files each name is used that TensorFlow 2 hasn't got, and that tf1mem.v1 supplies.
        passed_over: Files that were not looked at.
        problems: Files and folders that could not be read or written.
        by_code: How many changes and remarks there are of each code.
        left_out: How many files and folders were left out, by what they are.
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
        """Counts one more."""
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
        """The command's exit status.

        Args:
            write: Whether files were written.

        Returns:
            2 where a file could not be read or written; else 1 where something would change or, with `write`, where
            something is left for a person; else 0.
        """
        if self.problems:
            return 2
        return int(bool(self.remarks if write else self.changed))
