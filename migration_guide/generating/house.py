"""The rooms of tf1mem, their order, and the two pictures of them in how_it_works.md.

`ROOMS` defines the order: a room imports from those before it, and from none after it. tests/house checks the files
against it, and against the pictures.
"""

from __future__ import annotations

import textwrap
from typing import Iterable, NamedTuple, Sequence
from xml.sax.saxutils import escape


class Room(NamedTuple):
    """A room, that is a folder or file of the package, as a picture shows it.

    Attributes:
        name: The room's name.
        description: A description of a line or two.
        changes: The time when it changes TensorFlow, or "".
        takes: The label of the arrow into it from above, or "".
        gives: The label of the arrow out of it below, or "".
    """

    name: str
    description: str
    changes: str = ""
    takes: str = ""
    gives: str = ""


class Flow(NamedTuple):
    """An arrow from one room to another, drawn past the rooms between them.

    Attributes:
        start: The room at its start.
        end: The room at its end.
        label: The label.
    """

    start: str
    end: str
    label: str


# A heading -> the rooms of tf1mem/ below it. No import leads to a later room.
HOUSE = {
    "The ground": (
        Room("errors", "every exception that a user can meet"),
        Room("pages", "pages of HTML: their frame, their style, and how text is escaped"),
        Room("machine", "the machine: TensorFlow, CUDA, GPUs"),
        Room("names", "TensorFlow 1's names: where they are now, and which are gone"),
        Room("hooks", "notes TensorFlow's first start", changes="from its import to its first start"),
    ),
    "The way of a setting": (
        Room("settings", "settings: read and checked", takes="ConfigProto, dict, file, environment"),
        Room("planning", "which way each setting goes; pure", takes="Settings"),
        Room("routes", "the ways to set something in TensorFlow", changes="its default configs, when applied"),
        Room("applying", "takes the steps: effects, all or none", gives="Report"),
    ),
    "GPU memory": (
        Room("gpusim", "simulated GPUs: a CUDA driver that counts memory"),
        Room("estimating", "how much memory a model will take", changes="in the process that traces a step"),
        Room("oom", "why memory ran out, and what fits", changes="while it watches who allocates"),
    ),
    "Old programs": (
        Room(
            "v1",
            "TensorFlow 1's API, with a few names replaced: each config is applied",
            changes="an estimator's default config; seeds",
        ),
        Room("notebooks", "a notebook's code cells, and which of their lines are IPython's"),
        Room("era", "NumPy and other libraries as they were, for a program's own files"),
        Room("runner", "runs a program: its imports go to v1, old names to era"),
        Room("codemod", "writes the same into source; its phases are below"),
    ),
    "The doors": (
        Room("doctor", "what is wrong with a machine or a run", changes="in the run that it watches"),
        Room("checking", "will an old program run here? Reads it, runs nothing"),
        Room("verifying", "is it still the same? Compares with TensorFlow 1.15.5", changes="Sessions that it records"),
        Room("cli", "the command line: parse, call, print"),
    ),
}
FLOWS = (
    Flow("machine", "planning", "Runtime"),
    Flow("planning", "applying", "Plan"),
    Flow("v1", "applying", "config"),
    Flow("runner", "v1", "imports"),
)
ROOMS = tuple(room.name for rooms in HOUSE.values() for room in rooms)

# The files and folders of codemod/, in the order of imports.
CODEMOD = tuple(
    "results source files findings facts claims targets rules prefilter module_changes python3 rewriting trees".split()
)

# The phases in which codemod/ rewrites a file, in order.
PHASES = {
    "A file comes": (
        Room("prefilter", "by its bytes: is there anything for tf1mem in it?", takes="bytes"),
        Room(
            "files",
            "takes the Python out: of a notebook's cells, of a page's blocks",
            takes="a file that may have some",
        ),
    ),
    "What it says": (
        Room("source", "the tree, its scopes, names and paths", takes="Python"),
        Room("facts", "its facts, for every target: where a config goes, when a GPU starts", takes="tree"),
    ),
    "What becomes of it": (
        Room("targets", "shim, apply or native: its plan", takes="Facts"),
        Room("rules", "one file each; each uses facts and claims, and no other rule", takes="Claims"),
        Room("rewriting", "all edits of a file, or none; the file is put together again", takes="Edits, remarks"),
    ),
    "A tree of files": (Room("trees", "walks, works on many at once, writes, reports", takes="Result"),),
}

