"""Plots the memory reserved on each GPU over time, in greys and hatches that can be printed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Sequence, Tuple

from tf1mem.errors import MissingPackageError, SimulationError, printable
from tf1mem.gpusim.gpus import SimulatedGpu
from tf1mem.gpusim.histories import Histories, History, Process
from tf1mem.settings.units import size

Steps = Sequence[Tuple[float, int]]

_GIB = 2**30
_WIDTH_INCHES = 7.2
_PANEL_INCHES = 2.1
_LEGEND_LINE_INCHES = 0.2
# Styles that differ without colour: shade and hatch.
_STYLES = (("0.62", ""), ("0.88", "////"), ("0.4", ""), ("0.95", "...."), ("0.75", "\\\\\\\\"), ("0.88", "xxxx"))
_REST_STYLE = ("1.0", "----")
_OTHERS_STYLE = ("1.0", "|||")
_MOST_POINTS = 6000
_MOST_REFUSALS = 1000
# If less than this share of a GPU was used, the panel's axis ends above that instead of at the GPU's size.
_SMALL = 0.4


@dataclass
class _Layer:
    """One area of the plot: a process, or all processes without a style of their own."""

    label: str
    style: tuple[str, str]
    shares: list[History]


def check_installed() -> None:
    """Checks that matplotlib is installed, without importing it.

    Raises:
        MissingPackageError: matplotlib isn't installed.
    """
    if find_spec("matplotlib") is None:
        raise MissingPackageError("--plot", "needs matplotlib, which isn't installed", "pip install 'tf1mem[plot]'")


def draw(path: str, gpus: Sequence[SimulatedGpu], histories: Histories) -> None:
    """Draws the reserved memory over time, a panel for each GPU, and writes the plot to a file.

    Args:
        path: The file; its ending decides the format: .svg, .png or .pdf.
        gpus: The machine's GPUs.
        histories: The histories of the machine's processes.

    Raises:
        MissingPackageError: matplotlib isn't installed.
        SimulationError: The file can't be written.
    """
    check_installed()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"font.size": 9, "hatch.linewidth": 0.5, "svg.hashsalt": "tf1mem"}):
        drawing = _Drawing(histories)
        figure = Figure()
        panels: Any = figure.subplots(len(gpus), 1, sharex=True, squeeze=False)[:, 0]
        for index, (gpu, axes) in enumerate(zip(gpus, panels)):
            drawing.panel(axes, index, gpu)
        panels[-1].set_xlabel("seconds since the first process started the driver")
        handles = drawing.handles
        legend_inches = _LEGEND_LINE_INCHES * ((len(handles) + 1) // 2) + 0.1
        height = _PANEL_INCHES * len(gpus) + legend_inches + 0.4
        figure.set_size_inches(_WIDTH_INCHES, height)
        figure.legend(
            list(handles.values()), list(handles), loc="lower center", ncol=2, frameon=False, handlelength=2.6,
        )  # fmt: skip
        figure.tight_layout(rect=(0, legend_inches / height, 1, 1))
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.lower().endswith(".svg") else None)
        except OSError as error:
            raise SimulationError(
                "--plot " + path, f"can't be written ({error.strerror})", "Name a file that can"
            ) from None


class _Drawing:
    """The common part of all panels: the time span, and the styles of the processes.

    Attributes:
        layers: The areas, each with its style.
        handles: Label -> the handle for the legend.
    """

    def __init__(self, histories: Histories) -> None:
        self.layers = _layers(histories)
        self.handles: dict[str, Any] = {}
        self._shares = histories.shares
        self._start, self._end = _span(histories)

    def panel(self, axes: Any, index: int, gpu: SimulatedGpu) -> None:
        """Draws one GPU."""
        tops = self._memory(axes, index, gpu), self._managed(axes, index), self._refusals(axes, index, gpu)
        self._limits(axes, gpu, max(tops))
        title = f"GPU {index}: {_literally(gpu.name)}, {size(gpu.total_bytes)}"
        axes.set_title(title, fontsize=9, loc="left")
        if not any(share.gpu == index for share in self._shares):
            axes.annotate("no process used it", (0.5, 0.5), xycoords="axes fraction", ha="center", va="center")
        axes.set_ylabel("GiB")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)

    def _memory(self, axes: Any, index: int, gpu: SimulatedGpu) -> float:
        """Stacks the memory of others and of the processes; returns the highest total, in GiB."""
        import numpy as np

        held = [[share.steps for share in layer.shares if share.gpu == index] for layer in self.layers]
        times = self._times([steps for layer in held for steps in layer])
        heights = [_height(layer, times) for layer in held]
        keep = _worth_drawing(sum(heights, np.zeros(len(times))))
        times = times[keep] - self._start
        level = np.full(len(times), gpu.used_bytes / _GIB)
        if gpu.used_bytes:
            self.handles.setdefault("used by others", _area(axes, times, level * 0, level, _OTHERS_STYLE))
        for layer, height in zip(self.layers, heights):
            if height.any():
                area = _area(axes, times, level, level + height[keep], layer.style)
                self.handles.setdefault(layer.label, area)
                level = level + height[keep]
        axes.step(times, level, where="post", color="black", linewidth=1)
        return float(level.max())

    def _managed(self, axes: Any, index: int) -> float:
        """Draws managed memory as a separate line, since it isn't on the GPU; returns the most, in GiB."""
        held = [share.managed_steps for share in self._shares if share.gpu == index and share.managed_steps]
        if not held:
            return 0.0
        times = self._times(held)
        height = _height(held, times)
        keep = _worth_drawing(height)
        (line,) = axes.step(
            times[keep] - self._start, height[keep], where="post", color="black", linewidth=1.5, linestyle=":"
        )
        self.handles.setdefault("managed memory (not on the GPU)", line)
        return float(height.max())

    def _times(self, held: Sequence[Steps]) -> Any:
        import numpy as np

        return np.unique([self._start, *(time for steps in held for time, _ in steps), self._end])

    def _refusals(self, axes: Any, index: int, gpu: SimulatedGpu) -> float:
        """Marks refused allocations at the memory held at that time; returns the highest mark, in GiB."""
        refusals = sorted(
            (refusal for share in self._shares if share.gpu == index for refusal in share.refusals),
            key=lambda refusal: refusal.time,
        )[:_MOST_REFUSALS]
        if not refusals:
            return 0.0
        times = [refusal.time - self._start for refusal in refusals]
        heights = [(gpu.total_bytes - refusal.free) / _GIB for refusal in refusals]
        (crosses,) = axes.plot(
            times, heights, "X", markersize=8, markerfacecolor="white", markeredgecolor="black", clip_on=False, zorder=5
        )
        self.handles.setdefault("refused", crosses)
        left = times[0] > (self._end - self._start) * 0.6
        more = "" if len(refusals) == 1 else f" and {len(refusals) - 1} more"
        axes.annotate(
            "refused " + size(refusals[0].bytes) + more, (times[0], heights[0]), xytext=(-8 if left else 8, 7),
            textcoords="offset points", ha="right" if left else "left", fontsize=8, zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
        )  # fmt: skip
        return max(heights)

    def _limits(self, axes: Any, gpu: SimulatedGpu, top: float) -> None:
        capacity = gpu.total_bytes / _GIB
        axes.set_xlim(0, self._end - self._start)
        if gpu.used_bytes / _GIB < top < capacity * _SMALL:
            axes.set_ylim(0, top * 1.35)
            axes.annotate(
                f"the axis ends below the GPU's {capacity:.6g} GiB", (1, 1), xycoords="axes fraction",
                xytext=(0, -2), textcoords="offset points", ha="right", va="top", fontsize=8,
            )  # fmt: skip
        else:
            axes.set_ylim(0, max(capacity, top) * 1.2)
            line = axes.axhline(capacity, color="black", linewidth=1, linestyle=(0, (6, 3)))
            self.handles.setdefault("the GPU's memory", line)


