"""Finds calls that start TensorFlow's runtime, after which settings are too late, and calls that only start CUDA.

Measured on TensorFlow 2.4, 2.10 and 2.21 on simulated GPUs, and again by tests/codemod/test_mistakes_measured.py on the
installed version: a call starts the runtime if a GPU gets its context. Each row of `CALLS` has a call to measure.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.facts.public_names import called, public_name_of
from tf1mem.codemod.source.control_flow import before
from tf1mem.codemod.source.syntax import callee
from tf1mem.names.evidence import TOGGLES

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Effects of a call: it starts the runtime; starts it unless eager mode is off; starts CUDA alone; starts nothing.
ALWAYS, EAGER, CUDA_ONLY, NEVER = "always", "eager", "CUDA only", "never"


class Call(NamedTuple):
    """A call of TensorFlow and its effect.

    Attributes:
        name: The public name, without "tensorflow."; a star stands for all names in that module. The effect of a name
            without an entry is unknown, and it isn't reported.
        does: ALWAYS or EAGER for a call that starts the runtime; CUDA_ONLY for one that starts CUDA, but no GPU; NEVER
            for one that starts neither.
        example: A call to measure, with TensorFlow as `tf`.
        since: The first version of TensorFlow 2 in which it starts the runtime; "" for 2.0.
        until: The last version in which it starts the runtime; "" if the newest one still does.
    """

    name: str
    does: str
    example: str
    since: str = ""
    until: str = ""


CALLS = (
    # These start the GPUs, OneDeviceStrategy only in eager mode.
    Call("Session", ALWAYS, "tf.compat.v1.Session()"),
    Call("InteractiveSession", ALWAYS, "tf.compat.v1.InteractiveSession()"),
    Call("test.is_gpu_available", ALWAYS, "tf.test.is_gpu_available()"),
    Call("test.gpu_device_name", ALWAYS, "tf.test.gpu_device_name()"),
    Call(
        "python.client.device_lib.list_local_devices",
        ALWAYS,
        "__import__('tensorflow.python.client.device_lib', fromlist=['*']).list_local_devices()",
    ),
    Call("config.list_logical_devices", ALWAYS, "tf.config.list_logical_devices('GPU')"),
    Call("config.experimental.list_logical_devices", ALWAYS, "tf.config.experimental.list_logical_devices('GPU')"),
    Call("config.experimental.get_memory_info", ALWAYS, "tf.config.experimental.get_memory_info('GPU:0')"),
    Call("distribute.MirroredStrategy", ALWAYS, "tf.distribute.MirroredStrategy()"),
    Call("distribute.OneDeviceStrategy", EAGER, "tf.distribute.OneDeviceStrategy('/gpu:0')"),
    # Ops, in eager mode.
    Call("constant", EAGER, "tf.constant(1)"),
    Call("Variable", EAGER, "tf.Variable(1.0)"),
    Call("convert_to_tensor", EAGER, "tf.convert_to_tensor([1])"),
    Call("zeros", EAGER, "tf.zeros([2])"),
    Call("ones", EAGER, "tf.ones([2])"),
    Call("fill", EAGER, "tf.fill([2], 1)"),
    Call("eye", EAGER, "tf.eye(2)"),
    Call("range", EAGER, "tf.range(3)"),
    Call("one_hot", EAGER, "tf.one_hot(1, 3)"),
    Call("cast", EAGER, "tf.cast(1, tf.float32)"),
    Call("reshape", EAGER, "tf.reshape([1, 2], [2, 1])"),
    Call("concat", EAGER, "tf.concat([[1], [2]], 0)"),
    Call("stack", EAGER, "tf.stack([1, 2])"),
    Call("expand_dims", EAGER, "tf.expand_dims([1], 0)"),
    Call("transpose", EAGER, "tf.transpose([[1, 2]])"),
    Call("add", EAGER, "tf.add(1, 2)"),
    Call("multiply", EAGER, "tf.multiply(1, 2)"),
    Call("matmul", EAGER, "tf.matmul([[1.0]], [[1.0]])"),
    Call("square", EAGER, "tf.square(2)"),
    Call("reduce_sum", EAGER, "tf.reduce_sum([1])"),
    Call("reduce_mean", EAGER, "tf.reduce_mean([1.0])"),
    Call("argmax", EAGER, "tf.argmax([1, 2])"),
    Call("math.reduce_sum", EAGER, "tf.math.reduce_sum([1])"),
    Call("math.log", EAGER, "tf.math.log(1.0)"),
    Call("random.normal", EAGER, "tf.random.normal([2])"),
    Call("random.uniform", EAGER, "tf.random.uniform([2])"),
    Call("random.shuffle", EAGER, "tf.random.shuffle([1, 2])"),
    Call("random.Generator.from_seed", EAGER, "tf.random.Generator.from_seed(1)"),
    Call("random.get_global_generator", EAGER, "tf.random.get_global_generator()"),
    Call("image.resize", EAGER, "tf.image.resize([[[1.0]]], [2, 2])"),
    Call("strings.as_string", EAGER, "tf.strings.as_string(1)"),
    Call("SparseTensor", EAGER, "tf.SparseTensor([[0]], [1], [2])"),
    Call("ragged.constant", EAGER, "tf.ragged.constant([[1]])"),
    Call("summary.create_file_writer", EAGER, "tf.summary.create_file_writer('.')"),
    Call("data.Dataset.range", EAGER, "tf.data.Dataset.range(3)"),
    Call("data.Dataset.from_tensors", EAGER, "tf.data.Dataset.from_tensors([1])"),
    Call("data.Dataset.from_tensor_slices", EAGER, "tf.data.Dataset.from_tensor_slices([1])"),
    Call("data.TFRecordDataset", EAGER, "tf.data.TFRecordDataset('none')"),
    Call("data.TextLineDataset", EAGER, "tf.data.TextLineDataset('none')"),
    # Keras. A layer creates its variables when it is built, not when it is constructed.
    Call("keras.applications.*", EAGER, "tf.keras.applications.MobileNetV2(weights=None)"),
    Call("keras.metrics.Mean", EAGER, "tf.keras.metrics.Mean()"),
    Call("keras.metrics.Accuracy", EAGER, "tf.keras.metrics.Accuracy()"),
    Call("keras.metrics.AUC", EAGER, "tf.keras.metrics.AUC()"),
    Call("keras.Sequential", EAGER, "tf.keras.Sequential([tf.keras.layers.Dense(1)])", until="2.15"),
    Call("keras.models.Sequential", EAGER, "tf.keras.models.Sequential()", until="2.15"),
    Call("keras.optimizers.Adam", EAGER, "tf.keras.optimizers.Adam()", since="2.11"),
    Call("keras.optimizers.SGD", EAGER, "tf.keras.optimizers.SGD()", since="2.11"),
    Call("keras.layers.Dropout", EAGER, "tf.keras.layers.Dropout(0.5)", since="2.16"),
    # These ask CUDA for the GPUs: later changes of CUDA_VISIBLE_DEVICES have no effect, but other settings still have.
    Call("config.list_physical_devices", CUDA_ONLY, "tf.config.list_physical_devices('GPU')"),
    Call("config.experimental.list_physical_devices", CUDA_ONLY, "tf.config.experimental.list_physical_devices('GPU')"),
    Call("config.get_visible_devices", CUDA_ONLY, "tf.config.get_visible_devices('GPU')"),
    Call("config.experimental.get_visible_devices", CUDA_ONLY, "tf.config.experimental.get_visible_devices('GPU')"),
    Call("config.get_soft_device_placement", CUDA_ONLY, "tf.config.get_soft_device_placement()"),
    # These start nothing: programs may call them before their settings.
    Call("test.is_built_with_cuda", NEVER, "tf.test.is_built_with_cuda()"),
    Call("sysconfig.get_build_info", NEVER, "tf.sysconfig.get_build_info()"),
    Call("executing_eagerly", NEVER, "tf.executing_eagerly()"),
    Call("random.set_seed", NEVER, "tf.random.set_seed(1)"),
    Call("config.set_soft_device_placement", NEVER, "tf.config.set_soft_device_placement(True)"),
    Call("debugging.set_log_device_placement", NEVER, "tf.debugging.set_log_device_placement(True)"),
    Call("config.optimizer.set_jit", NEVER, "tf.config.optimizer.set_jit(True)"),
    Call("config.run_functions_eagerly", NEVER, "tf.config.run_functions_eagerly(True)"),
    Call("distribute.get_strategy", NEVER, "tf.distribute.get_strategy()"),
    Call("function", NEVER, "tf.function(lambda x: x)"),
    Call("io.gfile.exists", NEVER, "tf.io.gfile.exists('none')"),
    Call("data.Options", NEVER, "tf.data.Options()"),
    Call("keras.Input", NEVER, "tf.keras.Input((2,))"),
    Call("keras.layers.Dense", NEVER, "tf.keras.layers.Dense(3)"),
    Call("keras.layers.Embedding", NEVER, "tf.keras.layers.Embedding(3, 4)"),
    Call("keras.losses.MeanSquaredError", NEVER, "tf.keras.losses.MeanSquaredError()"),
    Call("keras.backend.set_floatx", NEVER, "tf.keras.backend.set_floatx('float32')"),
    Call("keras.backend.clear_session", NEVER, "tf.keras.backend.clear_session()"),
    Call("disable_eager_execution", NEVER, "tf.compat.v1.disable_eager_execution()"),
)

# Calls that list devices, and for this start the runtime. If nothing has started it before, it starts with the default
# settings, and the program keeps them.
LISTINGS = ("test.is_gpu_available", "test.gpu_device_name", "python.client.device_lib.list_local_devices")
# A call of any layer, such as `Dense(3)(x)`, builds the layer, which starts the runtime.
_LAYERS = "keras.layers."
# Words of programs that run in graph mode, or may. In graph mode an op is only added to a graph, and starts nothing.
_GRAPHS = re.compile(
    rf"\b(?:{'|'.join(TOGGLES)})\b|\bplaceholder\b|\b(?:Monitored\w*|Chief|Worker)?Session(?:Creator)?[ \t]*\("
    r"|\bSupervisor[ \t]*\(|tf1mem\.v1|tensorflow_version[ \t]+1|\.contrib\b".encode()
)


class Start(NamedTuple):
    """A call that starts TensorFlow's runtime, or CUDA.

    Attributes:
        call: The call.
        on: The TensorFlow versions with this effect, in words: " on TensorFlow 2.16 and up"; "" for all.
    """

    call: Node
    on: str


@cache
def _table() -> dict[str, Call]:
    return {call.name: call for call in CALLS}


_A_LAYER_THAT_IS_CALLED = Call(_LAYERS, EAGER, "")


def first_start(facts: Facts, is_moved: bool, node: Node, counts_cuda: bool = False) -> Start | None:
    """Returns the first call that surely runs before a node and starts TensorFlow's runtime; None if there is none.

    Args:
        facts: The module's facts.
        is_moved: True if imports move to tf1mem.v1, which has graph mode: ops are only added to a graph.
        node: The node before which the call runs, such as a setting.
        counts_cuda: True to count also calls that only start CUDA.
    """
    graphs = _GRAPHS.search(facts.source.text) is not None or is_moved
    for earlier in before(node):
        row = _table_row(facts, earlier) if earlier.type == "call" else None
        if row is None:
            continue
        if row.does == ALWAYS or (row.does == EAGER and not graphs) or (row.does == CUDA_ONLY and counts_cuda):
            return Start(earlier, _versions(row))
    return None


def _table_row(facts: Facts, call: Node) -> Call | None:
    function = callee(call)
    if function.type == "call":
        built = called(facts, function) or ""
        return _A_LAYER_THAT_IS_CALLED if built.startswith(_LAYERS) else None
    name = public_name_of(facts, function) or ""
    return _table().get(name) or _table().get(name.rpartition(".")[0] + ".*")


def _versions(call: Call) -> str:
    """Returns the text for `Start.on`."""
    if call.until:
        return f" on TensorFlow 2.0 to {call.until}"
    return f" on TensorFlow {call.since} and up" if call.since else ""
