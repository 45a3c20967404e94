"""A simulation as one page of HTML: for each GPU its memory over time and a table of its processes; then the ops."""

from __future__ import annotations

import signal
from typing import Iterator, Sequence

from tf1mem import pages
from tf1mem.gpusim import summary
from tf1mem.gpusim.gpus import SimulatedGpu
from tf1mem.gpusim.histories import Histories, History, OpHistory
from tf1mem.gpusim.timeline import Area, areas, ends_below_capacity, span, stack
from tf1mem.settings.units import exactly, size

_MOST_POINTS = 2000
_MOST_LINES = 20
_REST, _OTHERS = "line", "quiet"


def as_page(command: str, status: int, gpus: Sequence[SimulatedGpu], histories: Histories) -> str:
    """Returns the page.

    Args:
        command: The command line that was run.
        status: The exit status, or the negative number of the signal that ended it.
        gpus: The machine's GPUs.
        histories: The histories of the machine's processes.
    """
    refused = sum(share.refused for share in histories.shares)
    verdict = f"Exit status {status}" if status >= 0 else f"Ended by {signal.Signals(-status).name}"
    if refused:
        verdict += ", {} refused".format(summary.count(refused, "allocation"))
    css = pages.BAD if status else pages.OPEN if refused else pages.GOOD
    return pages.page(
        f"tf1mem sim: {command}",
        pages.tag("h1", pages.tag("code", command)),
        pages.verdict(css, verdict),
        pages.paragraphs([summary.title(gpus, histories), *summary.notes(histories)]),
        *_gpus(gpus, histories),
        _ops(histories),
    )


def _gpus(gpus: Sequence[SimulatedGpu], histories: Histories) -> Iterator[str]:
    """Yields a section for each GPU."""
    all_areas = areas(histories, len(pages.COLORS))
    within = span(histories)
    for index, (gpu, panel) in enumerate(zip(gpus, summary.panels(gpus, histories))):
        if not panel.rows:
            yield pages.section(panel.title, pages.tag("p", "no process used it"))
            continue
        numbers = range(1, len(summary.HEAD))
        yield pages.section(
            panel.title,
            _chart(index, gpu, all_areas, within),
            pages.table(summary.HEAD, (row.cells for row in panel.rows), numbers),
            *(part for row in panel.rows for part in _process(row)),
        )


def _chart(index: int, gpu: SimulatedGpu, all_areas: Sequence[Area], within: tuple[float, float]) -> str:
    """Returns a GPU's chart with its legend: an area for each process, and a line for each refused allocation."""
    steps = [[share.steps for share in area.shares if share.gpu == index] for area in all_areas]
    stacked = stack(steps, within).downsampled(_MOST_POINTS)
    used = gpu.used_bytes
    top = used + max(stacked.totals)
    high = top * 1.25 if ends_below_capacity(used, top, gpu.total_bytes) else max(gpu.total_bytes, top)
    shapes: list[pages.Shape] = []
    keys: list[tuple[str, object]] = []
    level = [used] * len(stacked.times)
    if used:
        shapes.append(_area(_OTHERS, stacked.times, [0] * len(level), level, "used by others"))
        keys.append((_OTHERS, f"{exactly(used)} used by others"))
    for area, heights in zip(all_areas, stacked.levels):
        if any(heights):
            color = _REST if area.place is None else pages.COLORS[area.place]
            above = [below + height for below, height in zip(level, heights)]
            shapes.append(_area(color, stacked.times, level, above, area.label))
            keys.append((color, f"{area.label}: {exactly(max(heights))} at most"))
            level = above
    refusals = [
        refusal for area in all_areas for share in area.shares if share.gpu == index for refusal in share.refusals
    ]
    for refusal in refusals[:_MOST_LINES]:
        line = ((refusal.time, 0), (refusal.time, high))
        shapes.append(pages.Shape("bad", line, label=f"refused {exactly(refusal.bytes)}"))
    if refusals:
        keys.append(("bad", "refused"))
    if not shapes:
        return ""
    start, end = within
    ends = ("0 s", f"{end - start:.3g} s", "0", size(int(high)))
    name = f"Memory of GPU {index} over time, by process"
    return pages.Html(pages.chart(shapes, within, (0, high), ends, name) + pages.keys(keys))


def _area(color: str, times: Sequence[float], below: Sequence[int], above: Sequence[int], label: str) -> pages.Shape:
    edge, ground = list(_steps(times, above)), list(_steps(times, below))
    return pages.Shape(color, [*edge, *reversed(ground)], True, label, 1, 0.35)


def _steps(times: Sequence[float], heights: Sequence[int]) -> Iterator[tuple[float, float]]:
    """Yields the corners of a line that keeps each height until the next time."""
    before: int | None = None
    for time, height in zip(times, heights):
        if before is not None and before != height:
            yield time, before
        if before != height:
            yield time, height
        before = height
    if before is not None:
        yield times[-1], before


def _process(row: summary.Row) -> Iterator[str]:
    yield pages.tag("h3", "Process ", row.cells[0])
    yield pages.items(row.notes)
    if row.share.requests:
        yield _requests(row.share)


def _requests(share: History) -> str:
    """Returns a table of the lines of the program that requested memory, the largest first."""
    by_size = sorted(share.requests.items(), key=lambda each: -each[1].bytes)
    rows = [
        (
            "a thread of TensorFlow, at no line of the program" if where is None else summary.near(where),
            f"{requests.regions:,}",
            exactly(requests.bytes),
            size(requests.largest),
        )
        for where, requests in by_size[:_MOST_LINES]
    ]
    omitted = by_size[_MOST_LINES:]
    if omitted:
        regions, total = (sum(getattr(each, name) for _, each in omitted) for name in ("regions", "bytes"))
        rows.append((summary.count(len(omitted), "other line"), f"{regions:,}", exactly(total), ""))
    return pages.table(("requested by", "regions", "in all", "largest"), rows, (1, 2, 3))


def _ops(histories: Histories) -> str:
    ops = {**dict.fromkeys(histories.not_computed, OpHistory()), **histories.ops}
    rows = [
        (op, f"{each.launches:,}", f"{each.computed:,}", _outcome(op, each, histories))
        for op, each in sorted(ops.items(), key=lambda pair: (-pair[1].launches, pair[0]))
    ]
    return pages.section("Ops", pages.table(("op", "launches", "computed", ""), rows, (1, 2))) if rows else ""


def _outcome(op: str, each: OpHistory, histories: Histories) -> object:
    if op in histories.not_computed:
        return pages.tag("b", "not computed: its values are not real", css=pages.BAD)
    if each.computed < each.launches:
        return "computed in part: the other values are not used, or not real"
    return ""
