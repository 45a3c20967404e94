"""`tf1mem.estimate` with the installed TensorFlow, compared with the allocator's figures of the real program."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from html import unescape

import pytest
from packaging.version import Version

from tests.processes.environment import clean
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tensorflow"]
GPU = Version("1.14") <= VERSION
needs_gpu_build = pytest.mark.skipif(not GPU, reason="the simulator is for TensorFlow 1.14 and up")

# A convolution of 16 filters of 3x3 over 8 images of 64x64x3, and its training, whose sizes are known to the byte.
STEP = """
import json
import tf1mem
import tensorflow as tf
from tf1mem.machine import runtime
from tf1mem.machine import first_start

def step(images):
    filters = tf.Variable(lambda: tf.zeros([3, 3, 3, 16]), name="filters")
    with tf.GradientTape() as tape:
        maps = tf.nn.conv2d(images, filters, strides=[1, 1, 1, 1], padding="SAME")
        loss = tf.reduce_mean(tf.nn.relu(maps))
    filters.assign_sub(tape.gradient(loss, filters))
    return loss
"""


def last(printed):
    return json.loads(printed.splitlines()[-1])


@needs_gpu_build
def test_a_function_is_measured_and_nothing_is_started(python):
    results = last(
        python(
            STEP
            + """
estimated = tf1mem.estimate(step, ((8, 64, 64, 3), "float32"), on="gpu")
print(estimated)
print(json.dumps([estimated.as_dict(), estimated.fraction(8), str(estimated), estimated._repr_html_(),
                  runtime.has_started(), str(first_start.seen())]))
"""
        )
    )
    estimate, fraction, text, page, started, first = results
    assert (started, first) == (False, "None")  # GradientTape would start it here
    assert estimate["device"] == "gpu"
    assert estimate["step"] == "step"
    filters, maps, images = 3 * 3 * 3 * 16 * 4, 8 * 64 * 64 * 16 * 4, 8 * 64 * 64 * 3 * 4
    assert (estimate["parameters"], estimate["other_variables"], estimate["inputs"]) == (filters, 0, images)
    (row,) = (row for row in estimate["rows"] if row["op"] == "Conv2D")
    assert (row["count"], row["input_bytes"], row["filter_bytes"], row["output_bytes"]) == (1, images, filters, maps)
    # 8 images of 16 x 16 tiles of 36 numbers, of 3 and 16 channels; and the filter
    assert row["workspace_bytes"] == 4 * 36 * (8 * 16 * 16 * (3 + 16) + 3 * 16)
    assert row["temporary_bytes"] >= filters  # the filter, laid out as cuDNN wants it
    assert "computed" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    in_page = unescape(re.sub("<[^>]*>", " ", page)).split()
    assert {word for word in text.split() if word.strip("-") and "…" not in word} - set(in_page) == set()
    # The outputs and their gradient are alive at the same time.
    assert maps + images <= estimate["peak"] <= 4 * maps + 4 * images
    assert estimate["peak"] <= estimate["fit_mib"] * 2**20
    assert estimate["fit_mib"] + estimate["headroom_mib"] <= estimate["limit_mib"]
    assert fraction * 8 * 1024 >= estimate["limit_mib"] > (fraction - 1e-4) * 8 * 1024
    if estimate["allocator_peak"] is not None:
        assert estimate["peak"] == estimate["allocator_peak"]


REAL = """
import sys, json
import numpy as np
import tensorflow as tf
limit = int(sys.argv[1])
tf1 = tf.compat.v1
tf1.disable_eager_execution()
from tensorflow.python.framework import ops
images = tf1.placeholder(tf.float32, [16, 64, 64, 3])
kernel = tf1.get_variable("kernel", [3, 3, 3, 64])
maps = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding="SAME"))
second = tf1.get_variable("second", [3, 3, 64, 64])
maps = tf.nn.relu(tf.nn.conv2d(maps, second, strides=[1, 1, 1, 1], padding="SAME"))
train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_mean(maps))
if limit:
    options = tf1.GPUOptions(per_process_gpu_memory_fraction=limit / 8192)
    with tf1.Session(config=tf1.ConfigProto(gpu_options=options)) as session:
        session.run(tf1.global_variables_initializer())
        try:
            for _ in range(3):
                session.run(train, {images: np.zeros([16, 64, 64, 3], np.float32)})
        except tf.errors.OpError as error:
            print(type(error).__name__)
        else:
            print("ran")
else:
    import tf1mem
    from tf1mem.machine import runtime
    estimated = tf1mem.estimate(train, {images: ((16, 64, 64, 3), "float32")}, on="gpu")
    print(json.dumps([estimated.as_dict(), runtime.has_started()]))
