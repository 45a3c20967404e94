"""Programs that the codemod has rewritten, one for each shape, train as they did on 1.15.5.

A shape is a way to write GPU settings: the name of a program in tests/codemod/differential/before.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.codemod.differential import shapes
from tests.matrix.proof import in_ci_or_proof
from tests.processes.environment import clean
from tests.verifying.test_sides import NEW, verify
from tests.verifying.test_sides import pytestmark as on_old

pytestmark = on_old
# The shapes set settings and train nothing, so each is followed by the same training.
TRAINING = """

def train():
    import numpy as np

    with {tf}.Graph().as_default():
        {tf}.set_random_seed(1)
        x = {tf}.constant(np.random.RandomState(0).rand(8, 4).astype("float32"))
        w = {tf}.get_variable("w", [4, 1])
        loss = {tf}.reduce_mean({tf}.square({tf}.matmul(x, w) - 1.0))
        step = {tf}.train.GradientDescentOptimizer(0.1).minimize(loss)
        with {tf}.Session() as session:
            session.run({tf}.global_variables_initializer())
            for _ in range(4):
                session.run(step)


train()
"""
# The lines that a person adds to a rewritten program of Sessions. Without them it stops, as eager mode is on.
GRAPHS = b"import tensorflow.compat.v1\n\ntensorflow.compat.v1.disable_v2_behavior()\n"
# The shape that ends as soon as its tests have run, before the training.
_UNTRAINED = ("in_a_test_case",)
# TensorFlow 2.16 and later have no estimators, which only the shim brings.
_ESTIMATORS = ("estimator_replace", "estimator_run_config")
# Shapes that show what differs between the two TensorFlows -> the kind of the difference.
DIFFERING = {
    "from_imports": "output",  # the number of devices: 1.15.5 has one more, for XLA
    "list_local_devices": "output",
}
# Differences for one target: Keras uses its own Session in place of the program's, and adds soft placement.
DIFFERING_FOR = {("keras_from_import", "shim"): "setting", ("keras_set_session", "shim"): "setting"}
# The weights of Keras's layers without a seed are those of 1.15.5; `make proof` runs all.
_IN_CI = {("keras_by_variable", "shim")}
CASES = [
    (shape, to)
    for to in shapes.TARGETS
    for shape in shapes.names()
    if shape not in _UNTRAINED
    if to != "native" or shape not in shapes.LEFT_FOR_A_PERSON["native"]
    if to == "shim" or shape not in _ESTIMATORS
]


def _with_training(source: bytes, module: str) -> str:
    imported = f"\n\nimport {module} as tensorflow_of_the_training\n"
    return source.decode("utf-8") + imported + TRAINING.format(tf="tensorflow_of_the_training")


@pytest.mark.parametrize("case", in_ci_or_proof(CASES, _IN_CI), ids="-".join)
def test_verify_finds_only_the_listed_differences(case, tmp_path):
    shape, to = case
    (tmp_path / "old.py").write_text(_with_training(shapes.before(shape), "tensorflow.compat.v1"), encoding="utf-8")
    source = shapes.after(shape, to)
    if to != "shim":
        # The codemod leaves names that only TensorFlow 1 has to tf_upgrade_v2, if a program is to use TensorFlow 2's.
        (tmp_path / "after.py").write_bytes(source)
        upgrade = [str(NEW), "-m", "tensorflow.tools.compatibility.tf_upgrade_v2_main", "--infile", "after.py"]
        subprocess.run(
            [*upgrade, "--outfile", "up.py"], cwd=str(tmp_path), env=clean(), check=True, capture_output=True
        )
        source = (tmp_path / "up.py").read_bytes()
        if b"keras" not in source:  # Keras 3 trains in eager mode alone
            source = GRAPHS + source
    (tmp_path / "new.py").write_text(_with_training(source, "tensorflow.compat.v1"), encoding="utf-8")
    status, result, complaint = verify(tmp_path, "--against", "new.py", "old.py")
    assert result is not None, complaint
    kind = (result["first_difference"] or {}).get("kind")
    differs = DIFFERING_FOR.get((shape, to), DIFFERING.get(shape))
    assert kind == differs, (result["reason"], result["first_difference"], result["notes"])
    assert status == (differs is not None)
