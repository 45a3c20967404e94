"""Old programs print the same on today's Python and libraries as on those that they were written for."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest
from packaging.version import Version

from tests.era.recording import environment, programs, recorded
from tests.processes.environment import LIMIT_S, clean
from tf1mem.era import LIBRARIES, repairs

# Library -> the beginning of its program's name, if that isn't the library's name.
OF = {"standard_library": "python_3"}
# Outputs are recorded on Python 3.7, for which there is no TensorFlow before 1.13.
RECORDED = [library for library in LIBRARIES if library != "tensorflow"]
pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 9), reason="this Python has libraries of its own time, which need few repairs"
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Returns a function that gives a program's output and reported repairs, and runs each program once."""
    done = {}

    def run(library):
        if library not in done:
            (program,) = [path for path in programs() if path.name.startswith(OF.get(library, library))]
            command = [sys.executable, "-W", "ignore", "-m", "tf1mem", "run", "--report", str(program)]
            folder = tmp_path_factory.mktemp(library)
            process = subprocess.run(
                command,
                cwd=str(folder),
                env=clean(**environment()),
                capture_output=True,
                encoding="utf-8",
                check=False,
                timeout=LIMIT_S,
            )
            done[library] = SimpleNamespace(program=program, out=process.stdout, err=process.stderr)
        return done[library]

    return run


def is_to_come(since):
    library, version = since.split()
    return library != "Python" and Version(metadata.version(library)) < Version(version)


@pytest.mark.parametrize("library", RECORDED)
def test_a_program_prints_the_recorded_output(library, ran):
    run = ran(library)
    assert run.out == recorded(run.program).read_text(encoding="utf-8"), run.err


@pytest.mark.parametrize("library", RECORDED)
def test_every_repair_that_is_needed_here_is_tested_and_reported_once(library, ran):
    run = ran(library)
    lines = run.err.splitlines()
    source = run.program.read_text(encoding="utf-8").splitlines()
    for repair in repairs.of_library(library):
        if repair.is_module or repair.name in ("load", "tocoo") or is_to_come(repair.since):
            # A module's uses are reported; NumPy 1.18 refused pickles, too; `tocoo` only makes `astype` sort; the last
            # isn't needed yet.
            continue
        reported = [line for line in lines if line.startswith(f"repaired: {repair.what} at ")]
        assert len(reported) == 1, (repair, reported)
        place, _, why = reported[0].partition(", which ")
        assert why == f"{repair.since} {repair.did}"
        assert repair.name in source[int(place.rpartition(":")[2]) - 1]
    assert os.path.basename(run.program) in run.err


def test_pandas_3_is_warned_of_once(ran):
    warnings = [line for line in ran("pandas").err.splitlines() if "pandas_0_25.py:4 imports pandas" in line]
    assert len(warnings) == int(Version(metadata.version("pandas")) >= Version("3.0"))


@pytest.mark.proof
def test_flags_are_parsed_as_tensorflow_1_4_did(tmp_path):
    pytest.importorskip("tensorflow")
    (tmp_path / "old.py").write_text(
        "import tensorflow as tf\nflags = tf.app.flags\nflags.DEFINE_integer('batch', 3, 'x')\nFLAGS = flags.FLAGS\n"
        "print(FLAGS._parse_flags(['--batch', '5', '--other']), FLAGS.batch)\n"
        "print(FLAGS._parse_flags(), FLAGS.batch)\n"
        "print([name for name, _ in sorted(FLAGS.__flags.items()) if name == 'batch'])\n"
    )
    command = [sys.executable, "-W", "ignore", "-m", "tf1mem", "run", "--report", "old.py", "--batch=7"]
    done = subprocess.run(
        command, cwd=str(tmp_path), env=clean(), capture_output=True, encoding="utf-8", check=False, timeout=LIMIT_S
    )
    assert done.stdout.splitlines() == ["['--other'] 5", "[] 7", "['batch']"], done.stderr
    assert "repaired: FLAGS._parse_flags at old.py:5, which TensorFlow 1.5 removed" in done.stderr
