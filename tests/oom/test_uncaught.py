"""The note on an error that nothing catches is printed exactly once."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from tf1mem.oom import uncaught


@pytest.mark.parametrize(
    ("version", "printed"), [((7, 34, 0, ""), True), ((8, 13, 2, ""), True), ((8, 14, 0, ""), False)]
)
def test_in_ipython_the_note_is_shown_once(monkeypatch, capsys, version, printed):
    """IPython shows notes from 8.14 on, on any Python: PR 14039 of ipython/ipython."""
    ipython = ModuleType("IPython")
    ipython.get_ipython, ipython.version_info = object, version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    uncaught.show_when_uncaught(MemoryError(), "the note")
    assert ("the note" in capsys.readouterr().err) is printed


def test_an_ipython_that_is_only_imported_shows_nothing(monkeypatch, capsys):
    ipython = ModuleType("IPython")
    ipython.get_ipython = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(uncaught, "_PYTHON_SHOWS_NOTES", True)
    uncaught.show_when_uncaught(MemoryError(), "the note")
    assert capsys.readouterr().err == ""
