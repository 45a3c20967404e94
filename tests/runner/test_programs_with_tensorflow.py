"""`tf1mem run` runs unchanged TensorFlow 1 programs on the installed TensorFlow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.matrix.proof import in_ci_or_proof
from tf1mem.machine.tensorflow import installed_version

WARM = ["tf1mem.v1"]
ON_TF1 = installed_version().major == 1

TREE = {
    "train.py": """
        import importlib, json, sys
        try:
            import tensorflow.compat.v1 as tf_v1
        except ImportError:
            tf_v1 = None
        import tensorflow as tf
        import tensorflow.python.client.device_lib
        from tensorflow import ConfigProto as Config, placeholder
        from tensorflow.compat import v1
        from tensorflow.compat.v1 import Session as Session_v1
        from tensorflow.python.client import device_lib
        from tensorflow.python.client.device_lib import list_local_devices
        import model, package.layers, space.inner, installed

        def late():
            import tensorflow
            return tensorflow

        config = Config(allow_soft_placement=True)
        config.gpu_options.allow_growth = True
        x = placeholder(tf.float32, [None])
        with tf.Session(config=config) as session:
            doubled = session.run(model.double(x), {x: [1, 2]}).tolist()
        print(json.dumps({
            "doubled": doubled,
            "names": [m.__name__ for m in (tf, late(), model.tf, package.layers.tf, space.inner.tf, tensorflow)],
            "dynamic": [importlib.import_module("tensorflow") is tf, __import__("tensorflow") is tf],
            "installed": installed.tf.__name__,
            "version_1": tf.VERSION == tf.__version__,
            "sessions": [v1.Session.__name__, Session_v1.__name__, tf_v1.Session.__name__],
            "device_lib": [callable(list_local_devices), callable(device_lib.list_local_devices)],
            "argv": sys.argv,
            "loader": type(model.__loader__).__name__,
        }))
        """,
    "model.py": "import tensorflow as tf\n\ndef double(x):\n    return x * 2\n",
    "package/__init__.py": "",
    "package/layers.py": "from .names import tf\n",
    "package/names.py": "import tensorflow as tf\n",
    "space/inner.py": "import tensorflow as tf\n",
    "../site-packages/installed.py": "import tensorflow as tf\n",
}
SESSION = "import tensorflow as tf\nwith tf.Session() as s:\n    print(s.run(tf.constant(3)))\n"


def _with_installed(bench):
    import os

    paths = [str(bench.directory.parent / "site-packages"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.mark.parametrize("options", in_ci_or_proof([[], ["--report"]], [["--report"]]), ids=" ".join)
def test_a_program_of_many_files(bench, options):
    bench.write(TREE)
    done = bench.tf1mem("run", *options, "train.py", "--epochs", "3", env=_with_installed(bench))
    assert done.code == 0, done.err
    printed = json.loads(done.out.splitlines()[-1])
    rewritten = not ON_TF1 or bool(options)
    assert printed["names"] == [("tf1mem.v1" if rewritten else "tensorflow")] * 6
    assert printed["loader"] == ("RewrittenFile" if rewritten else "SourceFileLoader")
    assert printed["installed"].split(".")[0] in ("tensorflow", "tensorflow_core")
    assert printed["doubled"] == [2.0, 4.0]
    assert printed["argv"] == ["train.py", "--epochs", "3"]
    assert printed["version_1"]
    assert all(printed["device_lib"])
    assert all(printed["dynamic"])
    assert all(name.endswith("Session") for name in printed["sessions"])
    if options:
        assert "gpu_options.allow_growth" in done.err
    assert not list(bench.directory.rglob("*.pyc"))


COMPARES = """
import tensorflow as tf
from tensorflow import Tensor
x, v = tf.constant(1), tf.Variable(1)
print(type(x) is tf.Tensor, type(x) == Tensor, x.__class__ in (tf.Operation, tf.Tensor), tf.Tensor is not type(x))
print(type(v) is tf.Tensor, type(x.op) in [tf.Tensor], isinstance(x, tf.Tensor), type(1) is not Tensor, type(1) is int)
Tensor = x.__class__
print(Tensor is tf.Tensor, type(x) == Tensor, type(v) == Tensor, type(x) in (int, Tensor))
print({tf.Tensor: "t"}[type(x)], [tf.Tensor] == [type(each) for each in [x]], type(x).__name__)
def type(of): return of
class Tensor(object): pass
print(type(Tensor) is Tensor, type(tf.Tensor) is tf.Tensor, Tensor().__class__ is Tensor)
"""


def test_a_graph_s_tensors_are_of_the_class_that_they_were_of(bench):
    bench.write({"script.py": COMPARES})
    done = bench.warm_tf1mem("run", "script.py")
    expected = ["True True True False", "False False True True True", "True True False True", "t True Tensor"]
    expected += ["True True True"]
    assert done.out.splitlines() == expected, done.err


def test_the_version_that_a_program_sees(bench):
    names = "tf.__version__, tf.VERSION, tf.version.VERSION, tf.compat.v1.__version__"
    bench.write({"script.py": f"import tensorflow as tf\nprint({names})\n"})
    assert bench.warm_tf1mem("run", "--tf-version", "1.15.5", "script.py").out == "1.15.5 1.15.5 1.15.5 1.15.5\n"
    installed = tuple(map(int, bench.warm_tf1mem("run", "script.py").out.split()[2].split(".")[:2]))
    assert installed == (installed_version().major, installed_version().minor)
    refused = bench.warm_tf1mem("run", "--tf-version", "old", "script.py")
    assert refused.code == 2
    assert "it takes a version" in refused.err
    assert bench.warm_tf1mem("run", "--tf-version", "1.15.0-rc3", "script.py").out.split()[0] == "1.15.0-rc3"
    refused = bench.warm_tf1mem("run", "script.py", env={"TF1MEM_TF_VERSION": "old"})
    assert refused.code == 2
    assert "TF1MEM_TF_VERSION='old' is malformed" in refused.err


def test_numpy_takes_tensors_in_a_list_for_objects(bench):
    lines = ["import numpy as np", "import tensorflow as tf", "a, b = tf.constant(1.0), tf.constant(2.0)", "x = [a, b]"]
    bench.write({"script.py": "\n".join([*lines, "print(np.array(x).shape, np.size(x), np.sum(x).dtype.name)\n"])})
    assert bench.warm_tf1mem("run", "script.py").out == "(2,) 2 float32\n"


def test_no_stale_code_from_a_run_without_tf1mem(bench):
    bench.write({"script.py": "import helper\nprint(helper.f())\n"})
    bench.write(
        {
            "helper.py": "def f():\n    try:\n        import tensorflow as tf\n    except ImportError:\n        pass\n"
            "    return tf.Session.__name__\n"
        }
    )
    bench.python("-c", "import py_compile; py_compile.compile('helper.py')")
    done = bench.warm_tf1mem("run", "script.py")
    assert (done.code, done.out.strip()) == (0, "Session"), done.err


def test_config_and_report(bench):
    names = "tf.mul, tf.contrib.framework.nest, hasattr(tf.contrib, 'nowhere'), tf.train.Saver\n"
    if installed_version().release < (2, 16) or find_spec("tf_keras"):
        names += "import tf_slim.nets.vgg as vgg, tf_slim\n"
        names += "assert vgg.vgg_16 and tf_slim.conv2d is tf.contrib.slim.conv2d\n"
    bench.write(
        {
            "script.py": SESSION + ("" if ON_TF1 else names),
            "c.json": '{"gpu_options": {"allow_growth": true}, "intra_op_parallelism_threads": 2}',
        }
    )
    done = bench.warm_tf1mem("run", "--config", "c.json", "--report", "script.py")
    assert (done.code, done.out.strip()) == (0, "3"), done.err
    assert "gpu_options.allow_growth" in done.err
    assert "intra_op_parallelism_threads" in done.err
    if not ON_TF1:
        line = len(SESSION.splitlines()) + 1
        assert f"  tf.mul, script.py:{line}: tf.multiply since TensorFlow 1.0\n" in done.err
        assert f"  tf.contrib.framework.nest, script.py:{line}\n" in done.err
        assert f"  tf.contrib.nowhere, script.py:{line}: Nothing replaces it" in done.err
        assert "Saver" not in done.err
        assert "tf.Session" not in done.err


# A program that prints in each phase: before TensorFlow's import, after it, and in the first run of a Session.
LOUD = """
import os, sys
os.write(2, b"first\\n")
import tensorflow as tf
from tensorflow.python.platform import tf_logging

