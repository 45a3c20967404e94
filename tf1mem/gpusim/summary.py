"""Formats the summary of a simulation: each process's memory on each GPU, in tables that fit the terminal."""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from tf1mem.errors import printable
from tf1mem.gpusim.gpus import SimulatedGpu
from tf1mem.gpusim.histories import Histories, History, OpHistory
from tf1mem.gpusim.machine import KILLED, RUNNING
from tf1mem.settings.units import exactly, size

if TYPE_CHECKING:
    from rich.console import Console

HEAD = ("process", "regions", "reserved", "peak", "peak, bytes", "refused", "launches")
_PEAK = 3  # the column to leave out if the table is too wide; the next column has the same in bytes
_MOST_REFUSALS = 3
_MOST_OPS = 8


@dataclass(frozen=True)
class Row:
    """A process on a GPU.

    Attributes:
        cells: The cells below `HEAD`.
        notes: Sentences about the process on this GPU, such as "still running".
        share: The process's history on this GPU.
    """

    cells: Sequence[str]
    notes: Sequence[str]
    share: History


@dataclass(frozen=True)
class Panel:
    """A GPU: its title, and the processes that used it."""

    title: str
    rows: Sequence[Row]


def as_text(gpus: Sequence[SimulatedGpu], histories: Histories, width: int = 80) -> str:
    """Returns the summary as plain text.

    Args:
        gpus: The machine's GPUs.
        histories: The histories of the machine's processes.
        width: The width in columns.
    """
    width = max(width, 40)
    lines = [title(gpus, histories)]
    for panel in panels(gpus, histories):
        lines += ["", *textwrap.wrap(panel.title, width)]
        lines += _table(panel.rows, width) if panel.rows else ["  no process used it"]
    for note in notes(histories):
        lines += ["", *textwrap.wrap(note, width, break_on_hyphens=False)]
    return "\n".join(lines)


def show(console: Console, gpus: Sequence[SimulatedGpu], histories: Histories) -> None:
    """Prints the summary on a terminal.

    Args:
        console: The terminal. If it is too narrow for the table, the summary is plain text, so that no figure is cut.
        gpus: The machine's GPUs.
        histories: The histories of the machine's processes.
    """
    from rich.padding import Padding
    from rich.text import Text

    every = list(panels(gpus, histories))
    if console.width < max([0, *(_table_width(panel.rows) for panel in every if panel.rows)]):
        console.print(Text(as_text(gpus, histories, console.width)), crop=False, soft_wrap=True)
        return
    console.print(Text(title(gpus, histories), style="bold"))
    for panel in every:
        console.print()
        console.print(Text(panel.title, style="bold"))
        if not panel.rows:
            console.print(Text("  no process used it"))
            continue
        console.print(Padding(_rich_table(panel.rows), (0, 0, 0, 2), expand=False))
        for row in panel.rows:
            for note in row.notes:
                console.print(Padding(Text(f"{row.cells[0]}: {note}"), (0, 0, 0, 2), expand=False))
    for note in notes(histories):
        console.print()
        console.print(Text(note))


def title(gpus: Sequence[SimulatedGpu], histories: Histories) -> str:
    """Returns the title: the number of GPUs and of processes."""
    users = {id(share.process) for share in histories.shares}  # without processes that only list the GPUs
    return "tf1mem sim: {}, {} on {}".format(
        count(len(gpus), "simulated GPU"), count(len(users), "process"), "it" if len(gpus) == 1 else "them"
    )


def panels(gpus: Sequence[SimulatedGpu], histories: Histories) -> Iterator[Panel]:
    """Yields each GPU with its processes."""
    for index, gpu in enumerate(gpus):
        heading = f"GPU {index}: {gpu.name}, {exactly(gpu.total_bytes)}"
        if gpu.used_bytes:
            heading += f", {exactly(gpu.used_bytes)} of it used by others"
        if gpu.context_bytes:
            heading += f", {exactly(gpu.context_bytes)} for each CUDA context"
        yield Panel(heading, [_row(share) for share in histories.shares if share.gpu == index])


def _row(share: History) -> Row:
    cells = (
        str(share.process.pid),
        f"{share.regions:,}",
        size(share.reserved),
        size(share.peak),
        f"{share.peak:,}",
        f"{share.refused:,}",
        "?" if share.launches is None else f"{share.launches:,}",
    )
    return Row(cells, [printable(note) for note in _details(share)], share)


def _details(share: History) -> Iterator[str]:
    """Yields sentences about a process on a GPU: its command, its state, its refused allocations."""
    if share.process.command:
        yield share.process.command
    if share.process.state == RUNNING:
        yield "still running"
    elif share.process.state == KILLED:
        yield "it ended without closing the driver: it was killed, or called os._exit"
    if share.where is not None:
        yield f"the GPU was started by {_line(share.where, share.call)}"
    elif share.call is not None:
        yield f"the GPU was started by {share.call}"
    if share.managed_peak:
        yield f"managed memory, which is not on the GPU: {exactly(share.managed_peak)} at most"
    for refusal in share.refusals[:_MOST_REFUSALS]:
        yield "refused {} with {} left{}".format(
            exactly(refusal.bytes),
            exactly(refusal.free),
            "" if refusal.where is None else ", at " + near(refusal.where),
        )
    if len(share.refusals) > _MOST_REFUSALS:
        yield "and {} refused".format(count(len(share.refusals) - _MOST_REFUSALS, "more allocation"))


