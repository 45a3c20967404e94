"""Recognizes files of tests by their content: names vary, and a program's own test.py often evaluates a model."""

from __future__ import annotations

import re

from tf1mem.checking.file_findings import Import
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.source import syntax

_LIBRARIES = ("unittest", "pytest", "nose", "absl.testing")
# TensorFlow's own classes have longer names: TensorFlowTestCase, XLATestCase.
_CASE = re.compile(rb"\b\w*TestCase\b")
_MAIN = re.compile(r"tensorflow\..*\b(test|googletest)\.main")


def is_test(facts: Facts, imported: tuple[Import, ...]) -> bool:
    """Returns True if a file has tests: it imports a library of tests, names a TestCase, or runs TensorFlow's tests.

    Args:
        facts: The facts of the file.
        imported: The file's imports. Those in a function or a branch don't count: a program may test itself by them.
    """
    for statement in imported:
        if statement.is_run_by_script and any(f"{statement.name}.".startswith(f"{name}.") for name in _LIBRARIES):
            return True
    if any(facts.source.identifiers(name) for name in set(_CASE.findall(facts.source.text))):
        return True
    callees = map(syntax.callee, facts.calls("main"))
    return any(_MAIN.fullmatch(path) for callee in callees for path in facts.names.paths(callee))
