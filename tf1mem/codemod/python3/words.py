"""What what is written has of Python 2, and under which names."""

from __future__ import annotations

# What a file calls the module that has it.
HELPERS = "python2"
HOME = "tf1mem.era.python2.kept"

# Builtins that Python 3 has under another name.
RENAMED = {
    "StandardError": "Exception",
    "basestring": "str",
    "long": "int",
    "raw_input": "input",
    "unichr": "chr",
    "xrange": "range",
}

# Builtins that live in a module, or that are kept as Python 2's.
MOVED = {"intern": "sys", "reduce": "functools"}
KEPT = frozenset(
    "apply buffer cmp coerce exec execfile file filter input map open range reload round sorted unicode zip".split()
)

# What takes an iterable, and needs no list.
TAKES_ANY = frozenset("all any dict enumerate filter frozenset iter list map max min set sorted sum tuple zip".split())