"""


@contextmanager
def terminal():
    """Returns a terminal to write to, and a list of the bytes written, which is complete when the context ends."""
    watching, writing = pty.openpty()
    lines = []

    def watch():
        with suppress(OSError):  # raised when the other side of the terminal is closed
            while True:
                lines.append(os.read(watching, 65536))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield writing, lines
    finally:
        os.close(writing)
        watcher.join()
        os.close(watching)


@pytest.mark.proof
@pytest.mark.skipif(Version("2.21") > VERSION, reason="once is enough: nothing of it is TensorFlow's")
def test_with_values_the_figures_are_the_same(python):
    output = python(
        """
import json
import numpy as np
import tf1mem
import tensorflow as tf
from tf1mem.gpusim import launching

def step(images, limit):
    # One after the other: the order of independent ops would depend on how long they took before.
    filters = tf.Variable(lambda: tf.zeros([3, 3, 3, 16]), name="filters")
    ranks = tf.range(limit)  # only the CPU's kernel computes it
    images *= tf.reduce_sum(ranks / (1 + ranks))
    mean = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(images, filters, strides=1, padding="SAME")))
    filters.assign_sub(tf.fill([3, 3, 3, 16], mean))
    return mean

plain, found = launching.simulation, []
for values in (False, True):
    launching.simulation = lambda gpus, **_: plain(gpus, values=values)
    found.append(tf1mem.estimate(step, ((8, 64, 64, 3), "float32"), np.float32(999), on="gpu").as_dict())
print(json.dumps(found))
"""
    )
    without, computed = last(output)
    assert computed == without


@pytest.mark.proof
@pytest.mark.skipif(Version("2.21") > VERSION, reason="once is enough: nothing of it is TensorFlow's")
def test_estimates_of_several_batch_sizes_are_those_of_each(python):
    output = python(
        """
import json
import numpy as np
import tf1mem
import tensorflow as tf

# A chain of ops: of several that could run, the order depends on the time.
model = tf.keras.Sequential([tf.keras.layers.Input((4096,)), tf.keras.layers.Dense(10)])
scan = tf1mem.estimate_batches(model, [512, 1024], on="gpu")
print(json.dumps([one.as_dict() for one in [*scan, tf1mem.estimate(model, batch_size=np.int64(1024), on="gpu")]]))
"""
    )
    small, large, alone = last(output)
    assert (small["batch_size"], large) == (512, alone)
    assert large["peak"] - small["peak"] >= 512 * 4096 * 4


@pytest.mark.proof
@needs_gpu_build
def test_a_program_runs_under_the_limit_and_not_under_much_less(tmp_path, warm_on_gpus):
    """Estimates a train op in a graph, then runs the program in a Session whose fraction amounts to the limit."""
    program = tmp_path / "program.py"
    program.write_text(REAL)

    with terminal() as (stderr, output):
        done = subprocess.run(
            [sys.executable, str(program), "0"], env=clean(), stdout=subprocess.PIPE, stderr=stderr, encoding="utf-8",
            check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout
    estimate, started = last(done.stdout)
    assert not started
    lines = [line for line in b"".join(output).decode().split("\r\x1b[K") if line.startswith("tf1mem.estimate")]
    stages = ["tracing the step", "on a simulated GPU, with growth", "MiB, with growth and without"]
    assert [stage in line for stage, line in zip(stages, lines)] == [True] * 3
    assert "under {:,} MiB".format(estimate["fit_mib"]) in "".join(lines[2:])
    assert b"".join(output).endswith(b"\r\x1b[K")  # and nothing of it is left
    kernels = (3 * 3 * 3 * 64 + 3 * 3 * 64 * 64) * 4
    assert (estimate["parameters"], estimate["other_variables"]) == (kernels, kernels)  # momentum, for each
    assert estimate["gradients"] is not None
    with simulation(["8GiB"], values=False) as machine:
        for limit, runs in ((estimate["limit_mib"], True), (int(estimate["peak"] * 0.8) >> 20, False)):
            done = warm_on_gpus.run(program, str(limit), env=machine.environment)
            assert done.returncode == 0, done.stderr
            assert (done.stdout.splitlines()[-1] == "ran") == runs, done.stdout + done.stderr


KERAS = """
import json, sys
import tf1mem
import tensorflow as tf
from tf1mem.machine import runtime
K = tf.keras
model = K.Sequential([
    K.layers.Conv2D(8, 3, activation="relu", input_shape=(32, 32, 3)), K.layers.BatchNormalization(),
    K.layers.Flatten(), K.layers.Dense(10),
])
loss = K.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer=K.optimizers.SGD(0.1, momentum=0.9), loss=loss)

def variables():
    own = model.optimizer.variables
    return [len(model.variables), len(own() if callable(own) else own)]

