"""The names of Python 2 that translated files use."""

from __future__ import annotations

# The name of the helper module in a translated file, and its path.
HELPERS = "python2"
HOME = "tf1mem.era.python2.kept"

# Builtins that Python 3 has under another name.
RENAMED_BUILTINS = {
    "StandardError": "Exception",
    "basestring": "str",
    "long": "int",
    "raw_input": "input",
    "unichr": "chr",
    "xrange": "range",
}

# Builtins that live in a module today; and builtins that a translated file imports from `HOME`, as they were.
MOVED_BUILTINS = {"intern": "sys", "reduce": "functools"}
KEPT_BUILTINS = frozenset(
    "apply buffer cmp coerce exec execfile file filter input map open range reload round sorted unicode zip".split()
)

# Functions that take any iterable, so that their argument needs no list.
TAKES_ANY = frozenset("all any dict enumerate filter frozenset iter list map max min set sorted sum tuple zip".split())