def act(x):
    os.write(2, b"in the first run\\n")
    {}
    return x

tf.compat.v1.disable_eager_execution()
tf_logging.warning("between")
with tf.compat.v1.Session() as session:
    x = tf.compat.v1.placeholder(tf.float32)
    session.run(tf.py_function(act, [x], tf.float32), {{x: 1}})
tf_logging.warning("last")
"""
SAYS = ["first", "WARNING:tensorflow:between", "in the first run"]


@pytest.mark.parametrize(
    ("act", "says"),
    [
        ("pass", [*SAYS, "WARNING:tensorflow:last"]),
        pytest.param("os.abort()", [*SAYS, "Fatal Python error: Aborted"], marks=pytest.mark.proof),
        pytest.param("raise ValueError('mine')", [*SAYS, "ValueError: mine"], marks=pytest.mark.proof),
    ],
    ids=["ends", "aborts", "raises"],
)
def test_stderr_is_the_program_s_without_the_log_of_tensorflow_s_start(bench, act, says):
    bench.write({"script.py": LOUD.format(act)})
    env = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    # TensorFlow 1.13's import makes NumPy warn, as under Python itself.
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-m", "tf1mem", "run", "script.py"]
    done = subprocess.run(
        command, capture_output=True, check=False, encoding="utf-8", env=env, cwd=str(bench.directory)
    )
    lines = [line for line in done.stderr.splitlines() if line]
    assert lines[:3] == SAYS
    assert says[-1] in done.stderr
    assert act != "pass" or lines == says


REMARK = "What TensorFlow logs as it starts is left out; -v shows it.\n"


@pytest.mark.parametrize(
    ("options", "level", "remark"),
    [
        ([], None, REMARK),
        pytest.param(["-v"], None, "", marks=pytest.mark.proof),
        pytest.param([], "0", "", marks=pytest.mark.proof),
    ],
    ids=["", "verbose", "a level of the user's"],
)
def test_the_log_of_tensorflow_s_start_is_shown_on_request(bench, options, level, remark):
    bench.write({"script.py": SESSION})
    env = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    if level is not None:
        env["TF_CPP_MIN_LOG_LEVEL"] = level
    command = [sys.executable, "-m", "tf1mem", "run", "--report", *options, "script.py"]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", env=env, cwd=str(bench.directory))
    assert done.stderr.endswith(remark), done.stderr
    assert ("cpu_feature_guard.cc" in done.stderr, REMARK in done.stderr) == (not remark, bool(remark)), done.stderr


# Lines that print two settings of a Session, which may have been made without a config.
HELD = "    held = s._config\n    print(held.intra_op_parallelism_threads, held.log_device_placement)\n"


@pytest.mark.skipif(ON_TF1, reason="Sessions without a config look otherwise there")
def test_variables_hold_for_a_program_without_a_config(bench):
    bench.write({"script.py": "import tensorflow as tf\nwith tf.Session() as s:\n" + HELD})
    done = bench.warm_tf1mem("run", "--report", "script.py", env={"TF1MEM_LOG_PLACEMENT": "true"})
    assert done.out.splitlines()[-1] == "0 True", done.err
    assert "log_device_placement" in done.err


def test_overrides_and_settings_without_effect_have_lines(bench):
    config = "tf.ConfigProto(intra_op_parallelism_threads=4, log_device_placement=True)"
    bench.write(
        {
            "script.py": f"import tensorflow as tf\nwith tf.Session(config={config}) as s:\n" + HELD,
            "rules.json": '{"intra_op_parallelism_threads": 2}',
        }
    )
    env = {"TF1MEM_MEMORY_FRACTION": "0.3", "TF1MEM_LOG_PLACEMENT": "false"}
    done = bench.warm_tf1mem("run", "--override", "rules.json", "--report", "script.py", env=env)
    assert done.out.splitlines()[-1] == "2 True", done.err
    stderr = " ".join(done.err.split())
    assert "intra_op_parallelism_threads 4 overridden" in stderr
    assert "--override rules.json overrides the program, and sets intra_op_parallelism_threads=2" in stderr
    assert "per_process_gpu_memory_fraction 0.3 no effect" in stderr
    assert "log_device_placement (default) no effect TF1MEM_MEMORY_FRACTION, TF1MEM_LOG_PLACEMENT is for" in stderr
    assert "gpu_options.allow_growth" not in stderr  # neither the program nor an option has set it
    # Even without --report, a setting of the program that isn't in force is reported.
    assert "intra_op_parallelism_threads=4: overridden (--override rules.json overrides" in stderr


def test_an_override_of_a_program_that_starts_nothing_has_a_line(bench):
    bench.write({"script.py": "print('done')\n", "rules.json": '{"intra_op_parallelism_threads": 2}'})
    done = bench.tf1mem("run", "--override", "rules.json", "--report", "script.py")
    assert (done.code, done.out) == (0, "done\n")
    stderr = " ".join(done.err.split())
    assert "--override rules.json has no effect: the program never started TensorFlow's runtime" in stderr


def test_the_report_comes_last_also_when_the_program_fails(bench):
    bench.write({"script.py": "import atexit, sys\natexit.register(print, 'bye', file=sys.stderr)\n1 / 0\n"})
    done = bench.tf1mem("run", "--report", "script.py")
    plain = bench.python("script.py")
    assert done.code == 1
    assert done.err == plain.err + "tf1mem: nothing applied in this process\n"


@pytest.mark.parametrize(
    ("ending", "code"),
    [("import sys; sys.exit(3)", 3), ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", None), ("return", 1)],
)
def test_the_report_and_the_exit_status(bench, ending, code):
    bench.write({"script.py": ending})
    done = bench.tf1mem("run", "--report", "script.py")
    plain = bench.python("script.py")
    assert done.code == plain.code
    assert code is None or done.code == code
    assert done.err == plain.err + "tf1mem: nothing applied in this process\n"


def test_children_do_not_report(bench):
    bench.write(
        {
            "script.py": "import os, sys\npid = os.fork()\nif pid == 0:\n    sys.exit(0)\nos.waitpid(pid, 0)\n"
            "import multiprocessing as mp\np = mp.get_context('fork').Process(target=print)\np.start(); p.join()\n"
        }
    )
    done = bench.tf1mem("run", "--report", "script.py")
    assert done.err.count("nothing applied") == 1


def test_a_bad_setting_in_the_program_is_the_programs(bench):
    bench.write(
        {
            "script.py": "import tensorflow as tf\n"
            "config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=-1))\n"
            "tf.Session(config=config)\n"
        }
    )
    done = bench.warm_tf1mem("run", "--report", "script.py")
    assert done.code == 1
    assert (
        'Traceback (most recent call last):\n  File "{}'.format(
            bench.directory / "script.py" if sys.version_info >= (3, 9) else "script.py"
        )
        in done.err
    )
    assert "SettingError: gpu_options.per_process_gpu_memory_fraction" in done.err


def test_a_program_without_tensorflow_does_not_load_it(bench):
    bench.write(
        {
            "script.py": "import sys\nprint(sorted({'tensor' + 'flow', 'numpy', 'google.protobuf', 'packaging', 'rich',"
            " 'tf1mem.machine.runtime', 'tf1mem.machine.tensor' + 'flow', 'click'} & set(sys.modules)))\n"
        }
    )
    assert bench.tf1mem("run", "script.py").out == "[]\n"


@pytest.mark.parametrize("method", in_ci_or_proof(["spawn", "forkserver"], ["spawn"]))
def test_children_that_start_afresh(bench, method):
    bench.write(
        {
            "script.py": """
                import multiprocessing as mp
                import tensorflow as tf
                import helper

                class Answer:
                    def __init__(self, *items):
                        self.items = items

                def work(n):
                    with tf.Session() as session:
                        return Answer(int(session.run(tf.constant(n))), tf.__name__, helper.tf.__name__, __name__)

                if __name__ == "__main__":
                    with mp.get_context("METHOD").Pool(1) as pool:
                        print(*pool.map(work, [5])[0].items)
                """.replace("METHOD", method),
            "helper.py": "import tensorflow as tf\n",
            "c.json": '{"intra_op_parallelism_threads": 2}',
        }
    )
    options = ["--config", "c.json"] if method == "spawn" else []
    name = "tensorflow" if ON_TF1 and not options else "tf1mem.v1"
    done = bench.tf1mem("run", *options, "script.py")
    assert done.out == f"5 {name} {name} __mp_main__\n", done.err


def test_a_module_of_the_program(bench):
    bench.write({"package/__init__.py": "", "package/train.py": "from . import names\n" + SESSION})
    bench.write({"package/names.py": "from tensorflow import ConfigProto\n"})
    done = bench.warm_tf1mem("run", "-m", "package.train")
    assert (done.code, done.out) == (0, "3\n"), done.err


@pytest.mark.proof
def test_the_tests_of_a_program_under_pytest(bench):
    bench.write(
        {
            "tests/conftest.py": """
                import pytest

                @pytest.fixture
                def config():
                    import tensorflow as tf
                    return tf.ConfigProto(allow_soft_placement=True)
                """,
            "tests/test_model.py": """
                def test_passes(config):
                    assert config.allow_soft_placement

                def test_fails():
                    import tensorflow as tf
                    assert [tf.Session.__name__] == ["none"]
                """,
        }
    )

    def kept():
        return {path.name: path.read_bytes() for path in bench.directory.rglob("*-pytest-*.pyc")}

    def under(run, *options):
        return run("-m", "pytest", "-q", *options, "tests", env={"PYTHONDONTWRITEBYTECODE": ""})

    under(bench.python, "-k", "nothing")
    before = kept()
    assert len(before) == 2
    done = under(lambda *args, **options: bench.tf1mem("run", *args, **options))
    assert (done.code, "1 failed, 1 passed" in done.out) == (1, True), done.out
    assert "assert ['Session'] == ['none']" in done.out, done.out
    # Neither run uses the other's cache of rewritten modules.
    assert kept() == before


def test_a_script_on_standard_input(bench):
    bench.write({"helper.py": "from tensorflow import ConfigProto\n"})
    done = bench.tf1mem("run", "--report", "-", stdin="import helper\n" + SESSION)
    assert (done.code, done.out) == (0, "3\n"), done.err


def test_a_zip_file(bench):
    import zipapp

    bench.write(
        {"app/__main__.py": "import helper\n" + SESSION, "app/helper.py": "from tensorflow import ConfigProto\n"}
    )
    zipapp.create_archive(str(bench.directory / "app"))
    done = bench.warm_tf1mem("run", "app.pyz")
    assert (done.code, done.out) == (0, "3\n"), done.err
