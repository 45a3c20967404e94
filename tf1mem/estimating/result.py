"""The estimate: its figures, and its text for a person."""

from __future__ import annotations

import math
import shutil
import textwrap
from dataclasses import dataclass
from typing import Any

from tf1mem.errors import SettingError, printable
from tf1mem.estimating.figures import OpRow
from tf1mem.planning import table
from tf1mem.settings.units import size

# The number of the JSON's schema; it rises when a field goes or changes its meaning.
_SCHEMA = 1
_MOST_ROWS = 16
_COLUMNS = ("op", "count", "input", "filter", "output", "temporary", "at peak")


@dataclass(frozen=True)
class Estimate(table.Printed):
    """The memory of one step, in bytes unless a figure's name says otherwise.

    `print(tf1mem.estimate(step, …))` shows it as a table.

    Attributes:
        step: The step's name.
        batch_size: The batch size that `estimate` was called with, or None.
        tensorflow: TensorFlow's version.
        device: "gpu" if the step was measured on a simulated GPU, with TensorFlow's GPU allocator; "cpu" if it was
            measured on the CPU.
        why_cpu: The reason for measuring on the CPU; "" for a GPU.
        peak: The most memory that TensorFlow's allocator had in use at once, in one region, as without growth.
        growth_peak: The peak with growth, where tensors lie in smaller regions; None on the CPU.
        allocator_peak: The peak by the allocator's own count; None on the CPU, and before TensorFlow 2.5, which
            doesn't report it. `peak` is then from the ops' statistics.
        parameters: The size of a model's variables, or of a function's trainable variables.
        other_variables: The size of the other variables: mostly optimizer slots; counters, metrics.
        constants: The memory in use before the step besides the variables: constants of the graph, rounding.
        inputs: The size of the feeds: arguments, and tensors that the function captures.
        activations: The memory in use at the peak from ops of the forward pass (from all ops if `gradients` is None).
        gradients: The memory in use at the peak from ops of the gradient; None if TensorFlow doesn't name them.
        temporaries: The memory in use at the peak that the running op frees when it ends.
        workspace: The increase of the peak if each convolution had its workspace, which is not measured but computed
            from the shapes.
        all_outputs: All memory that the step allocates for results: a bound for eager code that keeps them all.
        rows: A row for each type of op, the largest at the peak first.
        fit_mib: The lowest limit tried in MiB under which the step ran, with growth and without, without workspaces;
            None on the CPU.
        headroom_mib: The addition for the program around the step in MiB: waiting batches, initial values, gaps left
            by its start. 15% of `fit_mib`, at least 16 MiB.
        limit_mib: The recommended limit in MiB: `fit_mib`, the headroom and the workspace.
        tries: The number of limits tried.
        notes: Further remarks.
    """

    step: str
    batch_size: int | None
    tensorflow: str
    device: str
    why_cpu: str
    peak: int
    growth_peak: int | None
    allocator_peak: int | None
    parameters: int
    other_variables: int
    constants: int
    inputs: int
    activations: int
    gradients: int | None
    temporaries: int
    workspace: int
    all_outputs: int
    rows: tuple[OpRow, ...]
    fit_mib: int | None
    headroom_mib: int
    limit_mib: int
    tries: int
    notes: tuple[str, ...] = ()

    def fraction(self, of_gib: float) -> float:
        """Returns the `per_process_gpu_memory_fraction` that amounts to `limit_mib` on a GPU.

        Args:
            of_gib: The GPU's memory in GiB, as CUDA counts it: a card sold as 16 GB may have 15.8.

        Returns:
            The fraction, rounded up to four places.

        Raises:
            SettingError: `of_gib` isn't a size, or the step doesn't fit on such a GPU.
        """
        if not isinstance(of_gib, (int, float)) or isinstance(of_gib, bool) or not 0 < of_gib < math.inf:
            raise SettingError(f"fraction({of_gib!r})", "is not a GPU's memory", "Give it in GiB, such as 16")
        share = math.ceil(self.limit_mib / (of_gib * 1024) * 10000) / 10000
        if share > 1:
            raise SettingError(
                f"fraction({of_gib:g})",
                f"the step asks for {self.limit_mib:,} MiB, and that GPU has {of_gib * 1024:,.0f}",
                "Use a smaller batch (tf1mem.fit_batch finds one), or a larger GPU",
            )
        return share

    def as_dict(self) -> dict[str, Any]:
        """Returns the estimate as plain values, for JSON."""
        import dataclasses

        from tf1mem import __version__

        return {"schema": _SCHEMA, "tf1mem": __version__, **dataclasses.asdict(self)}

    def __repr__(self) -> str:
        return f"<Estimate: {self.step}, limit {self.limit_mib:,} MiB, TensorFlow {self.tensorflow}>"

    def as_text(self, width: int | None = None) -> str:
        """Returns the estimate as a table.

        Args:
            width: The width in columns, at least 60; by default the terminal's, at most 100.
        """
        width = max(width or min(shutil.get_terminal_size((80, 24)).columns, 100), 60)
        out: list[str] = []
        for paragraph in (self._title(), "  " + self.source):
            out += textwrap.wrap(printable(paragraph), width, subsequent_indent="  ", break_on_hyphens=False)
        summary = ("  {:<20}{:>11}  {}".format(*line).rstrip() for line in self._summary())
        out += ["", *summary, "", *self._table(width)]
        for note in self._notes():
            out += ["", *textwrap.wrap(printable(note), width, break_on_hyphens=False)]
        return "\n".join(out)

    def _repr_html_(self) -> str:
        """Returns the estimate as HTML, for notebooks."""
        ops = [(row.op, str(row.count), *_sizes(row), _workspace(row)) for row in self.rows[:_MOST_ROWS]]
        tables = ("", "", self.source), self._summary()
        return table.as_html(self._title(), tables, ((*_COLUMNS, ""), ops), notes=[*self._details(), *self._notes()])

    def _title(self) -> str:
        from tf1mem import __version__

        return f"tf1mem {__version__}, estimate of {self.step} (TensorFlow {self.tensorflow})"

    @property
    def source(self) -> str:
        """Returns a sentence on the device that measured the step."""
        if self.device == "cpu":
            return (
                "measured on the CPU. A GPU takes another amount: its ops need other temporaries, and its allocator "
                "differs. "
                f"Why on the CPU: {self.why_cpu}"
            )
        return "measured with TensorFlow's GPU allocator, on a simulated GPU"

    def _summary(self) -> list[tuple[str, str, str]]:
        """Returns the figures in the order in which they add up: a name, a size, an explanation."""
        lines: list[tuple[str, int | None, str]] = [
            ("peak of one step", self.peak, "most in use at once"),
            ("  parameters", self.parameters, ""),
            ("  other variables", self.other_variables, "optimizer slots, counters, metrics"),
            ("  constants", self.constants, "of the graph"),
            ("  activations", self.activations, "alive at the peak"),
        ]
        if self.gradients is not None:
            lines.append(("  gradients", self.gradients, "alive at the peak"))
        lines.append(("  temporaries", self.temporaries, "of the op at the peak"))
        unexplained = max(self.peak - sum(count or 0 for _, count, _ in lines[1:]), 0)
        lines.append(("  inputs and copies", unexplained, f"inputs are {size(self.inputs)}"))
        if self.growth_peak is not None:
            lines.append(("peak with growth", self.growth_peak, "tensors in smaller regions"))
        out = [(name, "-" if count is None else size(count), say) for name, count, say in lines if count != 0]
        if self.fit_mib is not None:
            out.append(("ran under", f"{self.fit_mib:,} MiB", "tried, with growth and without"))
            if self.workspace:
                out.append(("cuDNN workspace", size(self.workspace), "computed, see below"))
        out.append(("headroom", f"{self.headroom_mib:,} MiB", "for the program around the step"))
        out.append(("limit to ask for", f"{self.limit_mib:,} MiB", "memory_limit, in MiB"))
        return out

    def _table(self, width: int) -> list[str]:
        shown = self.rows[:_MOST_ROWS]
        room = width - 2 - 6 - 5 * 11
        name = max(min(max([len(row.op) for row in shown] + [2]), max(room, 12)), 2)
        form = "  {:<%d}{:>6}{:>11}{:>11}{:>11}{:>11}{:>11}" % name
        if width < 2 + name + 6 + 55:
            form = "  {:<%d}{:>6}{:>10}{:>10}{:>10}{:>10}{:>10}" % name
        out = [form.format(*_COLUMNS), "  " + "-" * (len(form.format(*_COLUMNS)) - 2)]
        for row in shown:
            label = row.op if len(row.op) <= name else row.op[: name - 1] + "…"
            out.append(form.format(label, row.count, *_sizes(row)))
            if row.workspace_bytes:
                out.append("      " + _workspace(row))
        return [*out, *("  " + line for line in self._details())]

    def _details(self) -> list[str]:
        more = len(self.rows) - _MOST_ROWS
        return [f"and {more} more types of ops, in .rows"] if more > 0 else []

    def _notes(self) -> list[str]:
        notes = []
        if self.fit_mib is not None:
            notes.append(
                "The step needs more than its peak: the allocator rounds each tensor up to 256 bytes and leaves "
                "gaps between tensors, and TensorFlow tries out convolutions once. With growth its regions double in "
                "size, which leaves more gaps. A limit or a fraction is for TensorFlow's pool alone: CUDA's own "
                "context takes some hundred MiB of the GPU in addition."
            )
        if self.workspace:
            notes.append(
                "A simulated GPU can't show cuDNN's workspaces, so the figure is computed from shapes. The step also "
                "runs without a workspace, but more slowly: cuDNN's implicit GEMM needs none."
            )
        notes.extend(self.notes)
        return notes


def _sizes(row: OpRow) -> list[str]:
    cells = (row.input_bytes, row.filter_bytes, row.output_bytes, row.temporary_bytes, row.at_peak_bytes)
    return [size(cell) if cell else "-" for cell in cells]


def _workspace(row: OpRow) -> str:
    if not row.workspace_bytes:
        return ""
    return f"cuDNN workspace of the largest: {size(row.workspace_bytes)} by {row.workspace_algorithm} (computed)"
