"""Compares settings.md with the installed TensorFlow: with tf1mem's plan for it, and with the settings it then has.

The page's columns are plans for TensorFlow versions, made without them. On each version of the matrix, this compares
the column of that version with the plan that tf1mem makes there, after it has looked at the real TensorFlow.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from packaging.version import Version

from migration_guide.generating import cases, columns, spelling
from tests.processes.environment import LIMIT_S, clean
from tf1mem.settings import protos
from tf1mem.settings.fields import FIELDS
from tf1mem.settings.settings import Settings

# `taken` of a Column -> the modules in the order in which a program imports them.
FIRST = {False: ("tf1mem", "tensorflow"), True: ("tensorflow", "tf1mem")}

# A program that prints the plan for each case, and the outcomes of the cases to apply, each applied in its own process.
PROGRAM = """
import {}
import {}
import json, os, sys
from dataclasses import replace
from tf1mem.planning.plan import make
from tf1mem.planning.steps import ALL
from tf1mem.machine.runtime import detect, supposed_gpus
from tf1mem.settings.settings import Settings

def apply(path, tree, gpus):
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(len(gpus))))
    try:
        tf1mem.apply(tree)
        return [[line.step.call, line.outcome] for line in tf1mem.report().lines if line.step.setting == path]
    except Exception as error:
        return repr(error)

def in_a_child(*case):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, json.dumps(apply(*case)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        outcome = json.load(answer)
    os.waitpid(child, 0)
    return outcome

def plan(here, path, tree, gpus):
    runtime = replace(here, gpus=supposed_gpus(gpus), environment={{}})
    steps = make(Settings.of(tree), runtime).steps
    own = [step for step in steps if step.setting in (path, ALL)]
    return [[step.route for step in own], [step.call for step in own]]

if __name__ == "__main__":
    request = json.load(sys.stdin)
    here = detect(lambda: ())
    planned = [plan(here, *case) for case in request["planned"]]
    json.dump({{"planned": planned, "applied": [in_a_child(*case) for case in request["applied"]]}}, sys.stdout)
"""


def column_of(version):
    """Returns the name of the column for a TensorFlow version, or None."""
    name = ".".join(map(str, version.release[:2]))
    return name if name in columns.VERSIONS else None


def fields_of(version):
    """Yields every field that a TensorFlow has: its path, a config with a value for it, and the GPUs' sizes."""
    for row in FIELDS.values():
        if Version(row.since).release <= version.release[:2]:
            count = 2 if row.name == "visible_device_list" else 1
            yield row.path, spelling.tree(row), [8 * columns.GIB] * count


def shown():
    """Yields every case of the page's sections: its path, config and GPUs' sizes."""
    for section in cases.SECTIONS:
        for case in section.cases:
            yield section.path, case.tree, [8 * columns.GIB] * case.gpus


def answers(first, planned, applied=(), **env):
    """Returns tf1mem's plans and the outcomes of applied settings, from a separate Python."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(*FIRST[first])],
        input=json.dumps({"planned": planned, "applied": applied}), capture_output=True,
        env=clean(**env), encoding="utf-8", timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def agree(column, fields, planned):
    """Checks that the page's column agrees with the plans."""
    for (path, tree, gpus), (routes, calls) in zip(fields, planned):
        cell = columns.cell(tree, column, path, gpus)
        assert (list(cell.routes), list(cell.calls)) == (routes, calls), (path, tree)


def has_gpu_support():
    """Returns True if the installed TensorFlow can run on simulated GPUs."""
    import tensorflow

    return sys.platform == "linux" and tensorflow.test.is_built_with_cuda()


@pytest.mark.proof
def test_the_column_of_this_tensorflow_is_what_tf1mem_plans_and_does(tensorflow_version):
    """A TensorFlow with GPU support applies the settings on simulated GPUs; others only plan, since they see no GPU."""
    name = column_of(tensorflow_version)
    assert name, f"settings.md has no column for TensorFlow {tensorflow_version}: add it to machine/versions.py"
    column = columns.Column(name)
    fields = [*fields_of(tensorflow_version), *shown()]
    if not has_gpu_support():
        return agree(column, fields, answers(False, fields)["planned"])
    from tf1mem.gpusim.launching import simulation

    with simulation(["8GiB"] * 2, values=False) as simulated:
        results = answers(False, fields, list(shown()), **simulated.environment)
    agree(column, fields, results["planned"])
    expected = {"none": {"no effect"}, "session": {"handed to the Session", "done"}}
    for (path, tree, gpus), calls_done in zip(shown(), results["applied"]):
        cell = columns.cell(tree, column, path, gpus)
        calls = [call for call, route in zip(cell.calls, cell.routes) if call != "tf.Session()" or len(cell.calls) == 1]
        assert [call for call, _ in calls_done if call != "tf.Session()"] == calls, (path, tree, calls_done)
        for (_, outcome), route in zip(calls_done, cell.routes):
            assert outcome in expected.get(route, {"done", "already so"}), (path, tree, calls_done)


@pytest.mark.proof
def test_the_column_for_tensorflow_imported_first(tensorflow_version):
    name = column_of(tensorflow_version)
    column = columns.Column(name, has_context=True)
    fields = [*fields_of(tensorflow_version), *shown()]
    if column not in columns.columns():
        # The page says that the order doesn't matter here: the plans are the same in both orders.
        column = columns.Column(name)
    agree(column, fields, answers(True, fields)["planned"])


@pytest.fixture(scope="module")
def tensorflow():
    import tensorflow

    return tensorflow


def test_the_spelling_of_tf1_programs(tensorflow, tensorflow_version):
    from importlib import import_module

    names = {
        name: import_module("tensorflow.core.protobuf." + name)
        for name in ("config_pb2", "rewriter_config_pb2", "verifier_config_pb2")
        if (name, tensorflow_version.release[:2]) != ("verifier_config_pb2", (1, 13))
    }
    for path, tree, _ in fields_of(tensorflow_version):
        config = tensorflow.compat.v1.ConfigProto()
        exec("\n".join(spelling.lines(tree)), {"tf": tensorflow.compat.v1, "config": config, **names})
        assert config == protos.from_tree(tree), (path, spelling.lines(tree))


@pytest.mark.parametrize("section", cases.SECTIONS, ids=[section.title for section in cases.SECTIONS])
def test_the_other_spellings_ask_for_the_same(tensorflow, section):
    import tf1mem

    expected = Settings.of(section.cases[0].tree).values
    if section.keyword:
        config = eval(f"tf1mem.config({section.keyword})", {"tf1mem": tf1mem})
        assert Settings.of(config).values == expected
    if section.variable:
        assert Settings.of(tf1mem.from_env(dict([section.variable.split("=")]))).values == expected