def notes(histories: Histories) -> Iterator[str]:
    """Yields sentences about the whole simulation: what is missing, what was computed."""
    if histories.cut:
        yield (
            "The trace is incomplete: one line could not be written (a full disk?), nor any line after it. The "
            "figures above are the GPUs' own accounts; what was refused after that line, and where, is not known."
        )
    for stray in histories.strays:
        yield printable(
            f"Not on these GPUs: process {stray.pid}, {stray.command}. It uses TensorFlow and left the simulation: its "
            "LD_LIBRARY_PATH is not the one that tf1mem sim set."
        )
    if histories.unsupported:
        calls = histories.unsupported
        names = ", ".join(f"{function} ({library})" if library else function for library, function in calls)
        yield printable(f'The simulator lacks these functions, and answered "not supported": {names}')
    launches = sum(share.launches or 0 for share in histories.shares)
    computed = sum(share.computed for share in histories.shares)
    if histories.not_computed:
        counts = {op: histories.ops.get(op, OpHistory()) for op in histories.not_computed}
        lost = {op: count.launches - count.computed for op, count in counts.items()}
        yield printable("Not computed, so their values are not real: {}".format(", ".join(_counted(lost))))
    if not histories.processes:
        yield (
            "No process used a GPU. A TensorFlow that is built without CUDA (tensorflow-cpu) never does; tf1mem "
            "doctor shows how yours is built."
        )
    elif computed:
        yield (
            "Values are real: TensorFlow's CPU kernels computed the ops of {:,} of {}. The values of the others are "
            "not used, or not real.".format(computed, count(launches, "kernel launch"))
            if computed < launches
            else "Values are real: TensorFlow's CPU kernels computed the ops of {}{}.".format(
                "the " if launches == 1 else "all ", count(launches, "kernel launch")
            )
        )
        if histories.ops:
            yield printable("Computed: " + _most({op: count.computed for op, count in histories.ops.items()}))
    elif launches:
        yield (
            "{} computed nothing. Values that come from kernels on these GPUs are not real.".format(
                count(launches, "kernel launch")
            )
        )
    else:
        yield (
            "No kernel was launched: nothing was computed on a GPU. TensorFlow computes ops on constants on the CPU."
        )


def _most(ops: Mapping[str, int]) -> str:
    """Returns the ops with the most launches, with their counts, as text."""
    ordered = {op: ops[op] for op in sorted(ops, key=lambda op: (-ops[op], op)) if ops[op]}
    named = list(_counted(ordered))
    omitted = len(named) - _MOST_OPS
    return ", ".join(named[:_MOST_OPS]) + (" and {} of op".format(count(omitted, "more kind")) if omitted > 0 else "")


def _counted(ops: Mapping[str, int]) -> Iterator[str]:
    for op, launches in ops.items():
        yield "{} ({})".format(op, count(launches, "launch")) if launches else op


def _columns(rows: Sequence[Row]) -> list[int]:
    return [max(len(line[place]) for line in [HEAD, *(row.cells for row in rows)]) for place in range(len(HEAD))]


def _table_width(rows: Sequence[Row]) -> int:
    columns = _columns(rows)
    return sum(columns) + 2 * len(columns)


def _table(rows: Sequence[Row], width: int) -> list[str]:
    """Returns the lines of a plain table; without the column `_PEAK` if it would be wider than `width`."""
    columns = _columns(rows)
    narrow = _table_width(rows) > width

    def line(cells: Sequence[str]) -> str:
        padded = [cell.rjust(column) for cell, column in zip(cells, columns)]
        if narrow:
            del padded[_PEAK]
        return "  " + (" " if narrow else "  ").join(padded)

    head = line(HEAD)
    lines = [head, "  " + "-" * (min(len(head), width) - 2)]
    for row in rows:
        lines.append(line(row.cells))
        for note in row.notes:
            lines += textwrap.wrap(
                note, width, initial_indent="      ", subsequent_indent="        ", break_on_hyphens=False
            )
    return lines


def _rich_table(rows: Sequence[Row]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in HEAD:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        refused = row.cells[5] != "0"
        table.add_row(*row.cells, style="red" if refused else None)
    return table


def _line(where: str, call: str | None) -> str:
    return near(where) if call is None else f"{near(where)} ({call})"


def near(where: str) -> str:
    """Returns a line such as "train.py:12", relative to the current folder if the file is below it."""
    folder = os.path.join(os.getcwd(), "")
    return where[len(folder) :] if where.startswith(folder) else where


def count(number: int, noun: str) -> str:
    """Returns a number with a noun: "2 processes"."""
    plural = noun + ("es" if noun.endswith(("s", "ch")) else "s")
    return f"{number:,} {noun if number == 1 else plural}"
