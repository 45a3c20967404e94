"""A file's findings, and the summary of a file."""

from __future__ import annotations

from typing import NamedTuple

from tf1mem.doctor.finding import Kind

# The reasons why a file is a program: it names `__main__`, or running it has an effect.
NAMES_MAIN, ACTS = "names __main__", "acts"


class FileFinding(NamedTuple):
    """One finding in a file.

    Attributes:
        kind: The kind of the finding.
        what: The name that the finding is about, such as "np.bool"; findings are grouped by it.
        message: One sentence that describes the finding.
        remedy: The remedy, for people.
        line: Line number, from 1; in a notebook, within the cell.
        column: Column number, from 1, in characters.
        cell: Number of the notebook's code cell, from 1; None elsewhere.
    """

    kind: Kind
    what: str
    message: str
    remedy: str
    line: int
    column: int
    cell: int | None = None


class Import(NamedTuple):
    """A name that a file imports.

    Attributes:
        name: The full path: "sklearn.externals.joblib" for `from sklearn.externals import joblib`. A relative import
            begins with dots.
        is_sure: True if every run of the file executes it, and nothing installs it before: it isn't in a function or a
            branch.
        place: Line, column and cell.
        is_run_by_script: True if every run of the file as the script executes it: it isn't in a function, nor in a
            branch other than `if __name__ == "__main__"`.
    """

    name: str
    is_sure: bool
    place: tuple[int, int, int | None]
    is_run_by_script: bool


class FileSummary(NamedTuple):
    """The summary of one file, without regard to other files.

    Attributes:
        path: The file's path, as shown to people.
        why_program: The reason why the file is a program, `NAMES_MAIN` or `ACTS`; or "".
        imports: The imports of the file.
        findings: The findings in the file, in order.
        problem: The reason why it could not be read, or "".
        moves_path: True if it may change where Python looks for modules: it mentions sys.path.
        is_test: True if its content is that of tests; see `tests.is_test`.
        digest: The digest of its content, by which the cache keeps this summary; "" if the cache has it already, or
            if the file was not read.
    """

    path: str
    why_program: str = ""
    imports: tuple[Import, ...] = ()
    findings: tuple[FileFinding, ...] = ()
    problem: str = ""
    moves_path: bool = False
    is_test: bool = False
    digest: str = ""
