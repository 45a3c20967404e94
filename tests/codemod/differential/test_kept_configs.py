"""Memory grows in programs of the target native that keep a ConfigProto with growth for a call that takes one.

That holds whether the call or an eager op is the first to use the GPU.
"""

from __future__ import annotations

import pytest
from tests.conformance import simulator
from tf1mem.gpusim import trace

GPU_BYTES = 1 << 30
MOST_BYTES = 8 << 20  # with growth the programs reserve 1 or 2 MiB at a time; without, nearly the whole GPU at once

HEAD = """
import tensorflow as tf
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
"""
EAGER_OP = "tf.random.uniform([4]) + 1.0\n"
# A program's end for each call that takes a ConfigProto.
TAKERS = {
    "RunConfig": """
import tempfile

def model(features, labels, mode):
    with tf.device("/cpu:0"):  # these simulated GPUs compute no values
        step = tf.compat.v1.train.get_or_create_global_step()
        return tf.estimator.EstimatorSpec(mode, loss=tf.constant(1.0), train_op=tf.compat.v1.assign_add(step, 1))

def numbers():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1.0])).repeat(2)

run_config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), session_config=config)
tf.estimator.Estimator(model, config=run_config).train(numbers, max_steps=1)
""",
    "InteractiveSession": """
with tf.Graph().as_default():
    sess = tf.compat.v1.InteractiveSession(config=config)
    sess.run(tf.random.uniform([4]) + 1.0)
""",
    "list_local_devices": """
from tensorflow.python.client import device_lib
device_lib.list_local_devices(session_config=config)
tf.random.uniform([4]) + 1.0
""",
}

WARM = ["tensorflow"]


@pytest.mark.parametrize("first", ["the taker", "an eager op"])
@pytest.mark.parametrize("taker", TAKERS)
def test_memory_grows_with_a_kept_config(taker, first, tmp_path, tensorflow_version, warm_on_gpus):
    if tensorflow_version.major == 1:
        pytest.skip("the target native is for TensorFlow 2")
    if taker == "RunConfig" and tensorflow_version.release >= (2, 16):
        pytest.skip("2.16 and up have no tf.estimator")
    program = tmp_path / "program.py"
    program.write_text(HEAD + (EAGER_OP if first == "an eager op" else "") + TAKERS[taker], encoding="utf-8")
    with simulator.machine(tmp_path, (GPU_BYTES,)) as environment:
        done = warm_on_gpus.run(program, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(tmp_path / "trace.jsonl", "rb") as file:
        reserved_bytes = [event.total for event in trace.parse(file) if event.event == "reserve"]
    assert reserved_bytes
    assert max(reserved_bytes) <= MOST_BYTES
