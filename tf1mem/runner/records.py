"""What the children of a program leave for its report, each in a file of its own, and the report's lines of them."""

from __future__ import annotations

import atexit
import json
import os
import sys
from typing import Callable, Iterator, NamedTuple

from tf1mem.errors import printable

# No more kinds of children are told one by one.
_MOST = 20
_FORKED = "forked"


class Record(NamedTuple):
    """Record of a child.

    Attributes:
        process: Its number, or None.
        command: What it ran.
        report: What it says of its settings and repairs; or why it ran as it is.
        has_settings: Whether settings were applied in it.
        has_ended: Whether it has come to its end.
    """

    process: int | None
    command: str
    report: str
    has_settings: bool = False
    has_ended: bool = True


class Writer:
    """Writes what this process has to say, anew with each setting that is applied, as it may end without a word.

    Args:
        folder: Where.
        command: What this process runs.
        report: Says what became of its settings, and what was repaired.
        is_own: Whether it runs a file of the program's own, which has a line also where it applies nothing.
    """

    def __init__(self, folder: str, command: str, report: Callable[[], str], is_own: bool) -> None:
        self._folder, self._command, self._report, self._is_own = folder, command, report, is_own
        self._process = os.getpid()
        self._has_settings = False

    def follow(self) -> None:
        """Begins."""
        from tf1mem.applying.execution import listeners

        if self._is_own:
            self._write(has_ended=False)
        listeners.append(self.note)
        atexit.register(self._end)
        self.follow_forks()

    def follow_forks(self) -> None:
        """Makes processes that are forked from this one write records, too, but not this one itself."""
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def note(self) -> None:
        """Writes what has been applied so far."""
        self._has_settings = True
        self._write(has_ended=False)

    def _forked(self) -> None:
        from tf1mem.applying.execution import listeners

        self._command = f"{_FORKED} from {self._process}"
        self._process, self._is_own, self._has_settings = os.getpid(), False, False
        if self.note not in listeners:
            listeners.append(self.note)

    def _end(self) -> None:
        is_forked = self._command.startswith(_FORKED)
        if self._has_settings or self._is_own or ("tensorflow" in sys.modules and not is_forked):
            self._write(has_ended=True)

    def _write(self, *, has_ended: bool) -> None:
        row = self._command, self._report(), self._has_settings, has_ended
        path = os.path.join(self._folder, f"{os.getpid()}.json")
        try:
            with open(path + ".new", "w", encoding="utf-8") as file:
                json.dump(row, file)
            os.replace(path + ".new", path)
        except OSError:
            pass  # the program has ended, and with it its report


def read(folder: str) -> list[Record]:
    """Returns the records that children have left in a folder.

    Args:
        folder: Where.
    """
    return sorted(_records(folder), key=lambda record: record.process or 0)


def _records(folder: str) -> Iterator[Record]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:  # a program may have cleared the temporary folder
        return
    for name in names:
        stem, _, kind = name.rpartition(".")
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                text = file.read()
            process = int(stem) if stem.isdigit() else None
            if kind == "json":
                yield Record(process, *json.loads(text))
            elif kind == "word":
                command, _, why = text.partition("\n")
                yield Record(process, command, why)
        except (OSError, ValueError):
            continue


def as_text(records: list[Record]) -> str:
    """The report's lines of children; "" where there are none.

    Args:
        records: What they have left.
    """
    kinds = _kinds(records, lambda command: command)
    if len(kinds) > _MOST:  # a sweep over parameters: each runs the same with other arguments
        kinds = _kinds(records, _without_arguments)
    lines = []
    for (command, report, ends), alike in list(kinds.items())[:_MOST]:
        numbers = [str(one.process) for one in alike if one.process is not None]
        shown = ", ".join(numbers[:8]) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
        head = ("child " if len(alike) == 1 else f"{len(alike)} children ") + shown
        said = f"{head.strip()} ({printable(command)}{'' if ends else ', still running'}):"
        if "\n" in report:
            lines += [said, *("  " + line for line in report.splitlines())]
        else:
            lines.append(f"{said} {printable(report)}")
    if len(kinds) > _MOST:
        lines.append(f"and {len(kinds) - _MOST} more kinds of children")
    return "\n".join(lines)


def _kinds(records: list[Record], shortened: Callable[[str], str]) -> dict[tuple[str, str, bool], list[Record]]:
    """Children that ran the same and say the same, by command, report and whether they have ended."""
    kinds: dict[tuple[str, str, bool], list[Record]] = {}
    for record in records:
        ends = record.has_ended or not _is_running(record.process)
        kinds.setdefault((shortened(record.command), record.report, ends), []).append(record)
    return kinds


def _without_arguments(command: str) -> str:
    words = command.split(" ")
    size = 3 if words[1:2] in (["-m"], ["-c"]) else 2
    return command if command.startswith(_FORKED) or len(words) <= size else " ".join([*words[:size], "..."])


def _is_running(process: int | None) -> bool:
    try:
        if process is None or os.name == "nt":
            return False
        os.kill(process, 0)
    except OSError:
        return False
    return True
