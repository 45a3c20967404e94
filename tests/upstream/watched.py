"""Runs a file of tests as a program, and records each test as it begins and ends, since one may end the process.

Usage: watched.py OUTCOMES HOW FILE

HOW is "python"; "v1" for TensorFlow 1's behaviour by compat.v1 alone; or "run" for `tf1mem run`. OUTCOMES is a file
with a line of JSON for each test: its name and its outcome, which is null while it runs. Tests that it already has
aren't run again.

Tests of tf.contrib import helper modules that aren't part of its API; these come from the checkout, and so do data
files. A module of tf.contrib that tf1mem doesn't supply can be imported all the same, so that the file's other tests
run; a test that uses a name in it has the outcome "not supplied".

A file whose tests start further processes of the same file (multi_process_runner) runs as an executable, as in
TensorFlow's own build.

This file is independent of tf1mem's code, and runs on every TensorFlow's Python.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import sys
import unittest
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType


def watch(outcomes):
    """Patches unittest so that every test writes its outcome into a file."""
    with open(outcomes, encoding="utf-8") as file:
        known = {_short(json.loads(line)[0]) for line in file}
    out = open(outcomes, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 - for as long as the process lasts
    plain = unittest.TestCase.run

    def run(self, result=None):
        name = _short(self.id().partition(".")[2])  # without the module, which is __main__
        if name in known or result is None:
            return result
        before, errors = _counts(result), len(result.errors)
        out.write(json.dumps([name, None]) + "\n")
        ran = plain(self, result)
        changed = [outcome for outcome, count in _counts(result).items() if count > before[outcome]]
        outcome = changed[0] if changed else "passed"
        if outcome == "failed" and any(_NOT_SUPPLIED.search(message) for _, message in result.errors[errors:]):
            outcome = "not supplied"
        out.write(json.dumps([name, outcome]) + "\n")
        return ran

    unittest.TestCase.run = run  # type: ignore[method-assign]


def _short(name):
    """Returns a test's name without its parameters, whose text differs between processes and versions."""
    return name.partition(" ")[0]


def _counts(result):
    return {"failed": len(result.failures) + len(result.errors), "skipped": len(result.skipped)}


class Shared:
    """A finder of modules that tests of tf.contrib import: test_data, estimator_test_utils, a folder of tests.

    Attributes:
        root: The checkout.
    """

    def __init__(self, root):
        self.root = root

    def find_spec(self, name, path=None, target=None):
        """Returns the spec of a module in the checkout, or of a stand-in for a module that tf1mem doesn't supply.

        None leaves a module to other finders.
        """
        root, _, below = name.partition(".contrib.")
        if root not in ("tensorflow", "tf1mem.v1"):
            return None
        if below.startswith("testing") or not _SHARED.search(below):
            return self._supplied(name, path, target) if below and root == "tf1mem.v1" else None
        at = self._place(below.split("."))
        if at is not None and os.path.isdir(at):
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [at]
            return spec
        if at is None:
            return None
        for finder in sys.meta_path:
            if hasattr(finder, "alias"):  # the finder of tf1mem run, which rewrites the module
                finder.alias(name, at + ".py")
                return finder.find_spec(name)  # type: ignore[call-arg]
        return spec_from_file_location(name, at + ".py")

    def _supplied(self, name, path, target):
        try:
            specs = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
            return next(filter(None, specs), None)
        except ImportError as error:
            if type(error).__name__ not in ("RemovedModuleError", "MissingSymbolError"):
                raise
            return ModuleSpec(name, _Absent(error), is_package=True)

    def _place(self, parts):
        """Returns the path of a folder or a file, also below the folders that tf1mem's names leave out."""
        top = os.path.join(self.root, "tensorflow", "contrib", parts[0])
        at = os.path.join(top, *parts[1:])
        if os.path.isdir(at) or os.path.isfile(at + ".py"):
            return at
        for folder, _, files in sorted(os.walk(top)):
            above = iter(os.path.relpath(folder, top).split(os.sep))
            if parts[-1] + ".py" in files and all(part in above for part in parts[1:-1]):
                return os.path.join(folder, parts[-1])
        return None


class _Absent:
    """A loader of stand-ins for modules that tf1mem doesn't supply: using a name of such a module raises the error."""

    def __init__(self, error):
        self._error = error

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        def named(name):
            if name.startswith("__"):
                raise AttributeError(name)
            return self

        module.__getattr__ = named

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._error

    def __call__(self, *args, **kwargs):
        raise self._error


def starts_itself(program):
    """Returns True if a file has tests that start further processes of the same file."""
    with open(program, encoding="utf-8") as file:
        return re.search("import multi_process|tensorflow.python.distribute import test_util", file.read()) is not None


def run_as_executable(program):
    """Runs the program under the name of an executable, which its tests start again for further processes.

    The executable runs this file with os.devnull for OUTCOMES, so that the further processes record nothing.
    """
    at = os.path.abspath(os.path.basename(program)[: -len(".py")])
    command = [sys.executable, os.path.abspath(__file__), os.devnull, "python", program]
    with open(at, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(map(shlex.quote, command))))
    os.chmod(at, 0o755)
    sys.argv[0] = at  # runpy would set it to the program
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__file__ = program
    with open(program, encoding="utf-8") as file:
        exec(compile(file.read(), program, "exec"), main.__dict__)


class _Finders(list):
    """A list of finders whose first one stays the first when tf1mem inserts its own at the front."""

    def insert(self, place, finder):
        super().insert(max(1, place), finder)


# The last line of a traceback by which tf1mem says that it doesn't supply a name or a module of tf.contrib.
_NOT_SUPPLIED = re.compile(r"^tf1mem\.errors\.(Removed|Missing)(Symbol|Module)Error: tf\.contrib\.", re.MULTILINE)
# The modules that tests share, such as ".learn.python.learn.estimators.test_data", ".predictor.testing_common" and
# ".graph_editor.tests.match".
_SHARED = re.compile(r"\.([a-z]+_)*(tests?|testing)(_[a-z]+)?(\.|$)")


if __name__ == "__main__":
    outcomes, how, program = sys.argv[1:4]
    sys.argv = [program, *sys.argv[4:]]
    sys.path[0] = os.path.dirname(program)
    watch(outcomes)
    root, contrib, _ = os.path.abspath(program).partition("/tensorflow/contrib/")
    if contrib:
        if not os.path.exists("org_tensorflow"):
            os.symlink(root, "org_tensorflow")
        # Tests look for their data in TEST_SRCDIR/TEST_WORKSPACE.
        os.environ.update(TEST_SRCDIR=os.getcwd(), TEST_WORKSPACE="org_tensorflow")
        sys.meta_path = _Finders([Shared(root), *sys.meta_path])
    if how == "run":
        from tf1mem import runner

        runner.launch(runner.script(program, []))
    elif starts_itself(program):
        run_as_executable(program)
    else:
        if how == "v1":
            import tensorflow

            tensorflow.compat.v1.disable_v2_behavior()
        runpy.run_path(program, run_name="__main__")
