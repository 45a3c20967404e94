"""Every TensorFlow gets the same settings from a rewritten program as TensorFlow 1.15.5 from the original."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys

import pytest
from tests.conformance import cases
from tests.matrix.proof import in_ci_or_proof

from . import recording, shapes
from .observing import observe

# The codemod itself is for Python 3.10 and up; what it wrote is checked on every Python.
if sys.version_info >= (3, 10):
    from tf1mem.codemod import rewrite

SESSION = re.compile(rb"Session\(|Supervisor\(|test_session\(")
CASES = [(shape, to) for to in shapes.TARGETS for shape in shapes.names()]
_RUN = [(shape, to) for shape, to in CASES if to != "native" or shape not in shapes.LEFT_FOR_A_PERSON["native"]]
# CI runs what the codemod writes for one target of each shape, in turn; "apply" in place of what it leaves to a person.
_TURNS = zip(shapes.names(), itertools.cycle(shapes.TARGETS))
_RUN_IN_CI = [(shape, to if (shape, to) in _RUN else "apply") for shape, to in _TURNS]
# Programs that fail on TensorFlow 2 -> a word of the error: 2.16 and up have no tf.estimator.
_ESTIMATORS = {"estimator_replace": "estimator", "estimator_run_config": "estimator"}
FAILING_ON_TF2 = {
    "shim": {},
    "apply": _ESTIMATORS,
    "native": _ESTIMATORS,
}


@pytest.fixture(scope="module")
def truth():
    return recording.read()


@pytest.fixture(scope="module")
def upgraded_by_tensorflow(tmp_path_factory):
    """Returns the rewritten programs that still need tf_upgrade_v2, converted by it."""
    folder = tmp_path_factory.mktemp("upgraded_by_tensorflow") / "after"
    command = [sys.executable, "-m", "tensorflow.tools.compatibility.tf_upgrade_v2_main"]
    done = subprocess.run(
        [*command, "--intree", str(shapes.AFTER), "--outtree", str(folder), "--reportfile", os.devnull],
        env=cases.environment(), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert len(list(folder.glob("*/*.py"))) == len(CASES), done.stdout + done.stderr
    return folder


def test_every_shape_is_recorded(truth):
    assert sorted(truth) == shapes.names()
    assert len(truth) >= 30
    assert {observation["error"] for observation in truth.values()} == {None}


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the codemod is for Python 3.10 and up")
@pytest.mark.parametrize(("shape", "to"), CASES)
def test_the_codemod_writes_the_recorded_programs(shape, to):
    result = rewrite(shapes.before(shape), to=to)
    assert result.source == shapes.after(shape, to), "see recording.py: --write, then --check on TensorFlow 1.15.5"
    # The remarks about names that tf_upgrade_v2 handles aren't about configs.
    about_configs = [remark for remark in result.remarks if remark.code not in ("TFM008", "TFM009")]
    assert bool(about_configs) == (shape in shapes.LEFT_FOR_A_PERSON[to]), result.remarks
    again = rewrite(result.source, to=to)
    assert (again.source, again.changes) == (result.source, ())


@pytest.mark.parametrize("case", in_ci_or_proof(_RUN, _RUN_IN_CI), ids="-".join)
def test_the_rewritten_program_sets_what_tensorflow_1_set(case, truth, warm_pythons, tensorflow_version, request):
    shape, to = case
    is_tf1 = tensorflow_version.major == 1
    if is_tf1 and to in shapes.TF2_ONLY:
        pytest.skip("the target native is for TensorFlow 2")
    source = shapes.after(shape, to)
    if to != "shim" and not is_tf1:
        source = (request.getfixturevalue("upgraded_by_tensorflow") / to / (shape + ".py")).read_bytes()
    # A program that still has Sessions runs in graph mode, which tf_upgrade_v2 leaves to a person.
    mode = "graph" if to != "shim" and not is_tf1 and SESSION.search(source) else ""
    observation = observe(warm_pythons, shape, source, mode)
    error = None if is_tf1 else FAILING_ON_TF2[to].get(shape)
    if error == "estimator" and tensorflow_version.release < (2, 16):
        error = None
    if error is not None:
        assert error in observation["error"], "it runs: compare"
        return
    assert not shapes.differences(shape, to, truth[shape], observation, str(tensorflow_version)), observation["output"]
