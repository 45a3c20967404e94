"""Records that a program's children leave for its report, one file each, and the report's lines about them."""

from __future__ import annotations

import atexit
import json
import os
import sys
from typing import Callable, Iterator, NamedTuple

from tf1mem.errors import printable

# At most so many kinds of children get lines of their own.
_MOST = 20
# The first word in place of the command of a child that was forked.
_FORKED = "forked"


class ChildRecord(NamedTuple):
    """The record of a child process.

    Attributes:
        process: Process number, or None.
        command: The command that it ran.
        report: The report on settings and repairs, or the reason why it ran unchanged.
        has_settings: True if settings were applied in it.
        has_ended: True if it has ended.
    """

    process: int | None
    command: str
    report: str
    has_settings: bool = False
    has_ended: bool = True


class RecordWriter:
    """Writes the record of this process, again after each applied setting, since a process may be killed.

    Args:
        folder: Folder of the records.
        command: The command that this process runs.
        report: Returns the report on its settings and repairs.
        is_own: True if it runs a file of the program: then it gets a line even if it applies no setting.
    """

    def __init__(self, folder: str, command: str, report: Callable[[], str], is_own: bool) -> None:
        self._folder, self._command, self._report, self._is_own = folder, command, report, is_own
        self._process = os.getpid()
        self._has_settings = False

    def follow(self) -> None:
        """Starts to write."""
        from tf1mem.applying.execution import listeners

        if self._is_own:
            self._write(has_ended=False)
        listeners.append(self.note)
        atexit.register(self._end)
        self.follow_forks()

    def follow_forks(self) -> None:
        """Makes forks of this process write records, but not this process itself."""
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def note(self) -> None:
        """Writes the record so far."""
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


def read(folder: str) -> list[ChildRecord]:
    """Returns the records that children have left in a folder.

    Args:
        folder: Folder of the records.
    """
    return sorted(_records(folder), key=lambda record: record.process or 0)


def _records(folder: str) -> Iterator[ChildRecord]:
    """Yields the records in a folder; a file that can't be read is left out."""
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
                yield ChildRecord(process, *json.loads(text))
            elif kind == "message":
                command, _, why = text.partition("\n")
                yield ChildRecord(process, command, why)
        except (OSError, ValueError):
            continue


def as_text(records: list[ChildRecord]) -> str:
    """Returns the report's lines about children; "" if there are none.

    Args:
        records: The children's records.
    """
    kinds = _kinds(records, lambda command: command)
    if len(kinds) > _MOST:  # a sweep over parameters: the same command with different arguments
        kinds = _kinds(records, _without_arguments)
    lines = []
    for (command, report, ends), alike in list(kinds.items())[:_MOST]:
        numbers = [str(record.process) for record in alike if record.process is not None]
        shown = ", ".join(numbers[:8]) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
        head = ("child " if len(alike) == 1 else f"{len(alike)} children ") + shown
        heading = f"{head.strip()} ({printable(command)}{'' if ends else ', still running'}):"
        if "\n" in report:
            lines += [heading, *("  " + line for line in report.splitlines())]
        else:
            lines.append(f"{heading} {printable(report)}")
    if len(kinds) > _MOST:
        lines.append(f"and {len(kinds) - _MOST} more kinds of children")
    return "\n".join(lines)


def _kinds(
    records: list[ChildRecord], shortened: Callable[[str], str]
) -> dict[tuple[str, str, bool], list[ChildRecord]]:
    """Groups records by command, report and whether the child has ended."""
    kinds: dict[tuple[str, str, bool], list[ChildRecord]] = {}
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
