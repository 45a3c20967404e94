"""Measures that the statements of the rules on mistakes with `tf.config` are true, on the installed TensorFlow.

The programs run on simulated GPUs.
"""

from __future__ import annotations

import json
import textwrap

import pytest
from packaging.version import Version

from tests.conformance import simulator
from tf1mem.codemod import rewrite
from tf1mem.codemod.facts.starts import ALWAYS, CALLS, CUDA_ONLY, EAGER, LISTINGS, NEVER
from tf1mem.codemod.rules import registry
from tf1mem.names.never_names import FRACTIONS, GROWTHS, LIMITS, RENAMED, REPORTED

WARM = ["tf1mem", "tensorflow"]
GPU_BYTES = 2 << 30
MIB = 1 << 20
HEAD = "import tensorflow as tf\n"
RULES = {rule.code: rule for rule in registry()}
# Growth takes a few MiB for a small op; without it TensorFlow takes most of a GPU, or all of its limit.
LITTLE = 64 * MIB


class Ran:
    """The result of a program on simulated GPUs.

    Attributes:
        printed: The standard output.
        error: The last line of its standard error if it failed, else "".
        peaks: The most bytes that it held on each GPU that it used, by the GPU's number.
        starts: The ids of the processes that started CUDA.
        contexts: The ids of the processes in which a GPU was started.
    """

    def __init__(self, done, events) -> None:
        self.printed = done.stdout
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        self.error = "" if done.returncode == 0 else (lines or ["died"])[-1]
        self.peaks = {event.gpu: event.peak for event in events if event.event in ("exit", "killed")}
        self.starts = {event.pid for event in events if event.event == "start"}
        self.contexts = {event.pid for event in events if event.event == "context"}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory, warm_on_gpus):
    """Returns a function that runs a program on two simulated GPUs."""
    folder = tmp_path_factory.mktemp("mistakes")

    def run(source: str) -> Ran:
        script = folder / "program.py"
        script.write_text(textwrap.dedent(source), encoding="utf-8")
        with simulator.machine(folder, (GPU_BYTES, GPU_BYTES)) as environment:
            done = warm_on_gpus.run(script, env=environment)
            text = (folder / "trace.jsonl").read_bytes()
            events = list(simulator.Trace(folder).between(0, len(text)))
        return Ran(done, events)

    return run


@pytest.fixture(scope="module", autouse=True)
def gpu_build(simulated, tensorflow_version):
    built = simulated(HEAD + "print(tf.test.is_built_with_cuda())\n").printed
    if built != "True\n":
        pytest.skip(f"TensorFlow {tensorflow_version} is here in a build without CUDA")


def test_the_table_of_names_that_never_existed(simulated):
    """TensorFlow has none of the names that never existed, and all of their replacements."""
    never = [*RENAMED, *LIMITS, *FRACTIONS, *GROWTHS, *REPORTED]
    meant = sorted({name for entry in RENAMED.values() for name in (entry.name, entry.native)})
    ran = simulated(
        f"""
        import json
        import tensorflow as tf
        def there(root, dotted):
            for part in dotted.split("."):
                root = getattr(root, part, None)
            return root is not None
        roots = (tf, tf.compat.v1, tf.compat.v2)
        existing = {{name: [there(root, name) for root in roots] for name in {[*never, *meant]!r}}}
        print(json.dumps(existing))
    """
    )
    existing = json.loads(ran.printed)
    assert [name for name in never if any(existing[name])] == []
    assert [name for name in meant if not all(existing[name])] == []


# Each call runs in a fork of a process that has loaded Keras; all calls that start nothing share one fork.
MEASURE = """
import json, os
import tensorflow as tf
tf.keras.layers.Dense(1)

def forked(codes, graph=False):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if graph:
                tf.compat.v1.disable_eager_execution()
            for code in codes:
                exec(code, {{"tf": tf}})
            os.write(write, b"ok")
        except BaseException as error:
            os.write(write, "{{}}: {{!r}}".format(code, error).encode())
        os._exit(0)
    os.close(write)
    output = b""
    while True:
        part = os.read(read, 4096)
        if not part:
            break
        output += part
    os.close(read)
    os.waitpid(child, 0)
    return child, output.decode()

print(json.dumps({{name: forked(codes, graph) for name, codes, graph in {!r}}}))
"""