before, started = variables(), runtime.has_started()
train = tf1mem.estimate(model, batch_size=16, on="gpu")
forward = tf1mem.estimate(model, ((16, 32, 32, 3), "float32"), training=False, on="cpu")
assert variables() == before and runtime.has_started() == started, "the model is another one now"
print(json.dumps([train.as_dict(), forward.as_dict()]))
"""


@pytest.mark.proof
@needs_gpu_build
def test_a_keras_model_forward_and_training(python):
    train, forward = last(python(KERAS))
    trained = 3 * 3 * 3 * 8 + 8 + 2 * 8 + 30 * 30 * 8 * 10 + 10
    parameters = (trained + 2 * 8) * 4  # and the means and variances that are followed
    assert train["parameters"] == parameters
    slots = trained * 4
    assert slots <= train["other_variables"] <= slots + 200  # momentum, and counters
    assert forward["parameters"] == parameters
    assert forward["other_variables"] == 0
    assert train["gradients"] > 0
    assert forward["gradients"] is None
    assert {"Conv2DBackpropFilter", "MatMul"} <= {row["op"] for row in train["rows"]}


ERRORS = """
import tf1mem
import tensorflow as tf

def say(*arguments, **named):
    try:
        tf1mem.estimate(*arguments, **named)
    except tf1mem.Tf1memError as error:
        print(type(error).__name__, "|", " ".join(str(error).split())[:200])
    else:
        print("no error")

def fails(x):
    raise ZeroDivisionError("by the user")

say(3)
say(lambda x: x, ((None, 4), "float32"))
say(lambda x: x, training=True)
say(fails, ((2, 4), "float32"))
say(lambda x: x, ((2, 4), "float32"), on="tpu")
say(lambda x, y: x, ((2, 4), "float32"))
say(tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))]))
inputs = tf.keras.Input(batch_shape=(8, 4))
say(tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs)), batch_size=16)
"""


def test_errors_say_what_to_do(python):
    lines = python(ERRORS).splitlines()
    assert [line.split(" | ")[0] for line in lines] == [
        "StepTypeError", "SpecError", "StepTypeError", "EstimateError", "StepTypeError", "EstimateError",
        "SpecError", "SpecError",
    ]  # fmt: skip
    assert "Keras model, or in graph mode" in lines[0]
    assert "dimension 0 is unknown" in lines[1]
    assert "ZeroDivisionError: by the user" in lines[3]
    assert "batch_size=32" in lines[6]
    assert "the model's inputs have fixed batch sizes: [8]" in lines[7]


@pytest.mark.proof
@needs_gpu_build
def test_without_a_compiler_it_falls_back_and_names_it(python, tmp_path):
    results = last(
        python(
            STEP
            + """
estimated = tf1mem.estimate(step, ((8, 64, 64, 3), "float32"))
try:
    tf1mem.estimate(step, ((8, 64, 64, 3), "float32"), on="gpu")
except tf1mem.Tf1memError as error:
        print(json.dumps([estimated.as_dict(), str(estimated), type(error).__name__]))
""",
            env={"CC": "no-such-compiler", "TF1MEM_SIM_CACHE": str(tmp_path)},
        )
    )
    estimate, text, error = results
    assert (estimate["device"], estimate["fit_mib"], error) == ("cpu", None, "SimulatorNotBuiltError")
    assert "C compiler" in estimate["why_cpu"]
    assert "measured on the CPU. A GPU takes another amount" in text
    maps = 8 * 64 * 64 * 16 * 4
    temporaries = sum(row["temporary_bytes"] for row in estimate["rows"])
    lasting = estimate["parameters"] + estimate["inputs"]
    assert lasting + maps <= estimate["peak"] <= lasting + estimate["all_outputs"] + temporaries


VALUES = """
import json
import numpy as np
import tf1mem
import tensorflow as tf

def positive(x):
    return tf.where(x > 0)

def recurrent(x):
    state = tf.zeros([1, 2, 16])
    made = tf.raw_ops.CudnnRNN(
        input=x, input_h=state, input_c=state, params=tf.zeros([4 * 16 * (8 + 16) + 8 * 16]), rnn_mode="lstm"
    )
    return tf.reduce_sum(made[0])

found = [
    tf1mem.estimate(positive, np.ones(5000, np.float32), on="gpu"),
    tf1mem.estimate(positive, ((5000,), "float32"), on="gpu"),
    tf1mem.estimate(recurrent, ((10, 2, 8), "float32"), on="gpu"),
]
print(json.dumps([one.as_dict() for one in found]))
"""


@pytest.mark.proof
@pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")
def test_a_step_that_needs_values_runs_on_a_simulated_gpu(python):
    ones, zeros, recurrent = last(python(VALUES))
    for estimate in (ones, zeros, recurrent):
        assert estimate["device"] == "gpu"
        assert any("on the simulated GPU TensorFlow's CPU kernels computed them" in note for note in estimate["notes"])
    # For ones, the indices take more than everything else. For zeros they take nothing, and the peak comes earlier,
    # with the inputs, which are freed before the indices are made.
    assert zeros["peak"] < 5000 * 8 <= ones["peak"]
    assert recurrent["peak"] >= 10 * 2 * (8 + 16) * 4  # the inputs and the outputs
