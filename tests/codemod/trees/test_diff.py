"""Diffs of rewritten files have the unified form, and `patch` and `git apply` apply them."""

from __future__ import annotations

import random
import subprocess

import pytest

from tf1mem.codemod.trees.diff import unified

LINES = (b"a\n", b"bb\n", b"\n", b"  c\r\n", b"import tensorflow as tf\n", b"\xe9 latin-1\n", b"-- x\n", b"    }\n")


def test_the_form_of_a_diff():
    old = b"".join(b"%d\n" % number for number in range(30))
    new = old.replace(b"\n4\n", b"\nfour\n").replace(b"\n8\n", b"\n8\neight\n").replace(b"\n25\n", b"\n")
    assert unified("a/b.py", old, new) == (
        b"--- a/a/b.py\n+++ b/a/b.py\n"
        b"@@ -2,11 +2,12 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n 8\n+eight\n 9\n 10\n 11\n"
        b"@@ -23,7 +24,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        (b"", b"a\n", b"@@ -0,0 +1 @@\n+a\n"),
        (b"a\n", b"", b"@@ -1 +0,0 @@\n-a\n"),
        (b"a", b"b", b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"),
        (b"a\nb", b"c\nb", b"@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"),
        (b"a\r\n", b"b\r\n", b"@@ -1 +1 @@\n-a\r\n+b\r\n"),
    ],
)
def test_missing_final_line_ends(old, new, body):
    assert unified("f", old, new) == b"--- a/f\n+++ b/f\n" + body


def test_no_difference():
    assert unified("f", b"a\n", b"a\n") == b""


def test_absolute_paths():
    assert unified("/a/b.py", b"", b"x\n").startswith(b"--- /a/b.py\n+++ /a/b.py\n")


@pytest.mark.parametrize(
    "command", [["patch", "-p1", "--binary", "--silent"], ["git", "apply", "-"]], ids=lambda c: c[0]
)
@pytest.mark.parametrize("seed", range(30))
def test_patch_and_git_apply_it(tmp_path, seed, command):
    rng = random.Random(seed)
    lines = [rng.choice(LINES) for _ in range(rng.choice([0, 1, 2, 7, 40, 700]))]
    changed = list(lines)
    for _ in range(rng.randint(1, 5)):
        at = rng.randint(0, len(changed))
        changed[at : at + rng.choice([0, 0, 1, 2, 5, 300])] = rng.choices(LINES, k=rng.choice([0, 1, 2, 3, 350]))
    old, new = (b"".join(some) + rng.choice([b"", b"x"]) for some in (lines, changed))
    if not new:
        new = b"y"  # an empty file and none are the same to a patch
    (tmp_path / "f").write_bytes(old)
    subprocess.run(command, cwd=tmp_path, input=unified("f", old, new) or b"\n", check=old != new, capture_output=True)
    assert (tmp_path / "f").read_bytes() == new
