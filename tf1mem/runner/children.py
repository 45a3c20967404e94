"""The Pythons that a program starts, and they in turn: they take over what the program was told.

A variable of the environment carries it. On their path those Pythons have a folder whose `sitecustomize` reads it; only
once a file of the program's own or TensorFlow comes, is anything of tf1mem loaded there.
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

# In a child it was loaded by itself before anything of tf1mem's, and is what its functions are put around by.
variable: Any = sys.modules.get("_tf1mem_variable", _tf1mem_variable)

FLAG = "--no-children"


def lead(heritage: Any, records: str) -> None:
    """Makes the Pythons that this process starts from here on take over its settings and repairs.

    Args:
        heritage: What it was told (`tf1mem.runner.heritage.Heritage`).
        records: The folder for what they are to say in the report; "" if there is to be none.
    """
    has_settings = heritage.outside is not None
    width = shutil.get_terminal_size((80, 24)).columns
    text = base64.b64encode(pickle.dumps(heritage.parts(), 2)).decode("ascii")
    variable.keep(variable.value(__version__, width, records, has_settings, text))
    variable.when_deaf(_say_deaf)


def leave_alone() -> None:
    """Leaves the Pythons alone that this process starts, also where it was started by such a program itself."""
    variable.stop()


def handed_to_this() -> Handed | None:
    """Returns the settings and repairs that a program handed to this Python; None if none started it."""
    told = os.environ.get(variable.NAME)
    return Handed(told) if told else None


class Handed:
    """Settings and repairs that a program hands to a Python that it starts.

    Attributes:
        parts: What `tf1mem.runner.heritage.Heritage` is made of.
        records: The folder for what it is to say in the report; "" if there is to be none.
        width: The columns of its table.
    """

    def __init__(self, told: str) -> None:
        version, width, self.records, _, text = variable.parts(told)
        self.is_of_this_tf1mem = version == __version__
        self.width = int(width)
        self._text = text

    @property
    def parts(self) -> tuple[Any, ...]:
        """It, read from the variable, which is as much to be trusted as PYTHONPATH is."""
        parts: tuple[Any, ...] = pickle.loads(base64.b64decode(self._text))
        return parts


_deaf: set[str] = set()


def _say_deaf(flag: str, command: str) -> None:
    shown = command if len(command) <= 80 else command[:77] + "..."
    if shown not in _deaf:
        _deaf.add(shown)
        why = f"{flag} keeps its Python from what the program was told: it ran as it is"
        variable.leave_word(shown, why, f"deaf-{abs(hash(shown))}")
