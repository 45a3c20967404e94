"""Runs programs that use tf1mem.v1. It affects the whole process, so each program has a separate process."""

from __future__ import annotations

import textwrap

import pytest

PRELUDE = """\
import os, sys
import tf1mem.machine.tensorflow
VERSION = tf1mem.machine.tensorflow.installed_version().release[:2]
TF1 = VERSION < (2, 0)
KERAS_3 = VERSION >= (2, 16)

def raised(kind, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        return error
    raise AssertionError("%s not raised" % kind)

def run(source):
    exec(compile(source, "program.py", "exec"), {"__name__": "program"})

def has(package):
    from importlib.util import find_spec
    return find_spec(package) is not None

"""


@pytest.fixture
def scenario(python):
    """Returns a function that runs PRELUDE and a script; it returns the output, and fails if the script fails."""

    def run(script, env=None, fresh=False):
        env = {"CUDA_VISIBLE_DEVICES": "", **(env or {})}
        printed = python(PRELUDE + textwrap.dedent(script), env=env, fresh=fresh)
        run.stderr = python.stderr  # type: ignore[attr-defined]
        return printed

    return run
