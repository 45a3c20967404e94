"""The report: the outcome of each step of the plans that were carried out, as text, HTML and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

from tf1mem import __version__
from tf1mem.errors import printable
from tf1mem.planning import table
from tf1mem.planning.steps import ALL, DEFAULT_CONFIG, SCHEMA, plain, shown

if TYPE_CHECKING:
    from tf1mem.machine.runtime import Runtime
    from tf1mem.planning.steps import Step

# Outcomes of a step.
DONE = "done"  # TensorFlow has taken the setting
STANDS = "already so"  # the value was in force before
HANDED = "handed to the Session"  # the config that the Session gets has the setting
NO_EFFECT = "no effect"  # this TensorFlow, or this process, doesn't use the setting
REFUSED = "refused"  # the runtime had started with another value
REPLACED = "replaced"  # a later config, in force instead of this one, leaves the setting out
OVERRIDDEN = "overridden"  # --override has set another value in its place
IN_CHILDREN = "in its children"  # only child processes of this one have started the runtime, and use the setting

_COLUMNS = ("setting", "value", "outcome", "call", "why")
_NOTHING = "tf1mem: nothing applied in this process"


@dataclass(frozen=True)
class Line:
    """The outcome of one step.

    Attributes:
        step: The step of the plan.
        outcome: "done", "already so", "handed to the Session", "no effect", "refused", "replaced",
            "overridden" or "in its children".
        why: The reason for the outcome.
    """

    step: Step
    outcome: str
    why: str

    @property
    def lost(self) -> bool:
        """Returns True if a requested setting is lost, entirely or in part."""
        if self.outcome == OVERRIDDEN:
            return self.step.value is not None
        return self.step.loud or (self.outcome == NO_EFFECT and not self.step.harmless)

    def __str__(self) -> str:
        call = f" by {self.step.call}" if self.step.call else ""
        text = f"{self.step.setting}={shown(self.step.value)}: {self.outcome}{call} ({self.why})"
        return printable(text)


@dataclass(frozen=True)
class Report(table.Printed):
    """The outcome of each setting that `tf1mem.apply` applied in this process.

    `print(tf1mem.report())` shows it as a table.

    Attributes:
        runtime: The TensorFlow and the GPUs; None before the first `apply`.
        lines: The outcomes of the steps of all configs that were applied, in their order.
    """

    runtime: Runtime | None = None
    lines: tuple[Line, ...] = ()

    @property
    def steps(self) -> tuple[Line, ...]:
        """Returns `lines`, by the name of a Plan's attribute."""
        return self.lines

    def __repr__(self) -> str:
        lines = [line for line in self.lines if line.step.route != DEFAULT_CONFIG]
        return table.short(self, self.runtime, [(line.step.setting, line.outcome) for line in lines])

    def and_then(self, lines: Sequence[Line]) -> Report:
        """Returns this report with further lines; a line that it has already isn't repeated."""
        unique = list(self.lines)  # compared, not hashed: a step's arguments may hold dicts
        for line in lines:
            if line.step.listed and line not in unique:
                unique.append(line)
        return Report(self.runtime, tuple(unique))

    def replaced_by(self, later: Sequence[Line]) -> Report:
        """Returns this report with a later config's lines; settings that the config leaves out become "replaced"."""
        # A line for all settings together, as on TensorFlow 1.13, doesn't say which settings the later config repeats.
        again = {line.step.setting for line in later if line.step.listed and line.step.setting != ALL}
        has_default_config = any(line.step.route == DEFAULT_CONFIG for line in later)
        shown_lines = []
        for line in self.lines:
            is_default_config = line.step.route == DEFAULT_CONFIG
            # A Session keeps the config that it got, and the default config stays until there is another. A setting
            # that the later config makes again has its line there.
            if line.outcome != DONE or (is_default_config and not has_default_config):
                shown_lines.append(line)
            elif line.step.setting not in again:
                gone = "a later config has replaced it" if is_default_config else "a later config leaves it out"
                shown_lines.append(Line(line.step, REPLACED, gone))
        return Report(self.runtime).and_then([*shown_lines, *later])

    def as_text(self, width: int | None = None) -> str:
        """Returns the report as a table.

        Args:
            width: The width in columns; by default the terminal's.
        """
        if not self.lines and self.runtime is None:
            return _NOTHING
        return table.text(table.title(self.runtime, "applied"), _COLUMNS, self._rows(), width)

    def _repr_html_(self) -> str:
        """Returns the report as HTML, for notebooks."""
        if not self.lines and self.runtime is None:
            return table.as_html(_NOTHING)
        return table.as_html(table.title(self.runtime, "applied"), (_COLUMNS, self._rows()))

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (line.step.setting, shown(line.step.value), line.outcome, line.step.call, line.why) for line in self.lines
        ]

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as plain values, for JSON."""
        return {
            "schema": SCHEMA,
            "tf1mem": __version__,
            "tensorflow": None if self.runtime is None else str(self.runtime.version),
            "lines": [
                {
                    "setting": line.step.setting,
                    "value": plain(line.step.value),
                    "route": line.step.route,
                    "call": line.step.call,
                    "outcome": line.outcome,
                    "why": line.why,
                }
                for line in self.lines
            ],
        }
