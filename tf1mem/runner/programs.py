"""Reads and checks the program that `tf1mem run` gets, before anything runs; a module is searched for at launch."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import NamedTuple, Sequence

from tf1mem.errors import ScriptError, ScriptNotFoundError

SCRIPT = "script"
NOTEBOOK = "notebook"
DIRECTORY = "directory"  # or a zip file: anything that holds a __main__ module
MODULE = "module"
STDIN = "standard input"
COMMAND = "command"  # the text of `python -c`


class Program(NamedTuple):
    """A program to run.

    Attributes:
        kind: SCRIPT, NOTEBOOK, DIRECTORY, MODULE, STDIN or COMMAND.
        name: The path as the user wrote it, or the module's name; "-" for STDIN, "-c" for COMMAND.
        arguments: The program's own arguments.
        source: The source of a SCRIPT, STDIN or COMMAND.
        cells: The code cells of a NOTEBOOK in order: pairs of number, from 1, and text.
        says_python: The Python version in a NOTEBOOK's metadata, 2 or 3; None if it names neither, or both.
    """

    kind: str
    name: str
    arguments: Sequence[str]
    source: bytes = b""
    cells: Sequence[tuple[int, str]] = ()
    says_python: int | None = None

    @property
    def filename(self) -> str:
        """The path as Python writes it in `__file__` and tracebacks: absolute since Python 3.9, not normalized."""
        if self.kind == STDIN:
            return "<stdin>"
        if self.kind == COMMAND:
            return "<string>"
        return os.path.join(os.getcwd(), self.name) if sys.version_info >= (3, 9) else self.name

    @property
    def path_entry(self) -> str:
        """The entry that Python puts first on `sys.path`."""
        if self.kind == MODULE:
            return os.getcwd()
        if self.kind in (STDIN, COMMAND):
            return ""
        if self.kind == DIRECTORY:
            return self.filename
        return os.path.dirname(os.path.realpath(self.name))

    def __str__(self) -> str:
        return "tf1mem run {}{}".format("-m " if self.kind == MODULE else "", self.name)


def module(name: str, arguments: Sequence[str]) -> Program:
    """Returns a module or package to run, as `python -m` does. Nothing is read before the launch."""
    return Program(MODULE, name, arguments)


def standard_input(arguments: Sequence[str]) -> Program:
    """Returns a script read from standard input, to its end, as `python -` does.

    Args:
        arguments: The program's own arguments.

    Raises:
        ScriptError: Standard input is closed, or holds no Python source.
    """
    if sys.stdin is None:
        raise ScriptError("tf1mem run -", "standard input is closed", "Give it the script: tf1mem run - < train.py")
    source = sys.stdin.buffer.read()
    if b"\0" in source:
        raise ScriptError("tf1mem run -", "it is binary, not Python source", "Give it the script's source.")
    return Program(STDIN, "-", arguments, source)


def script(path: str, arguments: Sequence[str]) -> Program:
    """Returns a script or notebook to run, or a directory or zip file with a `__main__` module.

    Args:
        path: Path of the file or directory.
        arguments: The program's own arguments.

    Raises:
        ScriptNotFoundError: There is nothing at `path`.
        ScriptError: The file cannot be read, is binary, or is a notebook that is damaged or in another language; or the
            directory has no `__main__` module.
    """
    command = "tf1mem run " + path
    if not os.path.exists(path):
        raise ScriptNotFoundError(
            command, "there is no such file", "Give the path of a Python script, or -m and the name of a module."
        )
    if os.path.isdir(path):
        if not _holds_main(path):
            raise ScriptError(command, "it is a directory without __main__.py", "Name the script in it to run.")
        return Program(DIRECTORY, path, arguments)
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise ScriptError(command, f"it cannot be read ({error.strerror})", "Check its permissions.") from None
    if path.endswith(".ipynb"):
        return _notebook(command, path, arguments, source)
    if b"\0" in source:
        if _holds_main(path):
            return Program(DIRECTORY, path, arguments)
        raise ScriptError(
            command, "it is binary, not Python source", "Give the path of the script's source, a .py file."
        )
    return Program(SCRIPT, path, arguments, source)


def _notebook(command: str, path: str, arguments: Sequence[str], source: bytes) -> Program:
    from tf1mem.notebooks import reading

    try:
        notebook = reading.read(source)
    except reading.NotANotebook as error:
        raise ScriptError(command, f"it {error.wrong}", error.remedy) from None
    if not notebook.is_python:
        raise ScriptError(command, "it is a notebook in another language than Python", "Run it in Jupyter")
    numbered = ((cell.number, cell.texts) for cell in notebook.cells if cell is not None)
    cells = [(number, "".join(texts)) for number, texts in numbered if texts is not None]
    return Program(NOTEBOOK, path, arguments, cells=cells, says_python=notebook.says_python)


def _holds_main(path: str) -> bool:
    try:
        return PathFinder.find_spec("__main__", [path]) is not None
    except SyntaxError:
        return True  # Python compiles a zip file's __main__.py to find it
    except ImportError:
        return False