@pytest.mark.proof
def test_the_table_of_calls_that_start_the_runtime(simulated, tensorflow_version):
    release = tensorflow_version.release[:2]
    starting = {call.name: call for call in CALLS if call.does in (ALWAYS, EAGER)}
    quiet = {does: [call.example for call in CALLS if call.does == does] for does in (CUDA_ONLY, NEVER)}
    programs = [(name, [call.example], False) for name, call in starting.items()]
    programs += [(name + ", graph", [call.example], True) for name, call in starting.items() if call.does == ALWAYS]
    programs += [(does, codes, False) for does, codes in quiet.items()]
    ran = simulated(MEASURE.format(programs))
    assert not ran.error
    outcomes = json.loads(ran.printed)
    assert {name: outcome for name, (_, outcome) in outcomes.items() if outcome != "ok"} == {}
    started = {name for name, (process, _) in outcomes.items() if process in ran.contexts}
    expected = {
        name
        for name, call in starting.items()
        if Version(call.since or "2.0").release <= release <= Version(call.until or "9.9").release
    }
    expected |= {name + ", graph" for name, call in starting.items() if call.does == ALWAYS}
    assert started == expected
    assert outcomes[CUDA_ONLY][0] in ran.starts
    assert outcomes[NEVER][0] not in ran.starts


GROW = "for gpu in gpus:\n    tf.config.experimental.set_memory_growth(gpu, True)\n"
OP = "tf.add(tf.zeros([64]), 1.0)\n"
LISTED = HEAD + "gpus = tf.config.list_physical_devices('GPU')\n"


@pytest.mark.parametrize(
    ("early", "error"),
    [
        ("tf.compat.v1.Session()\n", ""),
        (OP, "RuntimeError: Physical devices cannot be modified after being initialized"),
    ],
)
def test_late_growth_is_refused_or_ignored(early, error, simulated):
    ran = simulated(LISTED + early + GROW + OP)
    assert (ran.error, max(ran.peaks.values()) > LITTLE) == (error, True)
    assert max(simulated(LISTED + GROW + early + OP).peaks.values()) <= LITTLE


@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_starts_the_gpus_without_growth(name, simulated):
    (listing,) = [call.example + "\n" for call in CALLS if call.name == name]
    for source in (listing + GROW + OP, GROW + listing + OP):
        ran = simulated(LISTED + source)
        assert (ran.error, max(ran.peaks.values()) > LITTLE) == ("", True), source
    assert max(simulated(LISTED + GROW + OP + listing).peaks.values()) <= LITTLE


def test_growth_that_differs_is_refused(simulated):
    ran = simulated(LISTED + "tf.config.experimental.set_memory_growth(gpus[0], True)\n" + OP)
    assert ran.error == "ValueError: Memory growth cannot differ between GPU devices"


@pytest.mark.parametrize("kind", ["gpu", "GPU"])
def test_device_count_in_lower_case_has_no_effect(kind, simulated):
    ran = simulated(
        HEAD
        + f"tf.compat.v1.disable_eager_execution()\nconfig = tf.compat.v1.ConfigProto(device_count={{{kind!r}: 0}})\n"
        "tf.compat.v1.Session(config=config).run(tf.zeros([64]) + 1.0)\n"
    )
    assert not ran.error
    assert bool(ran.peaks) == (kind == "gpu")


ENVIRONMENT = {
    # Variable -> {the code that runs before the variable is set: True if the variable still counts}.
    "CUDA_VISIBLE_DEVICES": {"": True, "tf.config.list_physical_devices('GPU')\n": False, OP: False},
    "TF_FORCE_GPU_ALLOW_GROWTH": {"": True, "tf.config.list_physical_devices('GPU')\n": True, OP: False},
    "TF_GPU_ALLOCATOR": {"": True, "tf.config.list_physical_devices('GPU')\n": True, OP: False},
    "TF_USE_LEGACY_KERAS": {"": True, "tf.keras\n": True, OP: True, "tf.keras.layers\n": False},
}
VALUES = {"CUDA_VISIBLE_DEVICES": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "true", "TF_GPU_ALLOCATOR": "cuda_malloc_async"}


@pytest.mark.parametrize(
    ("variable", "early"), [(variable, early) for variable, earlier in ENVIRONMENT.items() for early in earlier]
)
def test_variables_are_read_when_the_rule_says(variable, early, simulated, tensorflow_version):
    if variable == "TF_USE_LEGACY_KERAS" and tensorflow_version < Version("2.16"):
        pytest.skip("TensorFlow has one Keras before 2.16")
    if variable == "TF_GPU_ALLOCATOR" and tensorflow_version < Version("2.10"):
        pytest.skip("the simulator has its allocator from TensorFlow 2.10 on")
    source = HEAD + early + "import os\nos.environ[{!r}] = {!r}\n".format(variable, VALUES.get(variable, "1"))
    if variable == "TF_USE_LEGACY_KERAS":
        source += "try:\n    print(tf.keras.layers.Layer.__module__)\nexcept ImportError:\n    print('tf_keras')\n"
        ran = simulated(source)
        counts = ran.printed.startswith("tf_keras")
    else:
        ran = simulated(source + OP)
        # TF_GPU_ALLOCATOR's pool takes memory as it is needed, too.
        counts = ran.peaks.get(0, 0) == 0 if variable == "CUDA_VISIBLE_DEVICES" else ran.peaks[0] <= LITTLE
    assert not ran.error
    assert counts is ENVIRONMENT[variable][early]


