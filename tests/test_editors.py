"""Editors and type checkers (mypy, pyright, Jedi) know the names of a tf1mem that is installed from its wheel.

They read source without running it. So `.pyi` files list the names that tf1mem loads only when they are first used.
"""

from __future__ import annotations

import inspect
import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import jedi
import pytest

import tf1mem
from tests.processes.environment import ROOT
from tf1mem import codemod
from tf1mem.names.contrib import TABLE

# Lines that end with one of these are wrong, and all others are right. Lines with the longer one are wrong only to
# pyright, since mypy knows nothing about TensorFlow's own names.
WRONG = "  # wrong"
WRONG_TO_PYRIGHT = WRONG + " of TensorFlow's"
PROGRAM = """
from typing import List

import tf1mem
import tf1mem.codemod
import tf1mem.v1 as tf
import tf1mem.v1.keras.backend as K
from tf1mem.codemod import rewrite
from tf1mem.v1.contrib import slim
from tf1mem.v1.contrib.compiler import jit
from tf1mem.v1.train import AdamOptimizer

settings = tf1mem.config(allow_growth=True, memory_fraction=[0.4, 0.5], visible_gpus=[1, 0], threads=(2, 1))
tf1mem.config(alow_growth=True)  # wrong
tf1mem.config(visible_gpus="1,0", memory_fraction="all")  # wrong
tf1mem.apply(settings)
tf1mem.apply({"gpu_options": {"allow_growth": True}}, strict=True)  # wrong
plan = tf1mem.plan(tf1mem.read("settings.json"), tensorflow="2.21.0", gpus=[8 * 2**30])
reason: str = plan.steps[0].reason
reason = plan.steps  # wrong
print(tf1mem.report().lines, tf1mem.from_env({"VISIBLE_GPU": "0"}))
mib: int = tf1mem.estimate(lambda x: x, ((32, 784), "float32"), on="cpu").limit_mib
tf1mem.estimate(lambda x: x, batch=32)  # wrong


@tf1mem.explain_oom()
def step(size: int) -> List[int]:
    return [size]


def train() -> int:
    with tf1mem.explain_oom():
        result, batch_size = tf1mem.fit_batch(step, 256, floor=8)
        return batch_size


step("256")  # wrong
tf1mem.fit_batch(step, "256")  # wrong
try:
    train()
except tf1mem.RuntimeAlreadyStarted as error:
    print(error.remedy)
except tf1mem.Tf1memError as error:
    print(error.remedies)  # wrong
new: bytes = rewrite(b"import tensorflow as tf", to="native").source
rewrite("import tensorflow as tf")  # wrong

with tf.Session(config=settings) as sess:
    x = tf.mul(tf.placeholder(tf.float32, [2]), tf.contrib.nothing)
    K.set_session(sess)
tf.Session(configs=settings)  # wrong of TensorFlow's
tf.ConfigProto().gpu_options
AdamOptimizer(learning=0.1)  # wrong of TensorFlow's
tf.train.AdamOptimizer(learning=0.1)  # wrong of TensorFlow's
tf.layers.dense(x, unit=3)  # wrong of TensorFlow's
tf.keras.backend.set_session(session=sess, graph=None)  # wrong of TensorFlow's
K.set_session(session=sess, graph=None)  # wrong of TensorFlow's
slim.fully_connected(x, 3, scope="out")
tf.contrib.framework.is_tensor(x)
slim.fully_connected(x, 3, scopes="out")  # wrong
tf.contrib.seq2seq.sequence_loss(x, x, x, weight=x)  # wrong
with jit.experimental_jit_scope(compile_op=True):  # wrong of TensorFlow's
    tf.contrib.cluster_resolver.UnionClusterResolver.nothing  # wrong of TensorFlow's
"""

