"""Takes over a program's settings and repairs in a Python process that it has started."""

from __future__ import annotations

import os
import sys

from tf1mem.runner import reporting
from tf1mem.runner.children import Handed, variable
from tf1mem.runner.launcher import launch_in_child
from tf1mem.runner.process_setup import ProcessSetup, RepairOptions
from tf1mem.runner.program_finder import ProgramFinder
from tf1mem.runner.programs import COMMAND, SCRIPT, STDIN, Program
from tf1mem.runner.records import RecordWriter


def arrive(variable_value: str, command: str, folder: str) -> Arrival | None:
    """Makes this process take over the settings and repairs of the program that started it.

    Args:
        variable_value: Value of the environment variable (`tf1mem.runner.within._tf1mem_variable`).
        command: The command that this process runs, for reports.
        folder: Folder of its script if that belongs to the program; "" for the working folder.

    Returns:
        The object that runs scripts and texts of the program; None if another tf1mem set the variable.
    """
    for finder in sys.meta_path:
        if isinstance(finder, ProgramFinder):
            return Arrival(finder)
    handed = Handed(variable_value)
    if not handed.is_of_this_tf1mem:
        variable.leave_message(command, "its Python has another tf1mem: it ran unchanged")
        return None
    setup = ProcessSetup.of(handed.parts, folder or os.getcwd())
    setup.note_origins()
    arrival = Arrival(setup.install())
    if handed.records:

        def report() -> str:
            return _report(setup.repair_options, handed.width)

        RecordWriter(handed.records, command, report, is_own=bool(folder)).follow()
    return arrival


def _report(repair_options: RepairOptions, width: int) -> str:
    from tf1mem.machine.tensorflow import installed_version

    if "tensorflow" not in sys.modules and installed_version() is None:
        return "its Python has no TensorFlow"
    return reporting.as_text(repair_options, width=width - 2)


class Arrival:
    """Runs a script, a text or standard input here as a part of the program.

    Attributes:
        finder: The import hook of this process.
    """

    def __init__(self, finder: ProgramFinder) -> None:
        self.finder = finder

    def run_script(self, name: str, source: bytes) -> None:
        """Runs a script as `__main__`.

        Args:
            name: The script's path, as Python received it.
            source: The script's bytes.
        """
        launch_in_child(Program(SCRIPT, name, sys.argv[1:], source), self.finder.policy)

    def run_text(self, text: str) -> None:
        """Runs the text of `python -c`."""
        launch_in_child(
            Program(COMMAND, "-c", sys.argv[1:], text.encode("utf-8", "surrogateescape")), self.finder.policy
        )

    def run_standard_input(self) -> None:
        """Runs the program that Python reads from standard input."""
        source = sys.stdin.buffer.read()
        launch_in_child(Program(STDIN, sys.argv[0], sys.argv[1:], source), self.finder.policy)
