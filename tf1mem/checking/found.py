"""What is found in a file, and what a file comes to."""

from __future__ import annotations

from typing import NamedTuple

from tf1mem.doctor.finding import Kind

# What says that a file is a program by itself: it names `__main__`, or does more as it loads than define.
NAMES_MAIN, ACTS = "names __main__", "acts"


class Found(NamedTuple):
    """One thing that is found in a file.

    Attributes:
        kind: Its kind.
        what: The name that it is about, "np.bool": what is counted together.
        says: What it is, in a sentence.
        mend: What to do about it.
        line: The line, from 1; in a notebook the line of its cell.
        column: The column, from 1, in characters.
        cell: The code cell of a notebook, from 1; None elsewhere.
    """

    kind: Kind
    what: str
    says: str
    mend: str
    line: int
    column: int
    cell: int | None = None


class Import(NamedTuple):
    """A name that a file imports.

    Attributes:
        name: The whole of it: "sklearn.externals.joblib" for `from sklearn.externals import joblib`. What lies beside
            the file begins with dots.
        is_sure: Whether every run of the file comes by: it stands in no function, branch or test.
        place: Line, column and cell.
    """

    name: str
    is_sure: bool
    place: tuple[int, int, int | None]


class Read(NamedTuple):
    """What a file comes to, read by itself.

    Attributes:
        path: The file, as it is named to a person.
        is_program: What says that it is a program by itself, or "".
        imports: What it imports.
        found: What is found in it, in order.
        problem: Why it could not be read, or "".
        moves_path: Whether it says itself where Python is to look for modules.
    """

    path: str
    is_program: str = ""
    imports: tuple[Import, ...] = ()
    found: tuple[Found, ...] = ()
    problem: str = ""
    moves_path: bool = False
