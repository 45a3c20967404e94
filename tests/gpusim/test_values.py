"""Simulated GPUs that compute: TensorFlow's values on them are its values on the CPU, and their bytes the GPU's."""

from __future__ import annotations

import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.version import Version

from tf1mem.doctor.checkup.installed import inner_folder
from tf1mem.gpusim.launching import simulation
from tf1mem.gpusim.values import library
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tensorflow"]

START = """
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
rng = np.random.RandomState(0)
square, image = rng.rand(8, 8).astype("f4"), rng.rand(2, 8, 8, 3).astype("f4")
definite = square @ square.T + 8 * np.eye(8, dtype="f4")
kernel, first = rng.rand(3, 3, 3, 4).astype("f4"), np.transpose(image, [0, 3, 1, 2])
ones, zeros = np.ones(3, "f4"), np.zeros(3, "f4")
nn = tf1.nn

# Nothing is folded on the CPU before it runs.
as_written = tf1.ConfigProto()
as_written.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
as_written.graph_options.rewrite_options.disable_meta_optimizer = True
"""

# By name, since a difference is told by it. Those in channels_first have a meaning on a GPU alone.
OPS = """
def ops():
    yield "matmul", tf.matmul(square, square)
    yield "half", tf.matmul(square.astype("f2"), square.astype("f2"))
    yield "softmax", nn.softmax(square)
    yield "conv", nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME")
    yield "depthwise", nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "SAME")
    yield "conv3d", nn.conv3d(image[None], kernel[None], [1] * 5, "SAME")
    yield "norm", nn.fused_batch_norm(image, ones, zeros)[0]
    yield "pool", nn.max_pool2d(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    yield "resize", tf1.image.resize_bilinear(image, [4, 4])
    yield "cholesky", tf.linalg.cholesky(definite)
    yield "solve", tf.linalg.solve(definite, square)
    yield "fft", tf.signal.fft(tf.cast(square, tf.complex64))
    yield "where", tf1.where(square > 0.5)
    yield "unique", tf.unique(tf.constant([1, 1, 2, 5, 2]))[0]
    yield "nms", tf.image.non_max_suppression([[0., 0., 1., 1.], [0., 0., 1., 1.1], [2., 2., 3., 3.]], [.9, .8, .7], 3)
    yield "top_k", nn.top_k(square, 3)[0]
    yield "segments", tf.math.segment_sum(square, [0, 0, 1, 1, 2, 2, 3, 3])
    yield "range", tf.range(3.0)
    yield "random", tf.random.stateless_uniform([3], [1, 2])
    yield "loop", tf1.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 1.5), (0, tf.constant(square)))[1]
    yield "map", tf.map_fn(lambda x: x * 2, tf.constant(square))

channels_first = {
    "conv": lambda: nn.conv2d(first, kernel, [1, 1, 1, 1], "SAME", data_format="NCHW"),
    "norm": lambda: nn.fused_batch_norm(first, ones, zeros, data_format="NCHW")[0],
    "pool": lambda: nn.max_pool2d(first, [1, 1, 2, 2], [1, 1, 2, 2], "SAME", data_format="NCHW"),
}

def values(device):
    with tf.Graph().as_default(), tf.device(device), tf1.Session(config=as_written) as s:
        return s.run(dict(ops()))

cpu, gpu = values("/cpu:0"), values("/gpu:0")
for name in cpu:
    same = cpu[name].shape == gpu[name].shape and np.allclose(cpu[name], gpu[name], 1e-4, 1e-4)
    print(name, "" if same else "differs")
with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    for name, op in channels_first.items():
        print(name, "" if np.allclose(cpu[name], np.transpose(s.run(op()), [0, 2, 3, 1]), 1e-4, 1e-4) else "differs")
"""

TRAINING = """
def losses(device):
    with tf.Graph().as_default(), tf.device(device):
        tf1.set_random_seed(1)
        reference = tf1.get_variable("reference", initializer=square, use_resource=False)
        resource = tf1.get_variable("resource", initializer=kernel, use_resource=True)
        table = tf1.get_variable("table", initializer=square, use_resource=True)
        y = nn.relu(nn.conv2d(image, resource, [1, 2, 2, 1], "SAME"))
        rows = tf.gather(table, [1, 3, 1])
        loss = tf.reduce_mean(tf.square(y - 0.3)) + tf.reduce_sum(reference @ reference) * 0.01 + tf.reduce_sum(rows**2)
        first = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf1.control_dependencies([first]):
            step = tf1.train.AdamOptimizer(0.05).minimize(loss)
        with tf1.Session(config=tf1.ConfigProto(gpu_options=tf1.GPUOptions(allow_growth=True))) as s:
            s.run(tf1.global_variables_initializer())
            # Apart: TensorFlow does not say which comes first, a variable's update or what else reads it.
            return [(s.run(loss), s.run(step))[0] for _ in range(8)]

"""


@pytest.fixture
def run(warm_on_gpus, tmp_path):
    """Runs a program; returns what became of it, and the history of its GPU."""

    def run(code, values=True, gpus=1, **env):
        script, trace = tmp_path / "program.py", tmp_path / "trace.jsonl"
        script.write_text(START + textwrap.dedent(code), encoding="utf-8")
        with simulation(["8GiB"] * gpus, trace=trace, values=values) as machine:
            done = warm_on_gpus.run(script, env={**machine.environment, **env})
            told = machine.histories()
        assert done.returncode == 0, done.stdout + done.stderr
        return done, told

    return run


