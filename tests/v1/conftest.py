"""A fresh Python for each scenario: what tf1mem.v1 sets up holds for a whole process."""

import os
import subprocess
import sys
import textwrap

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PRELUDE = """\
import os, sys
import tf1mem.runtime
VERSION = tf1mem.runtime.installed_version().release[:2]
TF1 = VERSION < (2, 0)
KERAS_3 = VERSION >= (2, 16)

def raised(kind, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        return error
    raise AssertionError("%s not raised" % kind)

def run(source):
    exec(compile(source, "program.py", "exec"), {"__name__": "program"})

def has(package):
    from importlib.util import find_spec
    return find_spec(package) is not None

"""


@pytest.fixture
def scenario(tmp_path):
    """Runs a script after PRELUDE and returns what it printed; it fails the test if the script does."""

    def run(script, env=None):
        path = tmp_path / "scenario.py"
        path.write_text(PRELUDE + textwrap.dedent(script), encoding="utf-8")
        environ = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
        environ.pop("TF_USE_LEGACY_KERAS", None)
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, [ROOT, environ.get("PYTHONPATH")]))
        environ.update(env or {})
        done = subprocess.run(
            [sys.executable, str(path)],
            env=environ,
            cwd=str(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        run.stderr = done.stderr
        return done.stdout

    return run
