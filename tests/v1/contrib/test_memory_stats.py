"""contrib.memory_stats on simulated GPUs, where TensorFlow's own allocator counts."""

from __future__ import annotations

import json

import pytest
from packaging.version import Version

from tests.matrix.proof import in_ci_or_proof
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tf1mem.v1"]

PROGRAM = """
import json
import tf1mem.v1 as tf

stats = tf.contrib.memory_stats
kind = {kind!r}
config = tf.ConfigProto()
if kind == "grows":
    config.gpu_options.allow_growth = True
if kind == "fraction":
    config.gpu_options.per_process_gpu_memory_fraction = 0.25
if kind == "other GPU":
    config.gpu_options.visible_device_list = "1"
if kind == "parts":
    config.gpu_options.experimental.virtual_devices.add().memory_limit_mb.extend([1000, 2000])
    config.gpu_options.experimental.virtual_devices.add()
place = "/gpu:1" if kind in ("parts", "second GPU") else "/gpu:0"
with tf.Graph().as_default(), tf.Session(config=config) as sess:
    with tf.device(place):
        matrix = tf.get_variable("matrix", [1000, 1000], use_resource=False)
        in_use, limit = stats.BytesInUse(), stats.BytesLimit()
        total = tf.reduce_sum(tf.matmul(matrix, matrix))
        with tf.control_dependencies([total]):
            peak = stats.MaxBytesInUse()
    anywhere = stats.MaxBytesInUse()
    start = sess.run(in_use)
    sess.run(tf.global_variables_initializer())
    initialized = sess.run(in_use)
    high = sess.run([total, peak])[1]
    values = [start, initialized, high, sess.run(in_use), sess.run(anywhere)]
    gpus = [device for device in sess.list_devices() if device.device_type == "GPU"]
    listed = [device for device in gpus if device.name.endswith(place[1:].upper())]
    assert sess.run(limit) == listed[0].memory_limit_bytes > 10**9, listed
print(json.dumps([int(value) for value in values]))
"""

EAGER = """
import tf1mem.v1 as tf
from tf1mem.machine.tensorflow import installed_version

tf.enable_eager_execution()
stats, old = tf.contrib.memory_stats, installed_version().release < (2, 5)

@tf.function
def in_function():
    with tf.device("/gpu:1"):
        return stats.BytesLimit() if old else stats.BytesInUse()

with tf.device("/gpu:1"):
    kept = tf.ones([1000, 1000])
    limit = stats.BytesLimit()
    assert limit.dtype == tf.int64 and 2**32 < int(limit) < 2**33
    if old:
        assert int(in_function()) == int(limit)
        try:
            stats.MaxBytesInUse()
        except ValueError as error:
            assert "Use TensorFlow 2.5 or newer" in str(error), error
        else:
            raise AssertionError
    else:
        assert 4 * 10**6 <= int(stats.BytesInUse()) <= int(stats.MaxBytesInUse()) < 10**7
        assert int(in_function()) >= 4 * 10**6
if not old:
    with tf.device("/gpu:0"):
        assert int(stats.BytesInUse()) < 10**6
"""

# Kind of config -> bytes in use at the start, after the initialization; the most in the step; bytes in use after it;
# the most on the first GPU. TensorFlow 1.15.5 printed them.
RECORDED = {
    "whole": [1280, 4001792, 8015104, 4001792, 8015104],
    "grows": [1280, 4196096, 8403712, 4196096, 8403712],
    "fraction": [1280, 4001792, 8015104, 4001792, 8015104],
    "other GPU": [1280, 4001792, 8015104, 4001792, 8015104],
    "parts": [1280, 4001792, 8015104, 4001792, 1280],
    "second GPU": [1280, 4001792, 8015104, 4001792, 1280],
}

# TensorFlow 1 allocates a scratch buffer of each GPU when a Session starts, TensorFlow 2 when it is first used.
_SCRATCH_BYTES = 1280

# TensorFlow 2's allocator splits the memory that it reserves step by step otherwise.
_PEAK_WHERE_IT_GROWS = {8403712: 8209408}


@pytest.mark.skipif(Version("2.0") <= VERSION < Version("2.5"), reason="TensorFlow doesn't report the figures there")
@pytest.mark.parametrize("kind", in_ci_or_proof(RECORDED, ["whole"]))
def test_figures_are_those_of_tensorflow_1(kind, warm_on_gpus, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.replace("{kind!r}", repr(kind)), encoding="utf-8")
    with simulation(["8GiB"] * 2) as machine:
        done = warm_on_gpus.run(script, env=machine.environment)
    assert done.returncode == 0, done.stderr
    expected = RECORDED[kind]
    if VERSION.major > 1:
        expected = [0 if size == _SCRATCH_BYTES else _PEAK_WHERE_IT_GROWS.get(size, size) for size in expected]
    assert json.loads(done.stdout) == expected


@pytest.mark.skipif(VERSION.major < 2, reason="TensorFlow 1 has these ops")
def test_an_op_reads_its_own_gpu_eagerly_and_in_functions(warm_on_gpus, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(EAGER, encoding="utf-8")
    with simulation(["8GiB"] * 2) as machine:
        done = warm_on_gpus.run(script, env=machine.environment)
    assert done.returncode == 0, done.stderr
