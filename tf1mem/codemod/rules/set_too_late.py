"""GPU settings after the start of TensorFlow's runtime get a remark: TensorFlow refuses or ignores them.

Listing devices also starts the GPUs, and without the settings above it; so a listing after the settings gets a remark,
too, unless the GPUs have started before. Only statements count that surely run before: earlier ones of the same block,
or of a block around it. The calls that start the runtime are known by measurement.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import gpu_memory
from tf1mem.codemod.facts.consumers import config_of
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.facts.public_names import called
from tf1mem.codemod.facts.starts import LISTINGS, Start, first_start
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.control_flow import before, may_both_run
from tf1mem.codemod.source.syntax import callee
from tf1mem.settings.takers import DEVICE_LISTING

_GROW = "for gpu in tf.config.list_physical_devices('GPU'):\n    tf.config.experimental.set_memory_growth(gpu, True)\n"
_WITHIN = _GROW.replace("\n    ", "\n        ")
_CODE = "TFM403"
_APPLY = "tf1mem.apply"

rule = Rule(
    _CODE,
    of_result=True,
    words=(_APPLY.encode(),),
    examples=(
        Example(HEAD + "print(tf.test.is_built_with_cuda(), tf.config.list_physical_devices('GPU'))\n" + _GROW),
        Example(HEAD + "tf.random.set_seed(1)\nlayer = tf.keras.layers.Dense(3)\n" + _GROW + "x = tf.constant(1)\n"),
        Example(HEAD + "def f():\n    return tf.constant(1)\n" + _GROW),
        Example(HEAD + "def f():\n    tf.zeros(3)\ndef g():\n    gpus = tf.config.list_logical_devices('GPU')\n"),
        Example(HEAD + "if check:\n    tf.constant(1)\n" + _GROW),
        Example(HEAD + "tf.compat.v1.disable_eager_execution()\nx = tf.constant(1)\n" + _GROW),
        Example(HEAD + _GROW + "x = tf.constant(1)\n" + _GROW),
        Example(
            HEAD + "try:\n    gpus = tf.config.list_physical_devices('GPU')\n"
            "    tf.config.set_visible_devices(gpus[0], 'GPU')\n    print(tf.config.list_logical_devices('GPU'))\n"
            "except RuntimeError:\n    pass\n"
        ),
        Example(
            "import tf1mem\nimport tensorflow.compat.v1 as tf\nwith tf.Session(config=tf1mem.apply(c)):\n    pass\n"
            "with tf.Session(config=tf1mem.apply(c)):\n    pass\n",
            to="apply",
        ),
        Example(HEAD + _GROW + "x = tf.constant(1)\nprint(tf.test.is_gpu_available())\n"),
        Example(HEAD + _GROW + "train()\nprint(tf.test.is_gpu_available())\n"),
        Example("import numpy as tf\ntf.constant(1)\ntf.config.set_visible_devices([], 'GPU')\n"),
        Example(HEAD + "x = tf.constant(1)\n" + _GROW, remarks=(_CODE,)),
        Example(HEAD + "x = tf.constant(1)\ndef main():\n    " + _WITHIN, remarks=(_CODE,)),
        Example(HEAD + "if tf.test.is_gpu_available():\n    " + _WITHIN, remarks=(_CODE,)),
        Example(
            "from tensorflow.python.client import device_lib\nimport tensorflow as tf\n"
            "print(device_lib.list_local_devices())\n" + _GROW,
            remarks=(_CODE,),
        ),
        Example(
            "import tf1mem\nimport tensorflow.compat.v1 as tf\nfrom tensorflow.python.client import device_lib\n"
            "n = len(device_lib.list_local_devices())\nsess = tf.Session(config=tf1mem.apply(c))\n",
            to="apply", remarks=(_CODE,),
        ),
        Example(HEAD + _GROW + "print('GPU:', tf.test.gpu_device_name())\n", remarks=(_CODE,)),
        Example(HEAD + "with tf.device('cpu:0'):\n    x = tf.range(3)\n" + _GROW, remarks=(_CODE,)),
        Example("import tf1mem\n" + HEAD + "x = tf.Variable(1.0)\ntf1mem.apply(config)\n", remarks=(_CODE,)),
    ),
)  # fmt: skip

_SETTINGS = (
    *gpu_memory.GROWTH, *gpu_memory.LIMITS, "set_visible_devices", "set_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
)  # fmt: skip
_THREADS = ("config.threading.set_intra_op_parallelism_threads", "config.threading.set_inter_op_parallelism_threads")
_ALPHA = ("set_per_process_memory_fraction", "set_per_process_memory_growth")
_NAMES = (*_SETTINGS, *_ALPHA)
_ASK = "Call tf.config.list_physical_devices('GPU') there: it starts no GPU."
_SESSIONS = ("Session", "InteractiveSession")
# The settings that the first Session's config fixes for the whole process.
_OF_GPUS = ("allow_growth", "per_process_gpu_memory_fraction", "visible_device_list")


@rule
def set_too_late(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields a remark for each setting after a call that starts the runtime; for several in a row only at the first."""
    reported: set[int] = set()
    settings = sorted(_settings(facts), key=lambda call: call.start_byte)
    places = {call.start_byte for call in settings}
    for call in settings:
        start = first_start(facts, claims.moves_any, call)
        if start is None or start.call.start_byte in reported:
            continue
        if any(place < start.call.end_byte for place in places):
            continue  # it is a Session with its own config, or follows a setting in a loop, a branch or a function
        reported.add(start.call.start_byte)
        yield _remark(facts, call, start)
    yield from _listings(facts, claims, settings)


