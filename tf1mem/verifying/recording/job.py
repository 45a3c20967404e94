"""The job of one recorded process."""

from __future__ import annotations

from typing import List, NamedTuple


class Job(NamedTuple):
    """One recorded process, and how it runs its program.

    Attributes:
        folder: The folder for its notes.
        mode: "plain": Python runs the program; "run": `tf1mem run` does.
        program: The path of the program.
        arguments: The program's arguments.
        root: The folder of its own files.
        steps: The count of runs that train after which it ends.
        cpu: The CPU that it is bound to; -1 for all.
        trace: The key of the run whose tensors are noted one by one; "" for none.
        moved: A number by which weights are chosen to move up or down by one unit in the last place; 0: none moves.
        first: A file with first values for its variables; "" for its own.
        seed: The seed of graphs that the program gives none; of Python's and NumPy's random numbers.
        named_seeds: Ops without a seed of their own draw by one that comes of their names, not of their numbers in the
            graph, which an op more or less shifts.
    """

    folder: str
    mode: str
    program: str
    arguments: List[str]
    root: str
    steps: int
    cpu: int = -1
    trace: str = ""
    moved: int = 0
    first: str = ""
    seed: int = 1
    named_seeds: bool = False
