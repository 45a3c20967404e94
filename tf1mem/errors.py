"""Every exception of tf1mem that a user can meet; all derive from Tf1memError.

A message says what was requested, what is wrong with it, and what to do, in that order. It names settings as TensorFlow
1 spells them. Each class also derives from the built-in exception that fits, such as ValueError, so that code which
doesn't know tf1mem catches it, too.
"""

from __future__ import annotations

import re
import sys

TYPE_CHECKING = False  # typing is never imported: import tf1mem stays light
if TYPE_CHECKING:
    from typing import Iterable, Iterator

# Exit statuses; `tf1mem/cli/exits.py` says what they mean for each command.
FINDINGS = 1
BAD_INPUT = 2
TIMED_OUT = 124  # as timeout(1)
NOT_EXECUTABLE = 126  # as shells
NOT_FOUND = 127
INTERRUPTED = 130  # 128 + SIGINT, as shells count
NOBODY_READS = 141  # 128 + SIGPIPE

# The marks that make a line of a CI log a command: GitHub's (`ActionCommand.cs` of actions/runner) and Azure
# Pipelines'. They are escaped anywhere in a line, since a table may break a line anywhere.
_COMMAND = re.compile(
    r"(?i):(?=:(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env|"
    r"set-output|stop-commands|warning)(?: |::))|#(?=#(?:vso)?\[)"
)


def printable(text: str, keep: str = "") -> str:
    r"""Escapes text from outside, so that it can neither break its line, steer a terminal, nor give CI a command.

    Args:
        text: A name, a value, a path, a line of source: anything that somebody else has written.
        keep: Control characters that stay, such as "\n".

    Returns:
        The text, in which each character that isn't printable is escaped as in Python: \n, \x1b. So are a byte of a
        path that isn't UTF-8, as \xff, and the first character of a command of CI, such as ::error::.
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char in keep else _escaped(char) for char in text)
    return _COMMAND.sub(lambda first: f"\\x{ord(first.group()):02x}", text)


def commands(text: str) -> list[bool]:
    """Returns a list with True for each character that is the first of a command of CI, such as ::error::."""
    starts = {first.start() for first in _COMMAND.finditer(text)}
    return [place in starts for place in range(len(text))]


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # Python's surrogate for a byte that isn't UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def meant(name: str, known: Iterable[str]) -> str:
    """Returns the question "Did you mean …?" for a mistyped name, or "" if no known name is similar.

    Args:
        name: The mistyped name.
        known: The names that exist.
    """
    import difflib

    close = difflib.get_close_matches(name, list(known), 2)
    return "Did you mean {}?".format(" or ".join(close)) if close else ""


class Tf1memError(Exception):
    """The root of tf1mem's exceptions.

    Attributes:
        asked: The request, in a few words, such as "gpu_options.allow_growth=1".
        wrong: The fault, such as "is not True or False".
        remedy: The advice, such as "Give it True".
    """

    def __init__(self, asked: str, wrong: str, remedy: str) -> None:
        super().__init__(asked, wrong, remedy)
        self.asked = asked
        self.wrong = wrong
        self.remedy = remedy

    def __str__(self) -> str:
        joint = " " if self.wrong.startswith(("is ", "are ", "need ", "needs ")) else ": "
        what = printable(self.asked + joint + self.wrong.rstrip("."))
        return "{}. {}".format(what, printable(self.remedy.rstrip("."), keep="\n"))  # a remedy may have several lines


class SettingError(Tf1memError, ValueError):
    """A setting has a value that TensorFlow 1 would refuse, or that this machine's GPUs can't have."""


class SettingTypeError(Tf1memError, TypeError):
    """A setting has a value of the wrong type."""


class NotAConfigError(SettingTypeError):
    """An argument is not a config."""


class UnknownFieldError(SettingError, KeyError):
    """A dict or a file names a field that no ConfigProto has."""

    __str__ = Tf1memError.__str__


class EnvironmentVariableError(SettingError):
    """An environment variable that configures tf1mem is malformed."""


class ConfigFileError(Tf1memError, ValueError):
    """A settings file is empty, binary, broken, or of a kind that tf1mem does not read."""


class ConfigFileNotFoundError(ConfigFileError, FileNotFoundError):
    """A settings file is missing, or is not a file."""

    __str__ = Tf1memError.__str__


class TensorFlowNotFoundError(Tf1memError, ImportError):
    """No TensorFlow is installed for this Python."""


class TensorFlowTooOldError(Tf1memError, ImportError):
    """The TensorFlow that is installed is older than 1.13."""


class LibraryFileError(Tf1memError, ValueError):
    """A shared library of the installed TensorFlow can't be read, or is damaged."""


