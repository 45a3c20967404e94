"""The request that `tf1mem verify` passes to a process which runs and records a program."""

from __future__ import annotations

from typing import List, NamedTuple, Sequence


class Job(NamedTuple):
    """A program to run and record in one process.

    Attributes:
        folder: The folder for its notes.
        mode: "plain": Python runs the program; "run": `tf1mem run` does.
        program: The path of the program.
        arguments: The program's arguments.
        root: The folder of the program's own files.
        steps: The number of training runs after which the process ends.
        cpu: The CPU that the process is bound to; -1 for all.
        trace: The key of the `Session.run` whose tensors are all recorded; "" for none.
        deep: True to record the tensors of that run inside loops and branches, too.
        moved: The seed that moves initial weights up or down at random by one unit in the last place; 0 moves none.
        first_values: A file with initial values for the variables; "" for the program's own.
        seed: The seed for graphs to which the program gives none, and for Python's and NumPy's random numbers.
        named_seeds: True to derive the seed of an op that has none from the op's name. TensorFlow derives it from the
            op's number in the graph, which changes with every op before it.
        keeps_data: True to keep the data that iterators and queues return.
        data: A file with data that iterators and queues return in place of their own; "" for none.
        paths: The folders of PYTHONPATH for the program.
        packages: Installed packages that `tf1mem run` rewrites like the program's own files.
    """

    folder: str
    mode: str
    program: str
    arguments: List[str]
    root: str
    steps: int
    cpu: int = -1
    trace: str = ""
    deep: bool = False
    moved: int = 0
    first_values: str = ""
    seed: int = 1
    named_seeds: bool = False
    keeps_data: bool = False
    data: str = ""
    paths: Sequence[str] = ()
    packages: Sequence[str] = ()