WIDTH = 336
LEFT, RIGHT = 12, 262
HEADING, LINE, PAD, GAP, ARROW = 24, 15, 8, 8, 26
STYLE = """
  svg { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 12px }
  .page { fill: #fff; stroke: #bbb } text { fill: #111 } .small { font-size: 11px }
  .title { font-weight: 600; font-size: 13px } .heading { font-weight: 600; fill: #555 }
  .box { fill: #f1f1f1; stroke: #111 } .line { stroke: #111; stroke-width: 1.5; fill: none } .head { fill: #111 }
  .changes { fill: #8a3b00 }
  @media screen and (prefers-color-scheme: dark) {
    .page { fill: #1e2129; stroke: #555 } text { fill: #eee } .heading { fill: #bbb }
    .box { fill: #333842; stroke: #eee }
    .line { stroke: #eee } .head { fill: #eee } .changes { fill: #ffb37a }
  }
"""


def house() -> str:
    """Returns the picture of all rooms."""
    return _picture("The rooms of tf1mem: none imports from one below it", HOUSE, FLOWS)


def phases() -> str:
    """Returns the picture of the codemod's phases."""
    return _picture("The phases in which the codemod rewrites a file", PHASES, ())


class _Box(NamedTuple):
    top: float
    bottom: float


def _picture(title: str, groups: dict[str, tuple[Room, ...]], flows: Sequence[Flow]) -> str:
    parts: list[str] = []
    boxes: dict[str, _Box] = {}
    y = 8.0
    for heading, rooms in groups.items():
        y += HEADING
        parts.append(_text(LEFT, y - 8, heading, "heading"))
        for room in rooms:
            if room.takes:
                parts += _down(40, y - 4, y + ARROW)
                parts.append(_text(52, y + 14, room.takes, "small"))
                y += ARROW
            lines = textwrap.wrap(room.description, 42)
            height = PAD + LINE * (1 + len(lines) + bool(room.changes)) + PAD / 2
            parts.append(f'<rect class="box" x="{LEFT}" y="{y:g}" width="{RIGHT - LEFT}" height="{height:g}" rx="5"/>')
            parts.append(_text(LEFT + 8, y + 16, room.name, "title"))
            parts += [_text(LEFT + 8, y + 16 + LINE * number, line, "small") for number, line in enumerate(lines, 1)]
            if room.changes:
                parts.append(_text(LEFT + 8, y + height - PAD, f"◆ {room.changes}", "small changes"))
            boxes[room.name] = _Box(y, y + height)
            y += height + GAP
            if room.gives:
                parts += _down(40, y - GAP, y + ARROW - GAP)
                parts.append(_text(52, y + 12, room.gives, "small"))
                y += ARROW - GAP
    for flow in flows:
        parts += _past(boxes[flow.start], boxes[flow.end], flow.label)
    if any(room.changes for rooms in groups.values() for room in rooms):
        y += LINE
        parts.append(_text(LEFT, y - 4, "◆ changes TensorFlow, and when", "small changes"))
    size = f'width="{WIDTH}" height="{y + 4:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {y + 4:g}" role="img">'
    page = f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{y + 3:g}" rx="6"/>'
    return "\n".join((head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", page, *parts, "</svg>", ""))


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>'


def _down(x: float, top: float, bottom: float) -> Iterable[str]:
    yield f'<path class="line" d="M{x:g} {top:g}V{bottom - 6:g}"/>'
    yield f'<path class="head" d="M{x:g} {bottom:g}l-4 -8h8z"/>'


def _past(start: _Box, end: _Box, label: str) -> Iterable[str]:
    """Yields an arrow right of the boxes, from one's lower half to the upper half of another below, or upwards."""
    falls = start.top < end.top
    begin = start.bottom - 12 if falls else start.top + 12
    stop = end.top + 12 if falls else end.bottom - 12
    yield f'<path class="line" d="M{RIGHT:g} {begin:g}h12V{stop:g}h-6"/>'
    yield f'<path class="head" d="M{RIGHT:g} {stop:g}l8 -4v8z"/>'
    yield _text(RIGHT + 18, (begin + stop) / 2 + 4, label, "small")
