"""The kinds of findings of `tf1mem check`: an error stops a program, a warning may, a note is for information."""

from __future__ import annotations

from tf1mem.doctor.finding import Kind

SYNTAX = Kind.error(
    "TFC102",
    "This Python can't read the file.",
    "Mend the syntax, or give what has become a word of Python's (`async`) another name.",
)
LACKING = Kind.error(
    "TFC103",
    "Neither TensorFlow nor `tf1mem.v1` has a name that is used.",
    "Each finding says what there is in its place.",
)
ABSENT = Kind.error(
    "TFC104", "A module isn't installed.", "Install it, in the version that the program was written for."
)
GONE = Kind.error(
    "TFC105",
    "The version of a library that is installed hasn't got a name any more, and `tf1mem run` doesn't repair it.",
    "Install the version that the finding names, or write what took its place.",
)
OF_TENSORFLOW_1 = Kind.error(
    "TFC106",
    "A library that is installed was written for TensorFlow 1; `tf1mem run` rewrites the program's own files alone.",
    "Run the program by `tf1mem run --with-package NAME`, which takes the library as its own.",
)
OPS = Kind.error(
    "TFC107",
    "C++ ops are loaded, which hold for the TensorFlow that they were built with.",
    "Build them anew from their source with the TensorFlow that is installed.",
)
PYTHON2_UNTRANSLATED = Kind.error(
    "TFC108",
    "The file has Python 2's syntax, which `tf1mem run` translates by fissix, and fissix isn't installed.",
    "`pip install 'tf1mem[python2]'`",
)
MAY_BE_ABSENT = Kind.warning(
    "TFC201",
    "A module isn't installed, and imported where a run needn't come by: in a function, a branch or a test.",
    "Install it if the run needs it.",
)
NOT_LOOKED_FOR = Kind.warning(
    "TFC202",
    "A module of the repository's own lies where Python doesn't look: neither beside the file that imports it, nor "
    "beside the script, nor in the repository's folder.",
    "Name its folder in PYTHONPATH.",
)
REPAIRED = Kind.note(
    "TFC301", "A library hasn't got a name any more; `tf1mem run` gives it back.", "Nothing: `tf1mem run` does it."
)
MAY_BE_REPAIRED = Kind.note(
    "TFC302",
    "A method or a call that newer libraries may not have, or refuse, depending on what it is given.",
    "Nothing: `tf1mem run` does it.",
)
PYTHON2 = Kind.note(
    "TFC303",
    "The file, the notebook or a cell of it is Python 2: by its syntax, what the notebook says, or a name that "
    "Python 3 hasn't got.",
    "Nothing: `tf1mem run` does it.",
)
SETTINGS = Kind.note("TFC401", "How GPU settings are given.", "Nothing: `tf1mem run` has them honoured.")


def kinds() -> list[Kind]:
    """Returns every kind, ordered by code."""
    return sorted((value for value in globals().values() if isinstance(value, Kind)), key=lambda kind: kind.code)
