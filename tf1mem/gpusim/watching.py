"""Shows a live table of the GPUs while a command runs, like nvidia-smi.

The command writes to the same terminal, and its output isn't disturbed: the table takes the lowest lines, and the
terminal scrolls those above (DECSTBM of the VT100, which every terminal supports). Without a terminal, it prints a line
after a change, at most every ten seconds, so that a log stays short.
"""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import IO, Any, Iterable, Sequence

from tf1mem.errors import SimulationError, printable
from tf1mem.gpusim.machine import State, read
from tf1mem.settings.units import size

EVERY_S = 10.0  # seconds between lines without a terminal
_LEAST_ROWS = 12
_BAR = 20
_WIDE = 72  # the width of the whole table of processes, with the start of each command line


class Watch:
    """A live table of a machine's GPUs, updated by each `look` until `close`.

    Args:
        machine: The file that the machine's processes share.
        stream: The stream to write to; by default stderr.
    """

    def __init__(self, machine: Path, stream: IO[str] = sys.stderr) -> None:
        self._machine, self._stream = machine, stream
        self._started = time.monotonic()
        self._next, self._last = 0.0, ""  # the earliest time of the next line; the text of the last one
        self._rows, self._columns, self._height = 0, 0, 0  # the terminal's rows and columns; the table's rows

    def observe(self, pids: Iterable[int] = ()) -> None:
        """Shows the GPUs' memory now.

        Args:
            pids: Ignored: the machine's file lists its processes.
        """
        try:
            state = read(self._machine)
        except SimulationError:
            return  # a program cleared the temporary folder, which is reported at the end
        rows, columns = self._terminal()
        if rows >= _LEAST_ROWS:
            self._draw(state, rows, columns)
        else:
            self._print_change(state)

    def close(self) -> None:
        """Gives the lowest lines back to the terminal."""
        if self._height:
            self._write("\x1b7\x1b[r\x1b8\x1b[J")
            self._height = 0

    def _terminal(self) -> tuple[int, int]:
        """Returns the terminal's rows and columns, or (0, 0) if there is none or it is too simple."""
        if not self._stream.isatty() or os.environ.get("TERM", "dumb") == "dumb":
            return 0, 0
        columns, rows = os.get_terminal_size(self._stream.fileno())
        return rows, columns

    def _print_change(self, state: State) -> None:
        now = time.monotonic() - self._started
        status = "; ".join(
            f"GPU {number}: {size(held)} of {size(gpu.total_bytes)}, {_processes(state, number)}"
            for number, (gpu, held) in enumerate(zip(state.gpus, state.in_use))
        )
        has_started = state.usages or self._last
        if has_started and status != self._last and now >= self._next:
            self._write(f"tf1mem sim: after {now:.0f} s, {status}\n")
            self._next, self._last = now + EVERY_S, status

    def _draw(self, state: State, rows: int, columns: int) -> None:
        """Draws the lines at the bottom of the terminal, outside of the part that scrolls."""
        lines = self._lines(state, columns, rows // 2)
        height = max(len(lines), self._height)
        drawn = []
        if (height, rows, columns) != (self._height, self._rows, self._columns):
            # Scrolls up the existing text as far as needed, and puts the cursor back to its place in it.
            more = height - self._height if rows == self._rows else height
            drawn.append("\n" * more + f"\x1b[{more}A\x1b7\x1b[1;{rows - height}r\x1b8")
            self._height, self._rows, self._columns = height, rows, columns
        drawn.append("\x1b7")
        for place in range(height):
            line = lines[place] if place < len(lines) else ""
            drawn.append(f"\x1b[{rows - height + 1 + place};1H\x1b[0m\x1b[2K{line}")
        drawn.append("\x1b8")
        self._write("".join(drawn))

    def _lines(self, state: State, columns: int, most: int) -> list[str]:
        from rich.console import Console

        page = io.StringIO()
        console = Console(file=page, force_terminal=True, width=columns, highlight=False, markup=False, emoji=False)
        console.rule(f"tf1mem sim, {time.monotonic() - self._started:.0f} s", style="dim")
        console.print(_gpus(state, columns))
        if state.usages:
            console.print(_users(state, columns))
        lines = page.getvalue().rstrip("\n").split("\n")
        return lines if len(lines) <= most else [*lines[: most - 1], f"… {len(lines) - most + 1} more lines"]

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            pass  # The terminal is gone.


def _gpus(state: State, columns: int) -> Any:
    rows, refused = [], []
    for number, (gpu, held) in enumerate(zip(state.gpus, state.in_use)):
        filled = -(-held * _BAR // gpu.total_bytes)
        bar = "[" + "|" * filled + " " * (_BAR - filled) + "]"
        rows.append((str(number), f"{_mib(held)} / {_mib(gpu.total_bytes)}", bar, gpu.name))
        refused.append(any(usage.refused for usage in state.accounts if usage.gpu == number))
    return _table(("GPU", "Memory-Usage", "", "Name"), rows, columns, refused)


def _users(state: State, columns: int) -> Any:
    rows = []
    for it in state.usages:
        counted = (f"{it.refused:,}", f"{it.launches:,}") if columns >= _WIDE else ()
        rows.append((str(it.gpu), str(it.pid), _mib(it.reserved), _mib(it.peak), *counted, _command(it.pid)))
    counts = ("Refused", "Launches") if columns >= _WIDE else ()
    return _table(("GPU", "PID", "Memory", "Peak", *counts, "Process"), rows, columns)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], columns: int, red: Sequence[bool] = ()) -> Any:
    """Returns a table whose last column takes the remaining width."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    width = columns
    for place, name in enumerate(names):
        last = place == len(names) - 1
        table.add_column(name, justify="left" if last else "right", no_wrap=True)
        if not last:
            width -= max(len(line[place]) for line in (names, *rows)) + 2
    for number, row in enumerate(rows):
        table.add_row(*row[:-1], row[-1][: max(width, 0)], style="red" if red and red[number] else None)
    return table


def _mib(count: int) -> str:
    return f"{count / 2**20:.0f}MiB"


def _processes(state: State, gpu: int) -> str:
    count = len({usage.pid for usage in state.usages if usage.gpu == gpu})
    return "1 process" if count == 1 else f"{count} processes"


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return ""  # the process has ended meanwhile
    # Without the folders of the interpreter and of its program, which are long in environments and matter least.
    words[:2] = [os.path.basename(word.rstrip(b"/")) or word for word in words[:2]]
    return printable(b" ".join(words).decode("utf-8", "replace"))