# Small programs of users, each with one mistake. Both tools find it, except in the last program.
MISTAKES = {
    "growth": """
import tf1mem
import tf1mem.v1 as tf

config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.alow_growth = True  # wrong
session = tf.Session(config=tf1mem.apply(config))
""",
    "applied": """
import tf1mem

config = tf1mem.apply({"gpu_options": {"allow_growth": True}})
config.gpu_options.per_process_gpu_memory_fractoin = 0.4  # wrong
""",
    "number": """
import tf1mem

config = tf1mem.config(memory_fraction=0.4)
tf1mem.apply(config.gpu_options)
tf1mem.apply(3)  # wrong
""",
    "text": """
import tf1mem

config = tf1mem.from_env()
config.gpu_options.visible_device_list = "0,1"
config.gpu_options.per_process_gpu_memory_fraction = "0.4"  # wrong
""",
    "keyword": """
import tf1mem.v1 as tf

options = tf.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.4)
config = tf.ConfigProto(gpu_options=options, alow_soft_placement=True)  # wrong
""",
    "assigned": """
import tf1mem.v1 as tf

config = tf.ConfigProto()
config.gpu_options.CopyFrom(tf.GPUOptions(allow_growth=True))
config.gpu_options = tf.GPUOptions(allow_growth=True)  # wrong
""",
    "level": """
import tf1mem.v1 as tf

config = tf.ConfigProto(device_count={"GPU": 1})
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_3  # wrong
""",
    "name": """
import tf1mem.v1 as tf



def same(x: tf.Tensor, optimizer: tf.train.Optimizer) -> tf.Tensor:
    return x


y = tf.nosuchname(tf.placeholder(tf.float32, [None, 4]))  # wrong
""",
    "namespace": """
import tf1mem.v1 as tf

tf.app.flags.DEFINE_string("folder", "data", "The folder.")
optimizer = tf.train.AdamOptimiser(0.1)  # wrong
""",
    "planned": """
import tf1mem

print(tf1mem.plan("settings.json", tensorflow="2.21.0", gpus=2))
print(tf1mem.plan("settings.json", gpus="2"))  # wrong
""",
    "environment": """
import os
import tf1mem

tf1mem.from_env(os.environ)
tf1mem.from_env("VISIBLE_GPU=0")  # wrong
""",
    "room": """
import tf1mem

print(tf1mem.report(), tf1mem.__version__)
print(tf1mem.applying.report)  # wrong to pyright: mypy has read that room
""",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """Returns a Python that has tf1mem's wheel, and the other packages of this Python."""
    folder = tmp_path_factory.mktemp("editors")
    source = folder / "source"
    shutil.copytree(str(ROOT / "tf1mem"), str(source / "tf1mem"), ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "LICENSE", "NOTICE", "setup.py", "setup.cfg", "pyproject.toml"):
        shutil.copy(str(ROOT / name), str(source))
    environment = folder / "environment"
    python = environment / "bin" / "python"

    def run(*arguments: object) -> None:
        command = [sys.executable, *map(str, arguments)]
        subprocess.run(command, cwd=str(source), check=True, capture_output=True)

    run("setup.py", "-q", "bdist_wheel", "--dist-dir", folder)
    run("-m", "uv", "venv", "--python", sys.executable, environment)
    run("-m", "uv", "pip", "install", "--offline", "--no-deps", "--python", python, *folder.glob("*.whl"))
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python


@pytest.fixture(scope="module")
def lines_by_name(installed) -> dict[str, set[tuple[str, int]]]:
    """Checks the programs and a misuse of each public name; returns the wrong lines, and the lines of each tool."""
    folder = installed.parents[2] / "programs"
    folder.mkdir()
    misused = [f"{module.__name__}.{name}.nothing" for module in (tf1mem, codemod) for name in module.__all__]
    sources = {"program": PROGRAM + "".join(f"{name}{WRONG}\n" for name in misused), **MISTAKES}
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    commands = {
        "mypy": ["--strict", "--output", "json", "--cache-dir", "cache", "--python-executable"],
        "pyright": ["--outputjson", "--pythonpath"],
    }
    started = {
        tool: subprocess.Popen(
            [sys.executable, "-m", tool, *options, str(installed), *(f"{name}.py" for name in sources)],
            cwd=str(folder), stdout=subprocess.PIPE, encoding="utf-8",
        )
        for tool, options in commands.items()
    }  # fmt: skip
    out = {tool: process.communicate()[0] for tool, process in started.items()}
    print(out)  # pytest shows it if a test fails
    lines = [(name, *it) for name, source in sources.items() for it in enumerate(source.splitlines(), 1)]
    by_mypy = [json.loads(line) for line in out["mypy"].splitlines()]
    by_pyright = json.loads(out["pyright"])["generalDiagnostics"]
    return {
        "mypy": {(Path(it["file"]).stem, it["line"]) for it in by_mypy if it["severity"] == "error"},
        "pyright": {(Path(it["file"]).stem, it["range"]["start"]["line"] + 1) for it in by_pyright},
        WRONG: {(name, number) for name, number, line in lines if line.endswith(WRONG)},
        WRONG_TO_PYRIGHT: {(name, number) for name, number, line in lines if WRONG in line},
    }


@pytest.mark.proof
@pytest.mark.parametrize(("tool", "wrong"), [("mypy", WRONG), ("pyright", WRONG_TO_PYRIGHT)])
def test_a_type_checker_reports_exactly_the_wrong_lines(lines_by_name, tool, wrong):
    assert lines_by_name[tool] == lines_by_name[wrong]


def complete(installed: Path, code: str) -> set[str]:
    environment = jedi.create_environment(str(installed), safe=False)
    script = jedi.Script(code, environment=environment, project=jedi.Project(installed.parent))
    return {completion.name for completion in script.complete()}


def test_jedi_completes_public_names_and_keywords(installed):
    assert set(tf1mem.__all__) <= complete(installed, "import tf1mem\ntf1mem.")  # type: ignore[attr-defined]
    assert set(codemod.__all__) <= complete(installed, "import tf1mem.codemod\ntf1mem.codemod.")  # type: ignore[attr-defined]
    keywords = {f"{name}=" for name in inspect.signature(tf1mem.config).parameters}
    assert keywords <= complete(installed, "from tf1mem import config\nconfig(")


def test_jedi_completes_the_fields_of_a_config(installed):
    for config in ("tf.ConfigProto()", "tf1mem.apply()", "tf1mem.config()"):
        code = f"import tf1mem\nimport tf1mem.v1 as tf\n{config}.gpu_options."
        assert {"allow_growth", "per_process_gpu_memory_fraction", "CopyFrom"} <= complete(installed, code)


@pytest.mark.parametrize(
    ("namespace", "home"),
    [
        ("", "tensorflow._api.v2.compat.v1"),
        ("app.flags.", "tensorflow.python.platform.flags"),
        ("train.", "tensorflow._api.v2.compat.v1.train"),
        ("keras.layers.", "tf_keras.api._v1.keras.layers"),
        ("layers.", "tf_keras.api._v1.keras.__internal__.legacy.layers"),
    ],
)
def test_jedi_completes_what_compat_v1_has(installed, namespace, home):
    its = {name for name in complete(installed, f"import {home} as tf\ntf.") if not name.startswith("_")}
    assert len(its) > 30
    assert its <= complete(installed, f"import tf1mem.v1 as tf\ntf.{namespace}")


def test_jedi_completes_contrib(installed):
    for namespace in ("layers", "rnn", "slim", "checkpoint"):
        names = {name.partition(".")[2] for name in TABLE if name.startswith(namespace + ".")}
        assert {name for name in names if "." not in name} <= complete(
            installed, f"import tf1mem.v1 as tf\ntf.contrib.{namespace}."
        )