class MissingPackageError(Tf1memError, ModuleNotFoundError):
    """A package that the program needs besides TensorFlow is not installed."""


class MissingSymbolError(Tf1memError, AttributeError):
    """The program uses a symbol of a package that is not installed."""


class RemovedSymbolError(Tf1memError, AttributeError):
    """The program uses a TensorFlow 1 symbol that the installed TensorFlow no longer has."""


class RemovedModuleError(Tf1memError, ModuleNotFoundError):
    """The program imports a TensorFlow 1 symbol that the installed TensorFlow no longer has."""


class DataError(Tf1memError, OSError):
    """A data set that came with TensorFlow 1 is not on this machine, and can't be downloaded."""


class TensorFlowRefusedError(Tf1memError, RuntimeError):
    """TensorFlow itself refused a call that makes a setting; settings made before that call are undone."""


class RuntimeAlreadyStarted(Tf1memError, RuntimeError):  # noqa: N818 - states a fact, as TensorFlow's errors do
    """TensorFlow's GPU runtime has started, so settings other than those in force come too late."""


class ScriptError(Tf1memError, ValueError):
    """`tf1mem run` was given something that is not a Python script or module."""


class ScriptNotFoundError(ScriptError, FileNotFoundError):
    """`tf1mem run` was given a script or module that is not there."""

    __str__ = Tf1memError.__str__


class DataNotTrustedError(Tf1memError, ValueError):
    """A program loads data that can run code as it is read, and `tf1mem run` was not told to trust it."""


class SourceFileError(Tf1memError, OSError):
    """`tf1mem codemod` could not read or write a file; the file is unchanged."""


class WorkerError(Tf1memError, RuntimeError):
    """A process of `tf1mem codemod` could not be started."""


class SimulationError(Tf1memError, ValueError):
    """The requested simulated GPUs are impossible, or their files can't be written."""


class TraceError(Tf1memError, ValueError):
    """A file is not the trace of a simulation, or is damaged."""


class CommandError(Tf1memError, OSError):
    """`tf1mem sim` was given a command that cannot be started."""


class CommandNotFoundError(CommandError, FileNotFoundError):
    """`tf1mem sim` was given a command that is not there."""


class SimulatorNotBuiltError(Tf1memError, RuntimeError):
    """The libraries of the simulated GPUs could not be compiled on this machine."""


class StepTypeError(Tf1memError, TypeError):
    """`tf1mem.estimate` was given something that is neither a function nor a model, nor can be run by a Session."""


class SpecError(Tf1memError, ValueError):
    """A spec for `tf1mem.estimate` doesn't describe a tensor."""


class VerifyError(Tf1memError, RuntimeError):
    """`tf1mem verify` could not start one of the two TensorFlows, or could not read or write a recording."""


class EstimateError(Tf1memError, RuntimeError):
    """`tf1mem.estimate` could not trace a step, or could not run it."""


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yields an error, and the errors that it was raised from or contains."""
    waiting, visited = [error], set()
    while waiting:
        current = waiting.pop(0)
        if id(current) in visited:
            continue
        visited.add(id(current))
        yield current
        held = getattr(current, "exceptions", ())
        waiting += [part for part in held if isinstance(part, BaseException)] if isinstance(held, tuple) else []
        was_raised_from = current.__cause__ is not None or current.__suppress_context__
        before = current.__cause__ if was_raised_from else current.__context__
        if before is not None:
            waiting.append(before)


def complain(error: object, color: bool = False) -> None:
    """Prints an error to stderr as "tf1mem: error: …", without a traceback.

    Args:
        error: The error, or its text.
        color: True to print "error:" in colour.
    """
    head = "tf1mem: \x1b[1;31merror:\x1b[0m " if color else "tf1mem: error: "
    try:
        print(head + printable(str(error), keep="\n"), file=sys.stderr)
    except OSError:
        pass  # nobody reads stderr; the exit status still says that it failed