def _layers(histories: Histories) -> list[_Layer]:
    by_process: dict[int, list[History]] = {}
    for share in histories.shares:
        by_process.setdefault(id(share.process), []).append(share)
    groups = list(by_process.values())
    if len(groups) > len(_STYLES):
        largest = sorted(groups, key=lambda shares: -max(share.peak for share in shares))[: len(_STYLES) - 1]
        own = [shares for shares in groups if any(shares is large for large in largest)]
        smaller = [share for shares in groups if not any(shares is large for large in largest) for share in shares]
        layers = [_Layer(_name(shares[0].process), style, shares) for shares, style in zip(own, _STYLES)]
        count = len(groups) - len(own)
        return [*layers, _Layer(f"{count} smaller processes", _REST_STYLE, smaller)]
    return [_Layer(_name(shares[0].process), style, shares) for shares, style in zip(groups, _STYLES)]


def _name(process: Process) -> str:
    # There is little room, and a program's folder matters least.
    program, space, arguments = process.command.partition(" ")
    command = os.path.basename(program) + space + arguments
    name = printable(f"{process.pid}: {command}" if command else f"process {process.pid}")
    return _literally(name if len(name) <= 44 else name[:41] + "...")


def _literally(text: str) -> str:
    # matplotlib reads $…$ as mathematics.
    return text.replace("$", r"\$")


def _span(histories: Histories) -> tuple[float, float]:
    times = [process.started for process in histories.processes]
    times += [time for share in histories.shares for time, _ in share.steps]
    times += [refusal.time for share in histories.shares for refusal in share.refusals]
    if not times:
        return 0.0, 1.0
    start, end = min(times), max(times)
    # A margin at the end, so that the last step is visible.
    return start, max(end + (end - start) * 0.02, start + 1e-3)


def _height(held: Sequence[Steps], times: Any) -> Any:
    """Returns the total memory held at each of the times, in GiB."""
    import numpy as np

    height = np.zeros(len(times))
    for steps in filter(None, held):
        in_order = sorted(steps, key=lambda step: step[0])
        # The last step that isn't later; before the first step nothing is held.
        place = np.searchsorted([time for time, _ in in_order], times, side="right")
        height += np.array([0, *(total for _, total in in_order)])[place] / _GIB
    return height


def _worth_drawing(total: Any) -> Any:
    """Returns the indices to draw: all, or of very many the highest, the lowest and the last of each stretch."""
    import numpy as np

    if len(total) <= _MOST_POINTS:
        return slice(None)
    kept = [0]
    for stretch in np.array_split(np.arange(len(total)), _MOST_POINTS // 3):
        kept += [stretch[total[stretch].argmax()], stretch[total[stretch].argmin()], stretch[-1]]
    return np.unique(kept)


def _area(axes: Any, times: Any, low: Any, high: Any, style: tuple[str, str]) -> Any:
    shade, hatch = style
    return axes.fill_between(
        times, low, high, step="post", facecolor=shade, hatch=hatch, edgecolor="black", linewidth=0.4
    )
