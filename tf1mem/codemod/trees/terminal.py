"""Writes the report on a terminal: diffs and remarks in colour, and a progress bar below them."""

from __future__ import annotations

import time
from contextlib import contextmanager
from textwrap import wrap
from typing import Callable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.trees.outcomes import Outcome
from tf1mem.codemod.trees.phrases import MARGIN, place
from tf1mem.errors import printable

_LONG = 400  # characters shown of a line: a notebook may be one line
_FIRST_S = 0.3  # shorter runs need no bar
_EVERY_S = 0.1
# Prefix of a diff's line -> its style.
_STYLES = ((b"@@", "cyan"), (b"-", "red"), (b"+", "green"), (b"\\", "dim"))


class Terminal:
    """The output on a terminal, written at most ten times a second, since the bar below is redrawn each time.

    Args:
        is_one: True for a real terminal; otherwise there is no bar.
        color: True if it shows colour.
    """

    def __init__(self, *, is_one: bool, color: bool) -> None:
        self.console = Console(
            highlight=False, markup=False, emoji=False, no_color=not color,
            color_system="standard" if color else None,
            force_terminal=color or None, force_interactive=None if is_one else False,
        )  # fmt: skip
        self._held = Text()
        self._shown_s = time.monotonic()

    def show(self, outcome: Outcome, did: str, *, changes: bool) -> None:
        """Shows the outcome of a file.

        Args:
            outcome: The outcome.
            did: The line that replaces a diff where there is none, or "".
            changes: True to show each change.
        """
        if outcome.diff:
            self._held.append_text(_coloured(outcome.diff))
        if did:
            self._held.append(did + "\n", "green")
        width = max(self.console.width, 2 * MARGIN)
        for change in outcome.changes if changes else ():
            self._show_finding(outcome, change, "green", width)
        for remark in outcome.remarks:
            self._show_finding(outcome, remark, "yellow", width)
            for words in wrap(printable(remark.remedy), width - MARGIN):
                self._held.append(" " * MARGIN + words + "\n", "dim")
        if time.monotonic() - self._shown_s > _EVERY_S:
            self._flush()

    def _show_finding(self, outcome: Outcome, finding: Change | Remark, style: str, width: int) -> None:
        line = Text.assemble(
            (place(outcome, finding), "bold"), ": ", (finding.code, style), " ", printable(finding.message)
        )
        for part in line.wrap(self.console, width):
            part.rstrip()
            self._held.append_text(part).append("\n")

    def end(self, notes: Sequence[tuple[str, str]], lines: Sequence[str]) -> None:
        """Shows the end of the report.

        Args:
            notes: Skipped files and problems: pairs of style and text.
            lines: The summary, line by line.
        """
        for style, text in notes:
            self._held.append(text + "\n", style)
        if self._held and lines:
            self._held.append("\n")
        for line in lines:
            self._held.append("\n".join(wrap(line, self.console.width)) + "\n", "bold")
        self._flush()

    def _flush(self) -> None:
        if self._held:
            self.console.print(self._held, soft_wrap=True, end="")
        self._held = Text()
        self._shown_s = time.monotonic()


def _coloured(diff: bytes) -> Text:
    text = Text()
    for index, line in enumerate(diff.split(b"\n")[:-1]):
        # Only the first two lines are headers: a removed line may begin with "-- ".
        style = "bold" if index < 2 else next((style for start, style in _STYLES if line.startswith(start)), "")
        shown = printable(line.decode("utf-8", "replace").rstrip("\r"), keep="\t")
        if len(shown) > _LONG:
            shown = f"{shown[:_LONG]}… ({len(shown):,} characters)"
        text.append(shown + "\n", style)
    return text


@contextmanager
def progress_bar(console: Console) -> Iterator[Callable[[int, int | None], None]]:
    """Shows a bar while the block runs, and removes it.

    It is drawn by calls, not by a thread: workers are forked, and a fork of a process with threads may hang.

    Args:
        console: The console; other output to it appears above the bar.

    Yields:
        A function to call with the number of finished files and the total, or None while that is unknown.
    """
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    progress = Progress(
        *columns, console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    task = progress.add_task("Rewriting", total=None)
    due = time.monotonic() + _FIRST_S
    started = False

    def tell(done: int, total: int | None) -> None:
        nonlocal due, started
        now = time.monotonic()
        if now < due:
            return
        due = now + _EVERY_S
        if not started:
            progress.start()
            started = True
        progress.update(task, completed=done, total=total)
        progress.refresh()

    try:
        yield tell
    finally:
        if started:
            progress.stop()
