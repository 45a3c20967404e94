"""Writes the file of `--report`: the places that need a decision by hand, by rule and folder."""

from __future__ import annotations

import os
from collections import Counter
from typing import Iterator

from tf1mem.codemod.results import Remark
from tf1mem.codemod.rules import registry
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.phrases import number, place, sentence, summary
from tf1mem.codemod.trees.work import PYTHON3
from tf1mem.errors import SourceFileError, printable

_COUNT = 6  # columns
_MOST_FOLDERS = 20  # folders counted at the top, those with most first
_TITLE = "What tf1mem codemod --"


class ReportFile:
    """The file of `--report`.

    Args:
        path: Path of the file. An existing report is replaced.
        to: The target, or `PYTHON3`.

    Raises:
        SourceFileError: The file can't be written, or is of another kind. This is checked before any rewriting, as a
            second run finds less.
    """

    def __init__(self, path: str, to: str) -> None:
        self._path = path
        self._target = to if to == PYTHON3 else "to " + to
        self._remarks: list[tuple[Outcome, Remark]] = []
        self._beside: list[str] = []
        self._write("", "a")
        self._check_replaceable()

    def add(self, outcome: Outcome) -> None:
        """Adds one more file."""
        self._remarks += [(outcome, remark) for remark in outcome.remarks]
        if outcome.problem:
            self._beside.append(f"{outcome.path}: error: {sentence(outcome.problem, outcome.remedy)}")
        why = outcome.passed_over and "skipped: " + outcome.passed_over
        if outcome.left_out:
            why = f"{outcome.kind} {outcome.left_out}"
        if why:
            self._beside.append(f"{outcome.path}: {why}")

    def end(self, tally: Tally, mode: str, whole: bool) -> None:
        """Writes the file.

        Args:
            tally: Counts of all added outcomes.
            mode: "show", "check" or "write".
            whole: True if the run was completed.

        Raises:
            SourceFileError: The file can't be written.
        """
        lines = [f"{_TITLE}{self._target} leaves for a decision by hand", "", *summary(tally, mode)]
        if not whole:
            lines.append("The run ended early: later files are missing here.")
        if mode == "write":
            lines.append("Line numbers are those before the files were written.")
        lines += [*self._counts(), *self._by_rule()]
        if tally.supplied:
            lines += [
                "",
                "",
                "Names that TensorFlow 2 lacks and tf1mem.v1 supplies, with the number of files that use them",
            ]
            lines += [f"{count:{_COUNT},}  tf.{name}" for name, count in sorted(tally.supplied.items())]
        if self._beside:
            lines += ["", "", "Skipped, or not written", *("  " + printable(line) for line in self._beside)]
        self._write("\n".join(lines) + "\n", "w")

    def _counts(self) -> Iterator[str]:
        rules = Counter(remark.code for _, remark in self._remarks)
        folders = Counter(_folder(outcome) for outcome, _ in self._remarks)
        for heading, counts in (("Rules", rules.most_common()), ("Folders", folders.most_common(_MOST_FOLDERS))):
            if counts:
                yield from ("", heading)
            for construct, count in counts:
                yield f"{count:{_COUNT},}  {construct}"
        if len(folders) > _MOST_FOLDERS:
            yield " " * _COUNT + "  and {} more".format(number(len(folders) - _MOST_FOLDERS, "folder"))

    def _by_rule(self) -> Iterator[str]:
        """Yields each rule, each folder and each remedy; a remedy is written once for several places."""
        summaries = {rule.code: rule.summary for rule in registry()}
        rules: dict[str, dict[str, dict[str, list[str]]]] = {}
        for outcome, remark in self._remarks:
            folders = rules.setdefault(remark.code, {})
            line = f"{place(outcome, remark)}: {printable(remark.message)}"
            folders.setdefault(_folder(outcome), {}).setdefault(remark.remedy, []).append(line)
        for code, folders in sorted(rules.items()):
            yield from ("", "", f"{code}  {summaries.get(code, '')}".rstrip())
            for folder, remedies in folders.items():
                yield from ("", "  " + folder)
                for remedy, lines in remedies.items():
                    yield from ("    " + line for line in lines)
                    yield "      > " + printable(remedy)

    def _check_replaceable(self) -> None:
        if not os.path.isfile(self._path):
            return  # a pipe or a device
        with open(self._path, "rb") as file:
            start = file.read(len(_TITLE))
        if start not in (b"", _TITLE.encode()):
            raise SourceFileError(
                "--report " + self._path,
                "is an existing file, but not such a report, and would be replaced",
                "Name another file for the report",
            )

    def _write(self, text: str, mode: str) -> None:
        try:
            with open(self._path, mode, encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError as error:
            raise SourceFileError(
                "--report " + self._path, f"can't be written: {error.strerror}", "Name a file that can be written"
            ) from None


def _folder(outcome: Outcome) -> str:
    return printable(os.path.join(os.path.dirname(outcome.path) or os.curdir, ""))
