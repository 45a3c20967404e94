"""Results of files are remembered: by content, for the same options, until tf1mem changes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.codemod.trees import build, new, old
from tf1mem.codemod.trees.cache import digest_of
from tf1mem.codemod.trees.known import KnownFiles, KnownResults, known_files
from tf1mem.codemod.trees.walk import walk
from tf1mem.codemod.trees.work import PYTHON3, Options, work

CLEAN = b"import tensorflow as tf\nx = tf.constant(1)\n"
REMARK = b"from tensorflow.python.framework import ops\nisinstance(x, ops.Tensor)\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tf1mem" / "codemod"


def statuses(folder, clean):
    """Returns which of a folder's files would change."""
    outcomes = work(walk([str(folder)]), Options(), jobs=2, known=clean)
    return {os.path.basename(outcome.path): bool(outcome.changes) for outcome in outcomes}


def test_a_clean_file_is_not_looked_at_again(tmp_path):
    source = old(1)
    build(tmp_path, {"clean.py": CLEAN, "old.py": source})
    clean = KnownFiles()
    assert statuses(tmp_path, clean) == {"clean.py": False, "old.py": True}
    assert clean.new == {digest_of(CLEAN, "python")}
    again = KnownFiles("", frozenset([*clean.new, digest_of(source, "python")]))
    assert statuses(tmp_path, again) == {"clean.py": False, "old.py": False}
    assert again.new == set()
    assert statuses(tmp_path, KnownFiles("", frozenset([digest_of(source, "notebook")])))["old.py"]


def test_changes_and_remarks_are_not_looked_for_again(tmp_path):
    unread = old(2) + b"x = " + b"(" * 300
    build(tmp_path / "tree", {"clean.py": CLEAN, "old.py": old(1), "remark.py": REMARK, "unread.py": unread})

    def outcomes(known, *, diff=False):
        return list(work(walk([str(tmp_path / "tree")]), Options(diff=diff), jobs=2, known=known))

    def messages(known, *, diff=False):
        places = [each for outcome in outcomes(known, diff=diff) for each in (*outcome.changes, *outcome.remarks)]
        return [each.message for each in places]

    def known(edit=lambda rows: rows):
        kept = KnownResults.read(str(tmp_path / "cache"))
        return KnownFiles(results=KnownResults(kept.path, edit(kept.rows)))

    first = known()
    before = outcomes(first)
    assert sorted(first.results.new) == sorted(digest_of(text, "python").hex() for text in (old(1), REMARK))
    first.save()
    assert outcomes(known()) == before
    assert known().results.rows == first.results.new != {}

    # The rows are what a second run says, unless it needs a changed source or a row is damaged.
    marked = json.loads(json.dumps(first.results.new).replace("tf1mem.v1", "MARK").replace("TensorFlow", "MARK"))
    by_rows = messages(known(lambda rows: marked))
    assert any("MARK" in message for message in by_rows)
    of_remark = marked[digest_of(REMARK, "python").hex()][1][0][3]
    with_diff = [message for message in messages(known(lambda rows: marked), diff=True) if "MARK" in message]
    assert with_diff == [of_remark]
    damaged = {digest: [[1], [2], 0, []] for digest in marked}
    assert outcomes(known(lambda rows: damaged)) == before
    (tmp_path / "cache").write_text(json.dumps({"0": [1]}), encoding="utf-8")
    assert known().results.rows == {}


def test_the_command_remembers_and_forgets(tmp_path, cache, capsys):
    from tf1mem.__main__ import main

    build(tmp_path / "tree", {"clean.py": CLEAN, "old.py": old(1)})

    def status(*options):
        return main(["codemod", "-q", *options, str(tmp_path / "tree")])

    assert [status(), status(), status("--to", "apply"), status("--write"), status("--check")] == [1, 1, 1, 0, 0]
    assert (tmp_path / "tree" / "old.py").read_bytes() == new(1)
    lists = {path.read_bytes() for path in cache.iterdir()}
    assert lists == {
        digest_of(CLEAN, "python"),
        b"".join(sorted(digest_of(text, "python") for text in (CLEAN, new(1)))),
    }
    build(tmp_path / "tree", {"old.py": old(1)})
    for path in cache.iterdir():
        path.write_bytes(digest_of(old(1), "python"))
    assert [status("--check"), status("--check", "--no-cache")] == [0, 1]


def test_lists_belong_to_options_and_are_joined(cache):
    options = Options(only=("TFM101",))
    first, second, other = options.known_files(), options.known_files(), Options().known_files()
    assert first.path == second.path != other.path
    first.new.add(b"1" * 16)
    second.new.add(b"2" * 16)
    first.save()
    second.save()
    assert options.known_files().digests == {b"1" * 16, b"2" * 16}
    assert (Options().known_files().digests, Options(to=PYTHON3).known_files().path) == (frozenset(), "")
    assert os.listdir(str(cache)) == [os.path.basename(first.path)]  # nothing temporary


def test_a_cache_that_cannot_be_used_is_left_alone(cache, monkeypatch):
    clean = known_files("options")
    Path(clean.path).parent.mkdir(parents=True)
    Path(clean.path).write_bytes(b"3" * 16 + b"half")
    clean = known_files("options")
    assert clean.digests == {b"3" * 16}
    clean.new.add(b"4" * 16)
    Path(clean.path).unlink()
    cache.rmdir()
    cache.write_text("a file", encoding="utf-8")
    clean.save()
    assert (cache.read_text(encoding="utf-8"), known_files("options").digests) == ("a file", frozenset())
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "relative, too")
    nowhere = known_files("options")
    nowhere.new.add(b"5" * 16)
    nowhere.save()
    assert nowhere.path == ""
