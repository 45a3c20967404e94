"""The installed TensorFlow, unchanged, runs on simulated GPUs."""

from __future__ import annotations

import json
import textwrap

import pytest
from packaging.version import Version

from tf1mem.estimating.workspaces import Convolution, workspace
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
GIB = 1 << 30

pytestmark = pytest.mark.skipif(Version("1.14") > VERSION, reason="the simulator is for TensorFlow 1.14 and up")

START = """
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

def session(**gpu_options):
    return tf1.Session(config=tf1.ConfigProto(gpu_options=tf1.GPUOptions(**gpu_options)))
"""

EAGER = START + "tf1.enable_eager_execution()\n"
GRAPH = START + "tf1.disable_eager_execution()\n"


WARM = ["tensorflow"]


@pytest.fixture(scope="module", autouse=True)
def gpu_build(warm_on_gpus, tmp_path_factory):
    script = tmp_path_factory.mktemp("build") / "program.py"
    script.write_text("import tensorflow as tf\nprint(tf.test.is_built_with_cuda())\n")
    answer = warm_on_gpus.run(script, env={}).stdout
    assert answer == "True\n", (
        f"these tests need TensorFlow's build for GPUs, and {VERSION} is one for the CPU: install tensorflow-gpu "
        "(up to 2.0) "
        "or tensorflow (2.1 and up), and not tensorflow-cpu"
    )


@pytest.fixture
def run(warm_on_gpus, tmp_path):
    """Returns a function that runs a program on simulated GPUs, and returns its output and the trace by event."""

    def run(code, gpus=("8GiB",), used=None, **env):
        script, trace = tmp_path / "program.py", tmp_path / "trace.jsonl"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        with simulation(gpus, trace=trace, used=used, values=False) as machine:
            done = warm_on_gpus.run(script, env={**machine.environment, **env})
            machine.reap()
        assert done.returncode == 0, done.stdout + done.stderr
        events = {}
        for line in trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []:
            event = json.loads(line)
            events.setdefault(event["event"], []).append(event)
        return done.stdout.splitlines(), events

    return run


def test_copied_values_come_back(run):
    printed, events = run(
        EAGER
        + """
values = np.arange(12, dtype=np.float32).reshape(3, 4)
with tf.device("/gpu:0"):
    there = tf.identity(tf.constant(values))
print(there.device[-5:], (there.numpy() == values).all())
"""
    )
    assert printed == ["GPU:0 True"]
    assert [line["gpu"] for line in events["reserve"]] == [0]
    assert "refuse" not in events


def test_kernels_are_launched_and_not_computed(run):
    printed, events = run(
        EAGER
        + """
with tf.device("/gpu:0"):
    ones = tf.constant(np.ones((64, 64), np.float32))
    product = tf.matmul(ones, ones) + ones
    again = tf.matmul(product, ones)
print(again.device[-5:], again.shape, again.numpy().shape)
"""
    )
    assert printed == ["GPU:0 (64, 64) (64, 64)"]
    assert events["exit"][0]["launches"] >= 3
    assert {line["library"] for line in events.get("unsupported", [])} <= {"driver", "nvml"}


SHAPES = """
import warnings
warnings.simplefilter("ignore")

def total_of(n):  # counted in int64, which lies on the GPU
    count = tf.while_loop(lambda i, _: i < n, lambda i, total: (i + 1, total + i), [tf.zeros([], tf.int64)] * 2)
    return count[1]

batch = tf1.placeholder(tf.float32, [None, None, 4])
weights = tf.constant(np.ones((4, 2), np.float32))
product = tf.tensordot(batch, weights, [[2], [0]])
long = tf.shape(batch, out_type=tf.int64)
half = tf.cast(tf.cast(tf.shape(batch)[0], tf.float32) * 0.5, tf.int32)
steps = tf1.get_variable("steps", [], tf.int64, tf1.zeros_initializer(), trainable=False, use_resource=USE_RESOURCE)
shapes = {
    "tensordot": product,
    "gradient of a mean": tf1.gradients(tf.reduce_mean(product ** 2), batch)[0],
    "gradient of a mean over an axis": tf1.gradients(tf.reduce_mean(product ** 2, 1), batch)[0],
    "gradient of a product": tf1.gradients(tf.reduce_prod(product, 1), batch)[0],
    "by a shape of int64": tf.reshape(batch, tf.stack([long[0] * long[1], long[2]])),
    "by a size that was rounded": tf.zeros([half, 3]) + tf.reduce_sum(product),
    "stitched": tf.reshape(batch, tf.dynamic_stitch([[0], [1]], [tf.shape(batch)[1:2] * 2, [-1]])),
    "gathered": tf.reshape(batch, tf.gather(tf.shape(batch), [2, 1, 0])),
}
with tf.control_dependencies([tf1.assign_add(steps, 1)]):
    counted = [tf.identity(steps), total_of(tf.cast(long[0], tf.int64))]
with session() as s:
    s.run(tf1.global_variables_initializer())
    for size in (2, 6):
        for name, tensor in shapes.items():
            print(name, s.run(tensor, {batch: np.ones((size, 3, 4))}).shape)
        print([int(value) for value in s.run(counted, {batch: np.ones((size, 3, 4))})])
"""


