"""`yaml.load` without a Loader, as in programs for PyYAML before 5.1, makes only plain Python objects."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

import pytest

from tests.processes.environment import LIMIT_S, clean

pytest.importorskip("yaml")

PROGRAM = """
import os, sys
import yaml

MADE = []
class Made(object):
    def __init__(self, *args):
        MADE.append(args)
    def __setstate__(self, state):
        MADE.append(state)
for text in [
    "!!python/name:os.system", "!!python/module:os", "!!python/object:__main__.Made {a: 1}",
    "!!python/object/new:__main__.Made [1]", "!!python/object/apply:os.system ['echo ran']",
    "[1, {a: !!python/name:os.system }]", "!!python/object/apply:__main__.Made {args: [1]}",
]:
    for load in (lambda text: yaml.load(text), lambda text: list(yaml.load_all(text))):
        try:
            print(repr(load(text)))
        except ValueError as error:
            print(type(error).__name__, "--trust-data" in str(error))
print(yaml.load("[!!python/tuple [1, 2], !!python/complex 1j, 2018-05-01]"), len(MADE))
yaml.add_constructor("!own", lambda loader, node: "own")
print(yaml.load("!own 1"))
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")

    def run(*options):
        done = subprocess.run(
            [sys.executable, "-m", "tf1mem", "run", *options, "program.py"], cwd=str(tmp_path), env=clean(),
            capture_output=True, encoding="utf-8", check=False, timeout=LIMIT_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_untrusted_yaml_makes_no_objects_of_python_and_runs_nothing(run):
    *refused, plain, with_loader = run()
    assert refused == ["DataNotTrustedError True"] * 14
    assert (plain, with_loader) == ("[(1, 2), 1j, datetime.date(2018, 5, 1)] 0", "own")


def test_trusted_yaml_does(run):
    lines = run("--trust-data")
    # `tf1mem run` replaces os.system, so that programs which it starts run by tf1mem, too.
    assert re.fullmatch("<(built-in function system|function system at 0x[0-9a-f]+)>", lines[0])
    assert lines.count("ran") == 2
    assert not any("DataNotTrustedError" in line for line in lines)
