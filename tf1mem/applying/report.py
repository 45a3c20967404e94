"""Report, and how it and a Plan read to a person: tables that fit the terminal, plain text everywhere."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from tf1mem.machine.runtime import Runtime
    from tf1mem.planning.plan import Plan
    from tf1mem.planning.steps import Step

DONE = "done"
STANDS = "already so"
HANDED = "handed to the Session"
NO_EFFECT = "no effect"
REFUSED = "refused"
REPLACED = "replaced"


@dataclass(frozen=True)
class Line:
    """What became of one step.

    Attributes:
        step: The step.
        outcome: "done", "already so", "handed to the Session", "no effect", "refused" or
            "replaced".
        why: Why.
    """

    step: Step
    outcome: str
    why: str

    @property
    def lost(self) -> bool:
        """Whether something that is asked for is lost, for another reason than that there's no GPU."""
        return self.step.loud or (
            self.outcome == NO_EFFECT and self.step.value != "(default)" and "no GPU" not in self.why
        )

    def __str__(self) -> str:
        call = f" by {self.step.call}" if self.step.call else ""
        return f"{self.step.setting}={self.step.value}: {self.outcome}{call} ({self.why})"


@dataclass(frozen=True)
class Report:
    """What `tf1mem.apply` did in this process, a line for each setting and route.

    `print(tf1mem.report())` shows it as a table.

    Attributes:
        runtime: The TensorFlow and the GPUs it was done on; None before the first `apply`.
        lines: What became of each step, of all configs that were applied, in their order.
    """

    runtime: Runtime | None = None
    lines: tuple[Line, ...] = ()

    @property
    def steps(self) -> tuple[Line, ...]:
        """The lines."""
        return self.lines

    def __str__(self) -> str:
        return self.as_text()

    def and_then(self, lines: Sequence[Line]) -> Report:
        """This report with what came after it; a line that it has already isn't said twice."""
        told = list(self.lines)  # compared, not hashed: a step's arguments may hold dicts
        for line in lines:
            if line not in told:
                told.append(line)
        return Report(self.runtime, tuple(told))

    def replaced_by(self, later: Sequence[Line]) -> Report:
        """This report with another config's lines in its place: what has none there is said to be gone."""
        # A line for all settings together, as on TensorFlow 1.13, doesn't say that one of them is meant again.
        again = {line.step.setting for line in later if not line.step.setting.startswith("(")}
        kept = [
            Line(line.step, REPLACED, "a later config doesn't ask for it")
            if line.outcome == DONE and line.step.setting not in again
            else line
            for line in self.lines
            # What is settled again has a line of its own; what a Session was given stays with that Session.
            if line.outcome != DONE or line.step.setting not in again
        ]
        return Report(self.runtime).and_then([*kept, *later])

    def as_text(self, width: int | None = None) -> str:
        """The report as a table.

        Args:
            width: Columns to fit into; by default the terminal's.
        """
        if not self.lines and self.runtime is None:
            return "tf1mem: nothing applied in this process"
        rows = [(line.step.setting, line.step.value, line.outcome, line.step.call, line.why) for line in self.lines]
        head = ("setting", "value", "outcome", "call", "why")
        return _text(_title(self.runtime, "applied"), head, rows, width)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {
            "tensorflow": None if self.runtime is None else str(self.runtime.version),
            "lines": [
                {
                    "setting": line.step.setting,
                    "value": line.step.value,
                    "route": line.step.route,
                    "call": line.step.call,
                    "outcome": line.outcome,
                    "why": line.why,
                }
                for line in self.lines
            ],
        }


def plan_text(plan: Plan, width: int | None) -> str:
    """A plan as a table of setting, value, route, call and reason."""
    rows = [(step.setting, step.value, step.route, step.call, step.reason) for step in plan.steps[1:]]
    head = ("setting", "value", "route", "call", "reason")
    return _text(_title(plan.runtime, "plan"), head, rows, width)


def _title(runtime: Runtime | None, what: str) -> str:
    from tf1mem import __version__
    from tf1mem.planning.steps import gib

    if runtime is None:
        return f"tf1mem {__version__}, {what} (TensorFlow not started)"
    if runtime.gpus is None:
        seen = "GPUs not counted"
    elif not runtime.gpus:
        seen = "no GPU"
    else:
        sizes = ", ".join("size unknown" if gpu.total_bytes is None else gib(gpu.total_bytes) for gpu in runtime.gpus)
        seen = "{} GPU{}: {}".format(len(runtime.gpus), "" if len(runtime.gpus) == 1 else "s", sizes)
    return f"tf1mem {__version__}, {what} (TensorFlow {runtime.version}; {seen})"


def _text(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None) -> str:
    width = max(width or shutil.get_terminal_size((80, 24)).columns, 40)
    body = _table(head, rows, width) if rows else "  nothing is asked for"
    return "\n".join([*textwrap.wrap(title, width, subsequent_indent="  "), body])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Three columns, and the call and its reason below each row: five columns wrap badly in 80."""
    columns = [max(len(row[place]) for row in [head, *rows]) for place in range(3)]
    columns[0] = min(columns[0], max(width - sum(columns[1:]) - 6, 20))
    columns[1] = min(columns[1], max(width - columns[0] - columns[2] - 6, 12))
    out = [_cells(head[:3], columns), "  " + "-" * (min(sum(columns) + 4, width - 2))]
    for row in rows:
        out.append(_cells(row[:3], columns))
        for mark, text in (("> ", row[3]), ("  ", row[4])):
            out += textwrap.wrap(
                text,
                width,
                initial_indent="      " + mark,
                subsequent_indent="        ",
                break_on_hyphens=False,
            )
    return "\n".join(out)


def _cells(cells: Sequence[str], columns: Sequence[int]) -> str:
    """One row; a cell too long for its column goes on below."""
    wrapped = [_chunks(cell, column) for cell, column in zip(cells, columns)]
    depth = max(map(len, wrapped))
    return "\n".join(
        "  "
        + "  ".join(
            (parts[line] if line < len(parts) else "").ljust(column) for parts, column in zip(wrapped, columns)
        ).rstrip()
        for line in range(depth)
    )


def _chunks(text: str, size: int) -> list[str]:
    """Cuts text to a width, after a dot or comma where there is one: field names are long and have no spaces."""
    parts = []
    while len(text) > size:
        cut = max(text.rfind(mark, 0, size) for mark in ".,_ ") + 1 or size
        parts.append(text[:cut].rstrip())
        text = text[cut:]
    return [*parts, text]
