"""The kinds of findings of `tf1mem check`: an error stops a program, a warning may stop it, a note informs."""

from __future__ import annotations

from tf1mem.doctor.finding import Kind

SYNTAX = Kind.error(
    "TFC102",
    "This Python can't read the file.",
    "Fix the syntax, or rename what has become a keyword (`async`).",
)
LACKING = Kind.error(
    "TFC103",
    "The program uses a name that neither TensorFlow nor `tf1mem.v1` has.",
    "Each finding names the replacement.",
)
ABSENT = Kind.error(
    "TFC104", "A module isn't installed.", "Install it, in the version that the program was written for."
)
GONE = Kind.error(
    "TFC105",
    "The installed version of a library has lost a name, and `tf1mem run` doesn't repair it.",
    "Install the version that the finding names, or write the replacement.",
)
OF_TENSORFLOW_1 = Kind.error(
    "TFC106",
    "An installed library was written for TensorFlow 1; `tf1mem run` only rewrites the program's own files.",
    "Run the program by `tf1mem run --with-package NAME`, which rewrites the library, too.",
)
OPS = Kind.error(
    "TFC107",
    "C++ ops are loaded, which only work with the TensorFlow that they were built with.",
    "Rebuild them from source with the installed TensorFlow.",
)
PYTHON2_UNTRANSLATED = Kind.error(
    "TFC108",
    "The file has Python 2's syntax, which `tf1mem run` translates with fissix, but fissix isn't installed.",
    "`pip install 'tf1mem[cli]'`",
)
MAY_BE_ABSENT = Kind.warning(
    "TFC201",
    "A module isn't installed whose import may not run: it is in a function, a branch or a test.",
    "Install it if the run needs it.",
)
MAY_BE_GONE = Kind.warning(
    "TFC203",
    "An object's method has the name of one that the installed version of a library has lost. Its class isn't known.",
    "If it is the library's, install the version that the finding names, or write the replacement.",
)
NOT_LOOKED_FOR = Kind.warning(
    "TFC202",
    "A module of the repository is where Python doesn't look: neither beside the file that imports it, nor "
    "beside the script, nor in the repository's folder.",
    "Name its folder in PYTHONPATH.",
)
OTHER_VALUES = Kind.warning(
    "TFC204",
    "An installed library is of a release in which old programs compute other values; their files don't show where.",
    "Install the version that the finding names.",
)
REPAIRED = Kind.note(
    "TFC301", "A library has lost a name; `tf1mem run` restores it.", "Nothing: `tf1mem run` restores it."
)
MAY_BE_REPAIRED = Kind.note(
    "TFC302",
    "Newer libraries may lack a method, or refuse a call or give another result, depending on its arguments.",
    "Nothing: `tf1mem run` repairs both.",
)
PYTHON2 = Kind.note(
    "TFC303",
    "The file, the notebook or one of its cells is Python 2: by its syntax, the notebook's metadata, or a name that "
    "Python 3 lacks.",
    "Nothing: `tf1mem run` translates it.",
)
OTHER_NUMBERS = Kind.note(
    "TFC304",
    "The installed version of a library draws other random numbers than the program's version did.",
    "To get the same numbers, install the version that the finding names.",
)
SETTINGS = Kind.note("TFC401", "The way in which GPU settings are made.", "Nothing: `tf1mem run` applies them.")


def kinds() -> list[Kind]:
    """Returns every kind, ordered by code."""
    return sorted((value for value in globals().values() if isinstance(value, Kind)), key=lambda kind: kind.code)
