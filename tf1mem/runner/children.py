"""Passes a program's settings and repairs on to the Python processes that it starts, and to theirs.

An environment variable carries them. Those processes have a folder on their path whose `sitecustomize` reads it; they
load tf1mem only when a file of the program or TensorFlow is imported.
"""

from __future__ import annotations

import base64
import os
import pickle
import shutil
import sys
from typing import Any

from tf1mem import __version__
from tf1mem.runner.within import _tf1mem_variable

# A child has loaded this module under its own name before tf1mem; its wrappers are the ones in force.
variable: Any = sys.modules.get("_tf1mem_variable", _tf1mem_variable)

FLAG = "--no-children"


def pass_on(setup: Any, records: str) -> None:
    """Makes the Python processes that this process starts take over its settings and repairs.

    Args:
        setup: Settings and repairs of this process (`tf1mem.runner.process_setup.ProcessSetup`).
        records: Folder for the children's records; "" if there is no report.
    """
    has_settings = setup.outside is not None
    width = shutil.get_terminal_size((80, 24)).columns
    text = base64.b64encode(pickle.dumps(setup.parts(), 2)).decode("ascii")
    variable.keep(variable.value(__version__, width, records, has_settings, text))
    variable.on_unreachable(_report_unreachable)


def stop_passing_on() -> None:
    """Stops passing settings and repairs on, also those that this process itself received."""
    variable.stop()


def handed_to_this() -> Handed | None:
    """Returns the settings and repairs that a program handed to this process; None if no program started it."""
    variable_value = os.environ.get(variable.NAME)
    return Handed(variable_value) if variable_value else None


class Handed:
    """Settings and repairs that a Python process receives from the program that started it.

    Attributes:
        parts: Arguments of `tf1mem.runner.process_setup.ProcessSetup`.
        records: Folder for this process's record; "" if there is no report.
        width: Width of the report's table, in columns.
    """

    def __init__(self, variable_value: str) -> None:
        version, width, self.records, _, text = variable.parts(variable_value)
        self.is_of_this_tf1mem = version == __version__
        self.width = int(width)
        self._text = text

    @property
    def parts(self) -> tuple[Any, ...]:
        """The arguments of `ProcessSetup`, unpickled from the variable, which is as trustworthy as PYTHONPATH."""
        parts: tuple[Any, ...] = pickle.loads(base64.b64decode(self._text))
        return parts


_reported: set[str] = set()


def _report_unreachable(flag: str, command: str) -> None:
    shown = command if len(command) <= 80 else command[:77] + "..."
    if shown not in _reported:
        _reported.add(shown)
        why = f"{flag} hides the program's settings from its Python: it ran unchanged"
        variable.leave_message(shown, why, f"unreachable-{abs(hash(shown))}")