def _settings(facts: Facts) -> Iterator[Node]:
    """Yields the calls that make settings: of tf.config, `tf1mem.apply`, and Sessions with a config."""
    if any(map(facts.mentions, _NAMES)):
        yield from gpu_memory.config_calls(facts, *_SETTINGS)
        for call in facts.calls(*_SETTINGS[-2:], *_ALPHA):
            name = called(facts, call) or ""
            if name in _THREADS or (name.startswith("config.") and name.endswith(_ALPHA)):
                yield call
    if _APPLY.encode() in facts.source.text:
        for call in facts.calls("apply"):
            if facts.names.paths(callee(call)) == {_APPLY}:
                yield call
    for call in facts.calls(*_SESSIONS) if any(map(facts.mentions, _OF_GPUS)) else ():
        if called(facts, call) in _SESSIONS and _takes_config(facts, call):
            yield call


def _takes_config(facts: Facts, call: Node) -> bool:
    config = facts.argument(call, "config")
    if config is None or config.type == "none":
        return False
    return config.type != "call" or facts.names.paths(callee(config)) != {_APPLY}  # that call is a setting itself


def _listings(facts: Facts, claims: Claims, settings: list[Node]) -> Iterator[Note]:
    """Yields remarks for listings of devices that start the GPUs without the settings above them."""
    leaves = [name.rpartition(".")[2] for name in LISTINGS]
    for call in facts.calls(*leaves) if settings else ():
        if called(facts, call) not in LISTINGS or first_start(facts, claims.moves_any, call) is not None:
            continue
        above = [setting for setting in settings if setting.end_byte <= call.start_byte and may_both_run(setting, call)]
        if not above or config_of(facts, call, DEVICE_LISTING) is not None:
            continue
        if any(_may_start(facts, node) for node in before(call) if node.start_byte >= above[-1].end_byte):
            continue
        yield remark(
            call, f"{facts.shown(call)} starts the GPUs without the settings above it ({facts.line_of(above[-1])})",
            _ASK,
        )  # fmt: skip


def _may_start(facts: Facts, node: Node) -> bool:
    """Returns True if a node calls something unknown, which may start the runtime."""
    if node.type != "call" or called(facts, node) is not None:
        return False
    return facts.text(callee(node)) not in (b"print", b"len", b"bool", b"str", b"int")


def _remark(facts: Facts, call: Node, start: Start) -> Note:
    where, starter = facts.line_of(start.call), facts.shown(start.call)
    message = f"{facts.shown(call)} comes after {starter}, which starts TensorFlow's runtime{start.on} ({where})"
    if called(facts, start.call) in LISTINGS:
        return remark(call, message, _ASK)
    once = "TensorFlow reads it once"
    if facts.names.paths(callee(call)) == {_APPLY}:
        once += ", and tf1mem.apply raises RuntimeAlreadyStarted if another value was read"
    return remark(call, message, f"Move the setting above {where}: {once}.")
