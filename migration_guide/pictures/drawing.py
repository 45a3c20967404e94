"""Draws the guide's pictures from the traces in `traces/`: memory reserved on a GPU over time, in greys that print.

    python migration_guide/pictures/drawing.py            # writes the pictures
    python migration_guide/pictures/drawing.py --check    # lists the pictures that differ from the traces

It needs only Python. A picture is as wide as a phone's screen, and looks the same in print; it follows a screen's dark
mode. `recording.py` records the traces.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
TRACES = HERE / "traces"
GIB = 2**30
MIB = 2**20
GPU_GIB = 8
# Room above the GPU's memory, for refused allocations.
SCALE_GIB = 9.2

WIDTH = 336
LEFT, RIGHT, TOP = 26, 8, 30
PANEL, TITLE, GAP = 108, 22, 14
LEGEND_LINE = 18
FOOT = 22

# The fractions of a step where TensorFlow's driver calls begin and end, and where the program holds its memory.
BEGIN, END, HELD = 0.05, 0.4, 0.45
# The time shown after the last step, in steps.
AFTER = 0.5

STYLE = """
  svg { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 12px }
  .page { fill: #fff; stroke: #bbb }
  text { fill: #111 } .small { font-size: 11px } .title { font-weight: 600 }
  .grid { stroke: #ccc; stroke-width: .6 } .axis { stroke: #333; fill: none }
  .first { fill: #c9c9c9; stroke: #111 } .second { fill: url(#hatch); stroke: #111 }
  .hatched { fill: #fff } .hatching { stroke: #111 }
  .held { fill: #3d6d99 } .cap { stroke: #111; stroke-width: 1.2; stroke-dasharray: 5 3; fill: none }
  .refused { stroke: #111; stroke-width: 2.4; fill: none } .halo { stroke: #fff; stroke-width: 5.5; fill: none }
  @media screen and (prefers-color-scheme: dark) {
    .page { fill: #1e2129; stroke: #555 }
    text { fill: #eee } .grid { stroke: #444 } .axis { stroke: #bbb }
    .first { fill: #5a5f6b; stroke: #eee } .second { stroke: #eee }
    .hatched { fill: #1e2129 } .hatching { stroke: #eee }
    .held { fill: #7fb2e5 } .cap { stroke: #eee } .refused { stroke: #fff } .halo { stroke: #1e2129 }
  }
"""
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1:.0f}" viewBox="0 0 {0} {1:.0f}" role="img">'


class Run(NamedTuple):
    """One trace, laid out along steps of equal width.

    Attributes:
        steps: The number of steps.
        reserved: For each program (position in steps, bytes) whenever its reserved memory changes.
        held: For each program (position in steps, bytes) whenever the memory in its tensors changes.
        refused: (position, program, bytes) for each step that got less than requested, with the bytes requested.
        peaks: For each program the most bytes that it reserved.
    """

    steps: int
    reserved: dict[int, list[tuple[float, int]]]
    held: dict[int, list[tuple[float, int]]]
    refused: list[tuple[float, int, int]]
    peaks: dict[int, int]


def read(path: Path) -> Run:
    """Reads a trace, and gives every step the same width: TensorFlow waits 10 s before it gives up."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    programs = sorted({line["pid"] for line in lines})
    run = Run(
        sum(line["event"] == "step" for line in lines),
        {program: [(0.0, 0)] for program in programs},
        {program: [(0.0, 0)] for program in programs},
        [],
        dict.fromkeys(programs, 0),
    )
    for number, (memory, step) in enumerate(_by_step(lines)):
        changes = [line for line in memory if line["event"] != "refuse"]
        for place, line in enumerate(changes):
            along = number + BEGIN + (END - BEGIN) * place / max(len(changes), 1)
            run.reserved[line["pid"]].append((along, line["total"]))
            run.peaks[line["pid"]] = max(run.peaks[line["pid"]], line["total"])
        _add_step(run, number, step)
    return run


def _by_step(lines: Sequence[dict[str, Any]]) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any]]]:
    memory: list[dict[str, Any]] = []
    for line in lines:
        if line["event"] == "step":
            yield memory, line
            memory = []
        else:
            memory.append(line)
    # The remaining lines are the programs' ends.


def _add_step(run: Run, number: int, step: dict[str, Any]) -> None:
    run.held[step["pid"]].append((number + HELD, step["held_mib"] * MIB))
    if step["refused"]:
        run.refused.append((number + HELD, step["pid"], step["asked_mib"] * MIB))


class Panel(NamedTuple):
    """One setting: its title, its trace, and its cap in GiB if it has one."""

    title: str
    trace: str
    cap_gib: float | None = None


class Picture(NamedTuple):
    """One file.

    Attributes:
        name: The file's name, without the version.
        title: The title; {} is TensorFlow's version.
        panels: The panels, from the top.
        draw: A function that draws the content of a panel.
        legend: The label of each mark.
    """

    name: str
    title: str
    panels: Sequence[Panel]
    draw: Callable[[Run, Panel], Iterator[str]]
    legend: Sequence[tuple[str, str]]


def _x(along: float, steps: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * along / (steps + AFTER)


def _y(size: float) -> float:
    return PANEL - PANEL * size / GIB / SCALE_GIB


def _corners(changes: Sequence[tuple[float, float]], steps: int) -> Iterator[tuple[float, float]]:
    level = 0.0
    for along, size in changes:
        yield _x(along, steps), level
        yield _x(along, steps), size
        level = size
    yield _x(steps + AFTER, steps), level


def _area(kind: str, top: Sequence[tuple[float, float]], bottom: Sequence[tuple[float, float]], steps: int) -> str:
    up = [f"{x:.1f},{_y(size):.1f}" for x, size in _corners(top, steps)]
    back = [f"{x:.1f},{_y(size):.1f}" for x, size in reversed(list(_corners(bottom, steps)))]
    return '<polygon class="{}" points="{}"/>'.format(kind, " ".join(up + back))


def _cross(x: float, y: float) -> Iterator[str]:
    lines = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
    yield f'<path class="halo" d="{lines}"/><path class="refused" d="{lines}"/>'


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def _size(size: float) -> str:
    if size < GIB / 10:
        return f"{size / MIB:.0f} MiB"
    return f"{size / GIB:.2f} GiB"


def alone(run: Run, panel: Panel) -> Iterator[str]:
    """Draws one program: its reserved memory, and the memory in its tensors in front of it."""
    nothing = [(0.0, 0)]
    yield _area("first", run.reserved[0], nothing, run.steps)
    yield _area("held", run.held[0], nothing, run.steps)
    for along, _, size in run.refused:
        yield from _cross(_x(along, run.steps), _y(size))


def shared(run: Run, panel: Panel) -> Iterator[str]:
    """Draws two programs: the second's reserved memory on top of the first's."""
    first, second = run.reserved[0], run.reserved[1]
    both = sorted([(along, 0) for along, _ in first] + [(along, 1) for along, _ in second])
    total = [(along, _at(first, along) + _at(second, along)) for along, _ in both]
    yield _area("first", first, [(0.0, 0)], run.steps)
    if any(size for _, size in second):
        yield _area("second", total, first, run.steps)
    for along, program, _ in run.refused:
        x, y = _x(along, run.steps), _y(_at(total, along))
        yield from _cross(x, y - 8)
        yield _text(x + 8, y - 4, "AB"[program], "title")


def _at(changes: Sequence[tuple[float, int]], along: float) -> int:
    return [size for place, size in changes if place <= along][-1]


def _peaks(run: Run) -> str:
    if len(run.peaks) == 1:
        return "at most " + _size(run.peaks[0])
    return ", ".join("{} {}".format("AB"[program], _size(peak)) for program, peak in run.peaks.items())


def _panel(picture: Picture, panel: Panel, version: str, top: float) -> Iterator[str]:
    run = read(TRACES / f"{panel.trace}_{version}.jsonl")
    yield _text(LEFT, top - 7, panel.title, "title")
    yield _text(WIDTH - RIGHT, top - 7, _peaks(run), "small", "end")
    yield f'<g transform="translate(0 {top:.1f})">'
    for gib in range(0, GPU_GIB + 1, 2):
        yield f'<path class="grid" d="M{LEFT} {_y(gib * GIB):.1f}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 5, _y(gib * GIB) + 4, str(gib), "small", "end")
    yield from picture.draw(run, panel)
    if panel.cap_gib is not None:
        yield f'<path class="cap" d="M{LEFT} {_y(panel.cap_gib * GIB):.1f}H{WIDTH - RIGHT}"/>'
    yield f'<path class="axis" d="M{LEFT} 0V{PANEL}H{WIDTH - RIGHT}"/>'
    yield "</g>"


def _legend(marks: Sequence[tuple[str, str]], top: float) -> Iterator[str]:
    for number, (kind, words) in enumerate(marks):
        y = top + number * LEGEND_LINE
        if kind == "refused":
            yield from _cross(LEFT + 9, y)
        elif kind == "cap":
            yield f'<path class="cap" d="M{LEFT} {y:.1f}h18"/>'
        else:
            yield f'<rect class="{kind}" x="{LEFT}" y="{y - 6:.1f}" width="18" height="11"/>'
        yield _text(LEFT + 26, y + 4, words, "small")


def drawn(picture: Picture, version: str) -> str:
    """Returns a picture as SVG.

    Args:
        picture: The picture.
        version: The TensorFlow version of the traces.
    """
    panels_top = TOP + 16
    each = TITLE + PANEL + GAP
    axis = panels_top + each * len(picture.panels)
    height = axis + FOOT + LEGEND_LINE * len(picture.legend) + 2
    title = picture.title.format(version)
    lines = [
        HEAD.format(WIDTH, height),
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect class="hatched" width="5" height="5"/><path class="hatching" d="M0 0V5"/></pattern></defs>',
        f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1:.0f}" rx="6"/>',
        _text(10, 20, title, "title"),
        _text(10, 36, f"GiB of a GPU of {GPU_GIB} GiB", "small"),
    ]
    for number, panel in enumerate(picture.panels):
        lines += _panel(picture, panel, version, panels_top + each * number + TITLE)
    lines.append(_text(WIDTH - RIGHT, axis + 1, "time, step by step →", "small", "end"))
    lines += _legend(picture.legend, axis + FOOT)
    return "\n".join([*lines, "</svg>", ""])


PICTURES = (
    Picture(
        "settings",
        "One program, TensorFlow {}",
        (
            Panel("nothing set", "alone_nothing"),
            Panel("allow_growth", "alone_growth"),
            Panel("fraction 0.4", "alone_fraction", 0.4 * GPU_GIB),
            Panel("allow_growth, fraction 0.4", "alone_growth_and_fraction", 0.4 * GPU_GIB),
        ),
        alone,
        (
            ("first", "reserved: no other process can have it"),
            ("held", "in the program's tensors"),
            ("cap", "the cap: 0.4 of 8 GiB"),
            ("refused", "out of memory: it wanted this much"),
        ),
    ),
    Picture(
        "two_processes",
        "Two programs, TensorFlow {}",
        (
            Panel("nothing set", "shared_nothing"),
            Panel("allow_growth", "shared_growth"),
            Panel("fraction 0.45 each", "shared_fraction"),
        ),
        shared,
        (
            ("first", "reserved by A, which started first"),
            ("second", "reserved by B"),
            ("refused", "out of memory, for A or B"),
        ),
    ),
)


def versions() -> list[str]:
    """Returns the TensorFlow versions of the traces, in order."""
    recorded = {path.stem.rpartition("_")[2] for path in TRACES.glob("*.jsonl")}
    return sorted(recorded, key=lambda version: [int(part) for part in version.split(".")[:2]])


def pictures() -> Iterator[tuple[Path, str]]:
    """Yields every picture: its file, and its content."""
    names = {versions()[0]: "tf1", versions()[-1]: "newest"}
    for version, name in names.items():
        for picture in PICTURES:
            yield HERE / f"{picture.name}_{name}.svg", drawn(picture, version)


def main(arguments: Sequence[str]) -> int:
    """Writes or checks the pictures; returns the exit status."""
    if [it for it in arguments if it != "--check"]:
        print(__doc__, file=sys.stderr)
        return 2
    stale = [(path, text) for path, text in pictures() if not path.exists() or path.read_text("utf-8") != text]
    if arguments:
        for path, _ in stale:
            print(f"{path.name} differs from the traces: run {Path(__file__).name}")
        return 1 if stale else 0
    for path, text in stale:
        path.write_text(text, encoding="utf-8")
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