@pytest.mark.proof
@pytest.mark.fresh
@pytest.mark.parametrize("statement", ["from tensorflow.keras import layers", "import tensorflow.keras"])
def test_importing_from_keras_loads_keras_3(statement, python, tensorflow_version):
    if tensorflow_version < Version("2.16"):
        pytest.skip("TensorFlow has one Keras before 2.16")
    code = f"import os\n{statement}\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nimport tensorflow as tf\n"
    assert python(code + "print(tf.keras.layers.Layer.__module__)\n").startswith("keras.")


# --- rewritten programs work ------------------------------------------------------------------------------------

FREE = "gpus = tf.config.list_physical_devices('GPU')\ngpu, n, sizes = gpus[0], 512, []\nF = share = 0.4\n"
AT_THE_END = """
from tensorflow.python.client import device_lib
import json
import tensorflow as tf
for device in tf.config.list_logical_devices('GPU'):
    with tf.device(device.name):
        tf.add(tf.zeros([64]), 1.0)
limits = [device.memory_limit for device in device_lib.list_local_devices() if device.device_type == "GPU"]
print("END", json.dumps([limits, tf.config.get_soft_device_placement()]))
"""


def written(code: str, to: str) -> list[str]:
    examples = [example for example in RULES[code].examples if example.after is not None and example.to in (None, to)]
    return [rewrite(example.before.encode(), to=to).source.decode() for example in examples]


def bound(source: str) -> str:
    """Returns an example as a complete program: undefined names are bound, and a function is called."""
    lines = ["import tensorflow as tf", *FREE.splitlines()]
    called = "f()\n" if source.startswith("def f():") else ""
    head, _, body = source.partition("\n") if source.startswith("import tf1mem") else ("", "", source)
    return "\n".join([head, *lines, body]) + called


@pytest.mark.parametrize("source", dict.fromkeys([*written("TFM401", "apply"), *written("TFM401", "native")]))
def test_rewritten_names_work(source, simulated):
    ran = simulated(bound(source))
    assert not ran.error, source


def before_and_after():
    return [
        pytest.param(example, id=str(number))
        for number, example in enumerate(RULES["TFM402"].examples)
        if example.after is not None
    ]


@pytest.mark.parametrize("example", before_and_after())
def test_growth_and_a_limit_hold_both(example, simulated, tensorflow_version):
    """Growth is lost or refused beside a limit before the codemod; afterwards both growth and the limit hold."""
    was = simulated(bound(example.before) + AT_THE_END)
    result = simulated(bound(rewrite(example.before.encode(), to="apply").source.decode()) + AT_THE_END)
    assert not result.error
    assert max(result.peaks.values()) <= LITTLE
    limits, soft = json.loads(result.printed.split("END ")[1])
    assert soft is ("set_soft_device_placement(False)" not in example.before)
    if "Device ordinals must be set for all virtual devices or none" in was.error:
        assert tensorflow_version.release[:2] == (2, 10)  # 2.10 refuses limits for only some of the GPUs
        assert limits[0] == 512 * MIB < limits[1]
    elif was.error:
        assert was.error == "ValueError: Cannot set memory growth on device when virtual devices configured"
        assert limits == [1024 * MIB] * 2
    else:
        assert [limits, soft] == json.loads(was.printed.split("END ")[1])
        assert was.peaks[0] == limits[0]


A_SECOND_CONFIG = (
    HEAD + "sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\nconfig = tf.ConfigProto()\n"
    "config.gpu_options.allow_growth = True\nconfig.gpu_options.per_process_gpu_memory_fraction = 0.4\n"
    "other = tf.Session(config=config)\nprint('both')\n"
)


@pytest.mark.parametrize("to", ["apply", "native"])
def test_a_second_config_raises_and_gets_a_remark(to, simulated, tensorflow_version):
    """TensorFlow 1 ignored the second config."""
    result = rewrite(A_SECOND_CONFIG.encode(), to=to)
    assert [remark.line for remark in result.remarks if "RuntimeAlreadyStarted" in remark.message + remark.remedy] == [
        6
    ]
    if tensorflow_version.major == 1 and to == "native":
        pytest.skip("it is for TensorFlow 2")
    assert "RuntimeAlreadyStarted" in simulated(result.source.decode()).error
