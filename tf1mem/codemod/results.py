"""What a rewrite comes to: the new bytes, what was changed, and what is left for a person."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """Some bytes that take the place of others.

    Attributes:
        start: Where the old bytes begin: an offset in the source as it was given.
        end: Where they end. Equal to `start` where something is inserted.
        text: The new bytes.
    """

    start: int
    end: int
    text: bytes


@dataclass(frozen=True)
class Change:
    """One construct that is rewritten, all of it.

    Attributes:
        code: The rule's code, such as "TFM101".
        line: The line where the construct begins, from 1; in a notebook the line of its cell.
        column: The column, from 1, in characters.
        message: What becomes of it, in one line.
        edits: The edits that belong to it, in the source's own bytes.
        cell: The code cell of a notebook, from 1; None elsewhere.
    """

    code: str
    line: int
    column: int
    message: str
    edits: tuple[Edit, ...] = ()
    cell: int | None = None


@dataclass(frozen=True)
class Remark:
    """Something that is left for a person.

    Attributes:
        code: The rule's code.
        line: The line, from 1; in a notebook the line of its cell.
        column: The column, from 1, in characters.
        message: What it is, in one line.
        remedy: What to do by hand.
        cell: The code cell of a notebook, from 1; None elsewhere.
    """

    code: str
    line: int
    column: int
    message: str
    remedy: str
    cell: int | None = None


@dataclass(frozen=True)
class Result:
    """What a rewrite comes to.

    Attributes:
        source: The new bytes: the very bytes that were given where nothing changes.
        changes: What is rewritten, in the order of the source.
        remarks: What is left for a person, in the order of the source.
        tf1_names: How many names are left that TensorFlow 2 hasn't got; counted for "apply" and "native", which leave
            them.
        supplied: Names that tf1mem.v1 supplies, where the file comes to import it, and that TensorFlow 2 hasn't got.
    """

    source: bytes
    changes: tuple[Change, ...] = ()
    remarks: tuple[Remark, ...] = ()
    tf1_names: int = 0
    supplied: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the new bytes differ from those that were given."""
        return bool(self.changes)
