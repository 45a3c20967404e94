"""What people see on a terminal: diffs and remarks in colour, and a progress bar below them."""

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

_LONG = 400  # characters of a line that are shown: a notebook may be one line
_FIRST_S = 0.3  # what is done sooner needs no bar
_EVERY_S = 0.1
# What a line of a diff begins with, and its style.
_STYLES = ((b"@@", "cyan"), (b"-", "red"), (b"+", "green"), (b"\\", "dim"))


class Terminal:
    """What is shown on a terminal, ten times a second: each time the bar below it is drawn anew.

    Args:
        is_one: Whether it is a terminal; otherwise there is no bar.
        color: Whether it shows colour.
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
        """Shows what became of a file.

        Args:
            outcome: What became of it.
            did: The line that stands for a diff where there is none, or "".
            changes: Whether each change is named.
        """
        if outcome.diff:
            self._held.append_text(_coloured(outcome.diff))
        if did:
            self._held.append(did + "\n", "green")
        width = max(self.console.width, 2 * MARGIN)
        for change in outcome.changes if changes else ():
            self._found(outcome, change, "green", width)
        for remark in outcome.remarks:
            self._found(outcome, remark, "yellow", width)
            for words in wrap(printable(remark.remedy), width - MARGIN):
                self._held.append(" " * MARGIN + words + "\n", "dim")
        if time.monotonic() - self._shown_s > _EVERY_S:
            self._flush()

    def _found(self, outcome: Outcome, found: Change | Remark, style: str, width: int) -> None:
        line = Text.assemble((place(outcome, found), "bold"), ": ", (found.code, style), " ", printable(found.message))
        for part in line.wrap(self.console, width):
            part.rstrip()
            self._held.append_text(part).append("\n")

    def end(self, notes: Sequence[tuple[str, str]], lines: Sequence[str]) -> None:
        """Shows what comes last.

        Args:
            notes: What was passed over or went wrong: style and text.
            lines: The whole in a few lines.
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
        # Only the first two lines are headers: a line that is removed may begin with "-- ".
        style = "bold" if index < 2 else next((style for start, style in _STYLES if line.startswith(start)), "")
        shown = printable(line.decode("utf-8", "replace").rstrip("\r"), keep="\t")
        if len(shown) > _LONG:
            shown = f"{shown[:_LONG]}… ({len(shown):,} characters)"
        text.append(shown + "\n", style)
    return text


@contextmanager
def progress_bar(console: Console) -> Iterator[Callable[[int, int | None], None]]:
    """Shows a bar while the block runs, and takes it away.

    It is drawn from the calls, not by a thread: workers are forked, and a copy of a process with threads may hang.

    Args:
        console: Where it is shown; what else is printed there meanwhile appears above it.

    Yields:
        What to call with how many are done, and of how many, or None while that isn't known.
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