def test_ops_have_the_values_that_they_have_on_the_cpu(run):
    done, told = run(OPS)
    assert [line for line in done.stdout.splitlines() if line.endswith("differs")] == []
    assert len(done.stdout.splitlines()) == 24
    (share,) = told.shares
    assert share.launches == share.computed > 30
    assert told.not_computed == ()


def test_training_is_the_cpus_and_its_memory_the_gpus(run):
    compared = 'cpu, gpu = losses("/cpu:0"), losses("/gpu:0")\nprint(np.allclose(cpu, gpu, 1e-4), cpu[-1] < cpu[0])'
    done, _ = run(TRAINING + compared)
    assert done.stdout == "True True\n"
    alone = TRAINING + 'losses("/gpu:0")'
    (computed,), (not_computed,) = run(alone)[1].shares, run(alone, values=False)[1].shares
    assert [held for _, held in computed.steps] == [held for _, held in not_computed.steps]
    assert computed.computed > 0 == not_computed.computed


def test_what_cannot_be_computed_is_named(run):
    done, told = run("""
with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    for _ in range(2):
        s.run(tf.image.adjust_hue(tf.constant(image.astype("f2")), 0.1))
    print(s.run(tf.matmul(square, square)).shape)
""")
    assert done.stdout == "(8, 8)\n"
    assert done.stderr.count("AdjustHue is not computed, its values are not real: ") == 1
    assert told.not_computed == ("AdjustHue",)
    (share,) = told.shares
    assert 0 < share.computed < share.launches


@pytest.mark.skipif(Version("2.10") > VERSION, reason="NCCL before 2.12 crashes where GPUs are not in /sys")
def test_what_nccl_would_compute_is_named(run):
    done, told = run(
        """
tf1.enable_eager_execution()
strategy = tf.distribute.MirroredStrategy()

@tf.function
def step():
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.ones([3])))

step()
""",
        gpus=2,
    )
    (op,) = told.not_computed
    assert op.startswith(("Collective", "Nccl"))
    assert done.stderr.count(f"{op} is not computed, its values are not real: it is NCCL's") == 1


def test_very_many_launches_say_nothing_where_they_are_computed(run):
    done, told = run("""
import ctypes
from ctypes import byref, c_uint, c_void_p

with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
    s.run(tf.matmul(square, square))
    cu = ctypes.CDLL("libcuda.so.1")
    class Kernel(ctypes.Structure):
        _fields_ = [("function", c_void_p), ("sizes", c_uint * 7), ("parameters", c_void_p), ("extra", c_void_p),
                    ("kernel", c_void_p), ("context", c_void_p)]
    context, module, function, graph, made = (c_void_p() for _ in range(5))
    assert not cu.cuDevicePrimaryCtxRetain(byref(context), 0)
    assert not cu.cuCtxSetCurrent(context)
    assert not cu.cuModuleLoadData(byref(module), b"image")
    assert not cu.cuModuleGetFunction(byref(function), module, b"kernel")
    assert not cu.cuGraphCreate(byref(graph), 0)
    kernel = Kernel(function.value, (c_uint * 7)(1, 1, 1, 32, 1, 1, 0))
    for _ in range(1000):
        assert not cu.cuGraphAddKernelNode_v2(byref(c_void_p()), graph, None, 0, byref(kernel))
    assert not cu.cuGraphInstantiateWithFlags(byref(made), graph, 0)
    for _ in range(1001):
        assert not cu.cuGraphLaunch(made, None)
    assert not cu.cuCtxSynchronize()
""")
    (share,) = told.shares
    assert share.launches > 1000000 > share.computed > 0
    assert "none is computed" not in done.stderr


def test_without_a_cxx_compiler_it_says_so_once_and_computes_nothing(run, tmp_path):
    done, told = run(
        'with tf.device("/gpu:0"), tf1.Session(config=as_written) as s: s.run(tf.matmul(square, square))',
        CXX="no-such-c++",
    )
    said = "tf1mem sim: nothing is computed, and values are not real: simulated GPUs: need a C++ compiler, and CXX="
    assert done.stderr.count(said) == 1
    (share,) = told.shares
    assert share.computed == 0 < share.launches


def test_signals_that_come_while_it_is_compiled_change_nothing(run, tmp_path):
    tensorflow = find_spec("tensorflow").submodule_search_locations[0]
    made = library(max(Path(inner_folder(tensorflow)).glob("libtensorflow_framework.so.?")))
    slow = tmp_path / "slow-c++"
    slow.write_text(f'#!/bin/sh\nsleep 0.5\nwhile [ "$1" != -o ]; do shift; done\ncp {made} "$2"\n', encoding="utf-8")
    slow.chmod(0o755)
    _, told = run(
        """
        import signal
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        with tf.device("/gpu:0"), tf1.Session(config=as_written) as s: s.run(tf.matmul(square, square))
        """,
        CXX=str(slow),
        TF1MEM_SIM_CACHE=str(tmp_path / "cache"),
    )
    (share,) = told.shares
    assert share.computed == share.launches > 0


def test_what_calls_ops_itself_is_run_once(run):
    done, _ = run("""
        calls = []

        def called(x):
            calls.append(x)
            return x @ x

        with tf.device("/gpu:0"), tf1.Session(config=as_written) as s:
            print(np.allclose(s.run(tf.py_function(called, [square], tf.float32)), square @ square, 1e-4), len(calls))
    """)
    assert done.stdout == "True 1\n"