@pytest.mark.parametrize("use_resource", [False, True])
def test_shapes_and_counters_are_computed(run, use_resource):
    printed, events = run(GRAPH + SHAPES.replace("USE_RESOURCE", str(use_resource)))
    gradient = ["gradient of a mean", "gradient of a mean over an axis", "gradient of a product"]
    expected = []
    for steps, (size, total) in enumerate(((2, 1), (6, 15)), 1):
        expected += [f"tensordot ({size}, 3, 2)", *(f"{name} ({size}, 3, 4)" for name in gradient)]
        expected += [f"by a shape of int64 ({size * 3}, 4)", f"by a size that was rounded ({size // 2}, 3)"]
        expected += [f"stitched (6, {size * 2})", f"gathered (4, 3, {size})", f"[{steps}, {total}]"]
    assert printed == expected
    assert "op" not in events  # a process has such lines only if it computes values


KERAS = """
for layers in ([keras.layers.Dense(3)], [keras.layers.Reshape((4, 2)), keras.layers.Dense(3), keras.layers.Flatten()],
               [keras.layers.BatchNormalization()]):
    model = keras.Sequential([*layers, keras.layers.Dense(1)])
    model.compile(OPTIMIZER, "mse", **JIT)
    for size in (4, 8, 5):
        x = np.ones((16, 8), np.float32)
        model.fit(x, x[:, :1], batch_size=size, verbose=0)
        model.evaluate(x[:7], x[:7, :1], batch_size=size, verbose=0)
        print(model.predict(x[:7], batch_size=size, verbose=0).shape)
"""


@pytest.mark.proof
@pytest.mark.parametrize("library", ["tf.keras", "tf_keras"])
@pytest.mark.skipif(Version("2.0") > VERSION, reason="as TensorFlow 2 has it")
def test_keras_trains_with_batches_of_other_sizes(run, library):
    if library == "tf_keras":
        pytest.importorskip(library)
    # XLA needs libraries that the simulator lacks. From 2.11 to Keras 3, optimizers use XLA, too.
    jit = {"jit_compile": False} if Version("2.10") <= VERSION else {}
    has_jit = library == "tf_keras" or Version("2.11") <= VERSION < Version("2.16")
    optimizer = "keras.optimizers.Adam(jit_compile=False)" if has_jit else "'adam'"
    module = "keras = tf.keras\n" if library == "tf.keras" else f"import {library} as keras\n"
    printed, _ = run(START + module + KERAS.replace("JIT", str(jit)).replace("OPTIMIZER", optimizer))
    assert printed == ["(7, 1)"] * 9


def test_a_session_is_fed_and_takes_its_fraction(run):
    printed, events = run(
        GRAPH
        + """
x = tf1.placeholder(tf.float32, [None, 3])
y = tf.identity(x)
z = tf.matmul(y, tf.constant(np.eye(3, dtype=np.float32)))
with session(per_process_gpu_memory_fraction=0.05) as s:
    fed, _ = s.run([y, z], {x: [[1, 2, 3]]})
    print(fed.tolist())
"""
    )
    assert printed == ["[[1.0, 2.0, 3.0]]"]
    cap = int(8 * GIB * 0.05) // 256 * 256
    if Version("2.22.0rc0") <= VERSION:  # reserves physical memory in the driver's pages of 2 MiB
        cap = (cap + (2 << 20) - 1) // (2 << 20) * (2 << 20)
    assert [line["bytes"] for line in events["reserve"]] == [cap]


