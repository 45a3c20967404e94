"""The Python in Markdown and reStructuredText, and the way back into the text.

All the code blocks of a document are one module: a guide imports TensorFlow in one and goes on in the next.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property, partial
from typing import Callable, Iterable, Sequence

from tf1mem.codemod.files import magics, markdown, restructured
from tf1mem.codemod.files.blocks import Block, BlockLine, is_prompted, prompted
from tf1mem.codemod.files.extracts import Extract, Lines, Magic
from tf1mem.codemod.files.stretches import Piece, Stretch, assemble, unplaceable
from tf1mem.codemod.files.unfinished import is_unfinished
from tf1mem.codemod.results import Edit

_READERS: dict[str, Callable[[bytes], Iterable[Block]]] = {"markdown": markdown.blocks, "rst": restructured.blocks}


class Document(Extract):
    """A document with Python in it.

    Args:
        source: Its bytes.
        kind: "markdown" or "rst".
    """

    def __init__(self, source: bytes, kind: str) -> None:
        self._source = source
        self._stretches: list[Stretch] = []
        lines: list[Magic] = []
        start = 0
        stretches = [_stretch(source, block) for block in _READERS[kind](source)]
        for stretch, found in sorted(stretches, key=lambda each: is_unfinished(each[0].python)):
            if not stretch.python.strip():
                continue
            moved = stretch.moved(start)
            self._stretches.append(moved)
            start = moved.end + 1
            for magic, piece in zip(found, moved.magic_lines()):
                text = magic.text.decode("utf-8", "surrogateescape")
                lines.append(Magic(piece.at, piece.until, text, piece.start, moved.removal(piece, magic.alone)))
        super().__init__(
            kind,
            b"\n".join(stretch.python for stretch in self._stretches),
            [(stretch.start, stretch.end) for stretch in self._stretches],
            sorted(lines, key=lambda line: line.start),
        )
        self._starts = [stretch.start for stretch in self._stretches]

    @cached_property
    def _lines(self) -> Lines:
        return Lines(self._source)

    def place(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `Extract.place`."""
        return [self._stretch_at(edit).place(edit) for edit in edits]

    def locate(self, offset: int) -> tuple[int, int, int | None]:
        """See `Extract.locate`."""
        if not self._stretches:
            return 1, 1, None
        stretch = self._stretches[max(bisect_right(self._starts, offset) - 1, 0)]
        return (*self._lines.find(stretch.text_offset(offset)), None)

    def _stretch_at(self, edit: Edit) -> Stretch:
        where = bisect_right(self._starts, edit.start) - 1
        if where < 0 or max(edit.start, edit.end) > self._stretches[where].end:
            raise unplaceable("crosses the end of a code block")
        return self._stretches[where]


def _stretch(source: bytes, block: Block) -> tuple[Stretch, tuple[magics.Found, ...]]:
    """A code block's Python, empty if it holds none; and its magics."""
    with_prompts = is_prompted(source, block)
    base, python = _pieces(source, prompted(source, block) if with_prompts else block.lines)
    cell = magics.read(python)
    if cell is None:
        return Stretch(0, b"", []), ()
    seen, pieces = assemble(base, python, cell.stand_ins)
    return Stretch(0, seen, pieces, partial(_prompt if with_prompts else _indented, block.indentation)), cell.magics


def _pieces(source: bytes, lines: Iterable[BlockLine]) -> tuple[list[Piece], bytes]:
    pieces: list[Piece] = []
    chunks: list[bytes] = []
    length = 0
    for line in lines:
        end = length + line.end - line.at
        if end > length:
            pieces.append(Piece(length, end, line.at, line.end, line.start, joined=line.joined))
            chunks.append(source[line.at : line.end])
        length = end
    return pieces, b"".join(chunks)


def _indented(indentation: bytes, line: bytes) -> bytes:
    return indentation if line.strip() else indentation.rstrip()


def _prompt(indentation: bytes, line: bytes) -> bytes:
    """What a line of a session in the interpreter starts with, given the line."""
    if not line.strip():
        return indentation + b"..."
    goes_on = line[:1] in b" \t)]}" or line.startswith((b"else:", b"elif ", b"except", b"finally:"))
    return indentation + (b"... " if goes_on else b">>> ")
