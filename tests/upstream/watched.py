"""Runs a file of tests as a program, and tells of each test as it begins and ends, since one may end the process.

Usage: watched.py OUTCOMES HOW FILE: HOW is "python", "v1" for TensorFlow 1's behaviour by
compat.v1 alone, or "run" for what `tf1mem run` does. What OUTCOMES names already
isn't run again; a line of JSON is added for each test that is: its name, and what became of it, null while it runs.

It stands alone: it runs on every TensorFlow's Python.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import unittest


def watch(outcomes):
    """Has every test tell of itself."""
    with open(outcomes, encoding="utf-8") as file:
        known = {_short(json.loads(line)[0]) for line in file}
    out = open(outcomes, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 - for as long as the process lasts
    plain = unittest.TestCase.run

    def run(self, result=None):
        name = _short(self.id().partition(".")[2])  # without the module, which is __main__
        if name in known or result is None:
            return result
        before = _counts(result)
        out.write(json.dumps([name, None]) + "\n")
        ran = plain(self, result)
        changed = [outcome for outcome, count in _counts(result).items() if count > before[outcome]]
        out.write(json.dumps([name, changed[0] if changed else "passed"]) + "\n")
        return ran

    unittest.TestCase.run = run


def _short(name):
    """A test's name without its parameters: how they are written is not the same in each process and version."""
    return name.partition(" ")[0]


def _counts(result):
    return {"failed": len(result.failures) + len(result.errors), "skipped": len(result.skipped)}


if __name__ == "__main__":
    outcomes, how, program = sys.argv[1:]
    sys.argv = [program]
    sys.path[0] = os.path.dirname(program)
    watch(outcomes)
    if how == "run":
        from tf1mem import runner

        runner.launch(runner.script(program, []))
    else:
        if how == "v1":
            import tensorflow

            tensorflow.compat.v1.disable_v2_behavior()
        runpy.run_path(program, run_name="__main__")
