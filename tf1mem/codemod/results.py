"""The result of a rewrite: the new bytes, the changes, and the places that need a decision by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A replacement of some bytes of the source.

    Attributes:
        start: Offset of the first old byte, in the original source.
        end: Offset just after the last old byte; equal to `start` for an insertion.
        text: The bytes that replace them.
    """

    start: int
    end: int
    text: bytes


@dataclass(frozen=True)
class Change:
    """One construct that is rewritten as a whole.

    Attributes:
        code: Code of the rule, such as "TFM101".
        line: Line number at which the construct begins, from 1; in a notebook, within the cell.
        column: Column number, from 1, in characters.
        message: The change, in one line.
        edits: The edits, in offsets of the original source.
        cell: Number of the notebook's code cell, from 1; None elsewhere.
    """

    code: str
    line: int
    column: int
    message: str
    edits: tuple[Edit, ...] = ()
    cell: int | None = None


@dataclass(frozen=True)
class Remark:
    """A place that needs a decision by hand.

    Attributes:
        code: Code of the rule.
        line: Line number, from 1; in a notebook, within the cell.
        column: Column number, from 1, in characters.
        message: The problem, in one line.
        remedy: The remedy, in one line.
        cell: Number of the notebook's code cell, from 1; None elsewhere.
    """

    code: str
    line: int
    column: int
    message: str
    remedy: str
    cell: int | None = None


@dataclass(frozen=True)
class Result:
    """The result of a rewrite.

    Attributes:
        source: The new bytes; the same object as the input if nothing changes.
        changes: The rewritten constructs, in the order of the source.
        remarks: The places that need a decision by hand, in the order of the source.
        tf1_names: Number of remaining names that TensorFlow 2 lacks; counted only for the targets "apply" and "native",
            which leave such names alone.
        supplied: Names that the file gets from tf1mem.v1 by its new imports and that TensorFlow 2 lacks.
    """

    source: bytes
    changes: tuple[Change, ...] = ()
    remarks: tuple[Remark, ...] = ()
    tf1_names: int = 0
    supplied: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Returns True if the new bytes differ from the input."""
        return bool(self.changes)
