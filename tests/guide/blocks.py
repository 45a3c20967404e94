"""Reads the blocks of code in the guide's pages and the README, and selects those that are run.

- A ```python block is a program. It runs on the newest TensorFlow, with two simulated GPUs of 8 GiB.
- In a ```console block each line that begins with `$ ` is a command; a backslash at its end continues it. bash runs the
  commands, block after block, in a temporary folder of the page, with `tf1mem` and `python` on the PATH. Every command
  has to succeed. The lines below a command have to be in its output, in that order. Numbers may differ, and `...` or
  `…` alone on a line stands for any lines.

HTML comments right before a block, one a line, change this:

- `<!-- file: train.py -->`: the block isn't run, but written to that file in the page's folder, for later blocks.
- `<!-- status: 1 -->`: the commands of the block end with that status; `<!-- status: 0, 1 -->` has one for each.
- `<!-- raises: RuntimeAlreadyStarted -->`, only in notebooks.md, whose Python blocks are the cells of one notebook: the
  cell ends with that error. In this page, a ```text block has to be in the output of the cell above it.
- `<!-- not run: why -->`: the block isn't run, because it installs or downloads something, or needs something that the
  machine of the tests may not have. A line `$ pip install …` is never run, and needs no mark.

All other languages (diff, text, yaml, bash …) are for reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_COMMENT = re.compile(r"<!--\s*(file|not run|raises|status)\s*:\s*(.*?)\s*-->")
_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,})(?P<language>[\w+-]*)[ \t]*$")


@dataclass
class Block:
    """A block of code.

    Attributes:
        language: The word behind the fence.
        text: The code.
        line: The line of the fence, from 1.
        marks: Mark -> its text, from the comments before it. The marks are "file", "not run", "raises" and "status".
    """

    language: str
    text: str
    line: int
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def is_run(self) -> bool:
        """Returns True if the block is a program or commands, and is run."""
        return self.language in ("python", "console") and "not run" not in self.marks and "file" not in self.marks


@dataclass
class Command:
    """A command of a console block.

    Attributes:
        text: The command as a reader types it.
        prints: The lines that the page shows below it.
    """

    text: str
    prints: list[str] = field(default_factory=list)


def read(path: Path) -> list[Block]:
    """Returns the blocks of a page, in order."""
    blocks: list[Block] = []
    marks: dict[str, str] = {}
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        comment = _COMMENT.fullmatch(line.strip())
        fence = _FENCE.match(line)
        if comment:
            marks[comment.group(1)] = comment.group(2)
        elif fence:
            code = []
            for _, inner in lines:
                if inner.strip() == fence.group("fence"):
                    break
                code.append(inner[len(fence.group("indent")) :])
            blocks.append(Block(fence.group("language"), "\n".join(code) + "\n", number, marks))
            marks = {}
        else:
            assert not marks, f"{path}:{number}: a comment for a block stands before no block"
    return blocks


def commands(block: Block) -> list[Command]:
    """Returns the commands of a console block that are run: all except `pip install`."""
    return [command for command in _commands(block) if not command.text.startswith("pip install ")]


def _commands(block: Block) -> list[Command]:
    commands: list[Command] = []
    goes_on = False
    for line in block.text.splitlines():
        if goes_on:
            commands[-1].text += "\n" + line
        elif line.startswith("$ "):
            commands.append(Command(line[2:]))
        elif commands:
            commands[-1].prints.append(line)
        goes_on = (goes_on or line.startswith("$ ")) and line.endswith("\\")
    return commands


def statuses(block: Block) -> list[int]:
    """Returns the expected exit status of each command of a console block."""
    expected = [int(status) for status in block.marks.get("status", "0").split(",")]
    count = len(commands(block))
    assert len(expected) in (1, count), f"{len(expected)} statuses for {count} commands"
    return expected * count if len(expected) == 1 else expected


def missing(prints: list[str], output: str) -> str | None:
    """Returns the first line of the page that doesn't follow the previous ones in the output; None if all do.

    Args:
        prints: The lines below the command in the page; "", "..." and "…" stand for any lines.
        output: The command's output.
    """
    printed = [_plain(line) for line in output.splitlines()]
    place = 0
    for line in prints:
        plain = _plain(line)
        if plain in ("", "...", "…"):
            continue
        try:
            place = printed.index(plain, place) + 1
        except ValueError:
            return line
    return None


def _plain(line: str) -> str:
    """Returns a line without the parts that may differ: colours, numbers, column widths, and comments of commands."""
    line = re.sub(r"\x1b\[[0-9;]*m", "", line)
    line = re.sub(r"\s+#.*$", "", line) if line.lstrip().startswith("$") else line
    line = re.sub(r" \(\d+:\d\d:\d\d\)", "", line)  # pytest's minutes after the seconds
    line = re.sub(r"\d[\d,.]*", "0", line)
    line = re.sub(r"-{3,}", "---", line)
    return re.sub(r"\s+", " ", line).strip()