def test_a_model_is_trained(run):
    printed, events = run(
        GRAPH
        + """
with tf.device("/gpu:0"):
    x, y = tf1.placeholder(tf.float32, [None, 8]), tf1.placeholder(tf.float32, [None, 1])
    weights = tf1.get_variable("weights", initializer=np.full((8, 1), 0.5, np.float32))
    bias = tf1.get_variable("bias", initializer=np.zeros(1, np.float32))
    loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, weights) + bias) - y))
    step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
with session(allow_growth=True) as s:
    s.run(tf1.global_variables_initializer())
    print(s.run(weights).ravel().tolist())
    for _ in range(3):
        s.run([step, loss], {x: np.ones((16, 8)), y: np.ones((16, 1))})
"""
    )
    assert printed == [str([0.5] * 8)]
    assert events["exit"][0]["launches"] >= 15
    assert sum(line["bytes"] for line in events["reserve"]) < 64 << 20


def test_convolutions_and_their_gradients_run(run):
    printed, events = run(
        GRAPH
        + """
with tf.device("/gpu:0"):
    x = tf1.placeholder(tf.float32, [None, 8, 8, 3])
    weights = tf1.get_variable("weights", initializer=np.full((3, 3, 3, 4), 0.5, np.float32))
    y = tf.nn.relu(tf.nn.conv2d(x, weights, strides=[1, 1, 1, 1], padding="SAME"))
    y, _, _ = tf1.nn.fused_batch_norm(y, tf.ones([4]), tf.zeros([4]))
    y = tf.nn.max_pool2d(y, 2, 2, "SAME")
    step = tf1.train.AdamOptimizer().minimize(tf.reduce_sum(y))
with session(allow_growth=True) as s:
    s.run(tf1.global_variables_initializer())
    print(s.run([y, step], {x: np.ones((2, 8, 8, 3))})[0].shape)
"""
    )
    assert printed == ["(2, 4, 4, 4)"]
    assert events["exit"][0]["launches"] >= 10
    assert {line["library"] for line in events.get("unsupported", [])} <= {"driver", "nvml"}


@pytest.mark.proof
@pytest.mark.skipif(Version("2.10") > VERSION, reason="NCCL before 2.12 crashes where GPUs are not in /sys")
def test_replicas_on_two_gpus_reduce_with_nccl(run):
    printed, events = run(
        START
        + """
strategy = tf.distribute.MirroredStrategy()

@tf.function
def step():
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.ones([3])))

print(strategy.num_replicas_in_sync, [value.shape for value in strategy.experimental_local_results(step())])
""",
        gpus=2,
    )
    assert printed == ["2 [TensorShape([3]), TensorShape([3])]"]
    assert sorted({line["gpu"] for line in events["reserve"]}) == [0, 1]
    assert [line["launches"] > 0 for line in events["exit"]] == [True, True]


def test_growth_ends_at_the_gpus_size(run):
    printed, events = run(
        GRAPH
        + """
with tf.device("/gpu:0"):
    size = tf1.placeholder(tf.int32, [])
    large = tf.fill([size], tf.constant(1.0))
with session(allow_growth=True) as s:
    print(s.run(large[:2], {size: 1 << 28}).shape)
    try:
        s.run(large[:2], {size: 5 << 28})
    except tf.errors.ResourceExhaustedError:
        print("refused")
""",
        gpus=["4GiB"],
    )
    assert printed == ["(2,)", "refused"]
    assert GIB <= max(line["in_use"] for line in events["reserve"]) <= 4 * GIB


def test_memory_used_by_others_is_refused(run):
    printed, events = run(
        GRAPH
        + """
with session(per_process_gpu_memory_fraction=1.0) as s:
    print(s.run(tf.constant([1.0, 2.0])).tolist())
""",
        gpus=["2GiB"],
        used="1GiB",
    )
    assert printed == ["[1.0, 2.0]"]
    assert events["refuse"][0]["bytes"] > events["refuse"][0]["free"]
    assert [line["bytes"] for line in events["reserve"]] > [0.9 * GIB]
    assert events["reserve"][-1]["in_use"] <= 2 * GIB


