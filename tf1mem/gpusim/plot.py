"""Plots the memory reserved on each GPU over time, in greys and hatches that can be printed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Sequence

from tf1mem.errors import MissingPackageError, SimulationError
from tf1mem.gpusim.gpus import SimulatedGpu
from tf1mem.gpusim.histories import Histories
from tf1mem.gpusim.timeline import Area, areas, ends_below_capacity, span, stack
from tf1mem.settings.units import size

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
        areas: The areas of all GPUs, one for each style.
        handles: Label -> the handle for the legend.
    """

    def __init__(self, histories: Histories) -> None:
        self.areas = areas(histories, len(_STYLES))
        self.handles: dict[str, Any] = {}
        self._shares = histories.shares
        self._start, self._end = span(histories)

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
        """Stacks the memory used from the start and that of the processes; returns the highest total, in GiB."""
        import numpy as np

        steps = [[share.steps for share in area.shares if share.gpu == index] for area in self.areas]
        stacked = stack(steps, (self._start, self._end)).downsampled(_MOST_POINTS)
        times = np.array(stacked.times) - self._start
        level = np.full(len(times), gpu.used_bytes / _GIB)
        if gpu.used_bytes:
            self.handles.setdefault("used by others", _area(axes, times, level * 0, level, _OTHERS_STYLE))
        for area, height in zip(self.areas, stacked.levels):
            if any(height):
                top = level + np.array(height) / _GIB
                self.handles.setdefault(_literally(area.label), _area(axes, times, level, top, _style(area)))
                level = top
        axes.step(times, level, where="post", color="black", linewidth=1)
        return float(level.max())

    def _managed(self, axes: Any, index: int) -> float:
        """Draws managed memory as a separate line, since it isn't on the GPU; returns the most, in GiB."""
        import numpy as np

        held = [share.managed_steps for share in self._shares if share.gpu == index and share.managed_steps]
        if not held:
            return 0.0
        stacked = stack([held], (self._start, self._end)).downsampled(_MOST_POINTS)
        height = np.array(stacked.totals) / _GIB
        (line,) = axes.step(
            np.array(stacked.times) - self._start, height, where="post", color="black", linewidth=1.5, linestyle=":"
        )
        self.handles.setdefault("managed memory (not on the GPU)", line)
        return float(height.max())

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
        is_on_right = times[0] > (self._end - self._start) * 0.6
        more = "" if len(refusals) == 1 else f" and {len(refusals) - 1} more"
        axes.annotate(
            "refused " + size(refusals[0].bytes) + more, (times[0], heights[0]), xytext=(-8 if is_on_right else 8, 7),
            textcoords="offset points", ha="right" if is_on_right else "left", fontsize=8, zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.85},
        )  # fmt: skip
        return max(heights)

    def _limits(self, axes: Any, gpu: SimulatedGpu, top: float) -> None:
        capacity = gpu.total_bytes / _GIB
        axes.set_xlim(0, self._end - self._start)
        if ends_below_capacity(gpu.used_bytes / _GIB, top, capacity):
            axes.set_ylim(0, top * 1.35)
            axes.annotate(
                f"the axis ends below the GPU's {capacity:.6g} GiB", (1, 1), xycoords="axes fraction",
                xytext=(0, -2), textcoords="offset points", ha="right", va="top", fontsize=8,
            )  # fmt: skip
        else:
            axes.set_ylim(0, max(capacity, top) * 1.2)
            line = axes.axhline(capacity, color="black", linewidth=1, linestyle=(0, (6, 3)))
            self.handles.setdefault("the GPU's memory", line)


def _literally(text: str) -> str:
    # matplotlib reads $…$ as mathematics.
    return text.replace("$", r"\$")


def _style(area: Area) -> tuple[str, str]:
    return _REST_STYLE if area.place is None else _STYLES[area.place]


def _area(axes: Any, times: Any, low: Any, high: Any, style: tuple[str, str]) -> Any:
    shade, hatch = style
    return axes.fill_between(
        times, low, high, step="post", facecolor=shade, hatch=hatch, edgecolor="black", linewidth=0.4
    )
