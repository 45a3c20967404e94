"""The format of the tables in tf1mem/names/data/, and the tables that are written by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tf1mem.names import rows
from tf1mem.names.rows import OldName, by_first_word, old_names, sections, words

BY_HAND = ("before_1", "contrib", "internals_by_hand", "keras_files", "v1_namespaces")


def test_sections_rows_and_words(tmp_path, monkeypatch):
    (tmp_path / "some.txt").write_text("# comment\n. . a=b c\n\n[lost]\nx y\n# more\nz y w\nx v\n[empty]\n", "utf-8")
    monkeypatch.setattr(rows, "DATA", tmp_path)
    some = sections("some")
    assert some == {"": [["", "", "a=b", "c"]], "lost": [["x", "y"], ["z", "y", "w"], ["x", "v"]], "empty": []}
    assert list(old_names(some[""])) == [OldName("", "a", "", "b"), OldName("", "c", "", "c")]
    assert words(some["lost"]) == ["x", "y", "z", "y", "w", "x", "v"]
    assert by_first_word(some["lost"]) == {"x": ["y", "v"], "z": ["y", "w"]}


def test_old_and_new_path():
    name = OldName("python.ops.math_ops", "arg_max", "math", "argmax")
    assert (name.path, name.new_path, name.is_public) == ("python.ops.math_ops.arg_max", "math.argmax", True)
    assert not OldName("", "a", "python.ops", "a").is_public
    assert OldName("", "mul", "", "multiply").new_path == "multiply"


@pytest.mark.parametrize("table", BY_HAND)
def test_the_lines_of_a_table_have_at_most_120_columns(table):
    """A row of one long name can't be shorter."""
    lines = (rows.DATA / f"{table}.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if (len(line) > 120 and len(line.split()) > 3) or line != line.strip()] == []


@pytest.mark.parametrize(("table", "section"), [("before_1", ""), ("contrib", "homes"), ("internals_by_hand", "homes")])
def test_a_name_has_one_home(table, section):
    """A second row would take the place of the first."""
    times = Counter(name.path for name in old_names(sections(table)[section]))
    assert len(times) > 10
    assert [path for path, number in times.items() if number > 1] == []