def test_contexts_leave_less_to_the_allocator_but_not_to_a_fraction(run):
    printed, events = run(
        GRAPH
        + """
with session(per_process_gpu_memory_fraction=0.25) as s:
    print(s.run(tf.constant([1.0, 2.0])).tolist())
""",
        gpus=["4GiB,context=512MiB"],
    )
    assert printed == ["[1.0, 2.0]"]
    context, region = events["reserve"][:2]
    assert (context["kind"], context["bytes"], region["bytes"]) == ("context", GIB // 2, GIB)
    assert region["in_use"] == GIB * 3 // 2


@pytest.mark.parametrize(("setting", "fraction"), [("", 0.5), ("computed", 0.5), ("computed", 1 / 128)])
def test_a_convolution_takes_its_workspace_where_it_fits(run, setting, fraction):
    """TensorFlow measures both algorithms; it takes the faster one where there is memory for it.

    The smallest fraction is 64 MiB: 2.22 exceeds a limit that isn't whole pages of 2 MiB.
    """
    printed, _ = run(
        GRAPH
        + f"""
images = tf1.random_normal([8, 64, 64, 16])
result = tf1.nn.conv2d(images, tf1.ones([7, 7, 16, 32]), strides=[1, 1, 1, 1], padding="SAME", name="the_convolution")
options, metadata = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE), tf1.RunMetadata()
with session(per_process_gpu_memory_fraction={fraction}) as s:
    s.run(tf1.reduce_sum(result).op, options=options, run_metadata=metadata)
print(max(
    node.memory_stats.temp_memory_size
    for device in metadata.step_stats.dev_stats
    for node in device.node_stats
    if node.node_name == "the_convolution"
))
""",
        TF1MEM_SIM_CUDNN_WORKSPACE=setting,
    )
    room, _ = workspace(Convolution(8, 16, 32, (7, 7), (64, 64), (1, 1), (1, 1), 4))
    assert (int(printed[0]) >= room) == (setting == "computed" and fraction == 0.5)


def test_values_go_from_one_gpu_to_another(run):
    printed, events = run(
        EAGER
        + """
values = np.arange(1000, dtype=np.float32)
with tf.device("/gpu:0"):
    first = tf.identity(tf.constant(values))
with tf.device("/gpu:1"):
    second = tf.identity(first)
print(second.device[-5:], (second.numpy() == values).all())
""",
        gpus=["8GiB", "4GiB"],
    )
    assert printed == ["GPU:1 True"]
    assert sorted({line["gpu"] for line in events["reserve"]}) == [0, 1]


@pytest.mark.proof
def test_eight_large_gpus_on_a_small_machine(run):
    printed, events = run(
        EAGER + "print(len(tf.config.experimental.list_physical_devices('GPU')), tf.ones([3]).shape)",
        gpus=["80GiB"] * 8,
    )
    assert printed == ["8 (3,)"]
    assert {line["gpu"] for line in events["context"]} == set(range(8))


@pytest.mark.skipif(Version("2.10") > VERSION, reason="TensorFlow's cudaMallocAsync allocator needs CUDA 11.2")
def test_the_allocator_of_cuda_malloc_async(run):
    printed, events = run(
        EAGER
        + """
with tf.device("/gpu:0"):
    there = tf.identity(tf.constant([1.0, 2.0, 3.0]))
    print(there.device[-5:], tf.matmul(tf.ones([256, 256]), tf.ones([256, 256])).shape, there.numpy().tolist())
    try:
        tf.fill([3 << 28], 1.0)
    except tf.errors.ResourceExhaustedError:
        print("refused")
""",
        gpus=["2GiB"],
        TF_GPU_ALLOCATOR="cuda_malloc_async",
    )
    assert printed == ["GPU:0 (256, 256) [1.0, 2.0, 3.0]", "refused"]
    assert {line["kind"] for line in events["reserve"]} == {"pool"}
    assert max(line["bytes"] for line in events["refuse"]) > 2 * GIB


def test_an_unsupported_op_fails_and_is_named(run):
    printed, events = run(
        EAGER
        + """
with tf.device("/gpu:0"):
    try:
        print(tf.linalg.svd(tf.ones([64, 32])))
    except tf.errors.OpError:
        print("an error of the op")
print("alive")
"""
    )
    assert printed == ["an error of the op", "alive"]
    assert "cusolver" in {line["library"] for line in events["unsupported"]}


def test_without_gpus_tensorflow_runs_on_the_cpu(run):
    printed, events = run(EAGER + "print(tf.ones([3]).numpy().tolist())", CUDA_VISIBLE_DEVICES="-1")
    assert printed == ["[1.0, 1.0, 1.0]"]
    assert "reserve" not in events


@pytest.mark.parametrize("listing", ["device_lib.list_local_devices()", "tf1.test.is_gpu_available()"])
def test_listing_devices_keeps_the_applied_settings(run, listing):
    """Listing devices creates the GPU devices: without the applied config that would reserve the whole GPU."""
    _, events = run(
        EAGER
        + """
import tf1mem
from tensorflow.python.client import device_lib
tf1mem.apply(tf1mem.config(allow_growth=True, memory_fraction=0.25, visible_gpus=[1]))
"""
        + listing
        + """
with tf.device("/gpu:0"):
    tf.zeros([1000])
""",
        gpus=("8GiB", "8GiB"),
    )
    assert {line["gpu"] for line in events["reserve"]} == {1}
    assert sum(line["bytes"] for line in events["reserve"]) <= 2 << 20
