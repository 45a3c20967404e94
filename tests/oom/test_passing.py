"""An error that passes through explain_oom stays the same object, with a note.

No GPU is needed: the CPU runs out of memory, too. oneDNN's allocator waits ten seconds before it gives up, so only the
test of `tf1mem run`, which is as users run it, has oneDNN.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.processes.environment import LIMIT_S, clean

WARM = ["tf1mem", "tensorflow"]
AT_ONCE = {"TF_ENABLE_ONEDNN_OPTS": "0"}

START = """
import sys, threading, traceback
import tensorflow as tf
import tf1mem
from tf1mem import oom
tf1 = tf.compat.v1
Oom = tf.errors.ResourceExhaustedError

def exhaust():
    with tf.Graph().as_default(), tf1.Session() as sess:
        shape = tf1.placeholder(tf.int32, [3])
        with tf.device("/cpu:0"):
            full = tf1.fill(shape, 1.0)
        return sess.run(full, {shape: [2**20, 2**12, 2**10]})
"""


@pytest.fixture(scope="module")
def warm(warm_pythons):
    """Returns a warm Python in which the CPU is out of memory at once."""
    return warm_pythons.having(WARM, clean(**AT_ONCE))


def test_the_exception_its_text_and_its_traceback_stay(python):
    printed = python(
        START
        + """
kept = []
def keep():
    try:
        exhaust()
    except Oom as error:
        kept.append((error, str(error), traceback.format_tb(error.__traceback__)))
        raise
try:
    with tf1mem.explain_oom():
        keep()
except Oom as error:
    first, text, lines = kept[0]
    assert error is first and type(error) is Oom and str(error) == text
    assert traceback.format_tb(error.__traceback__)[-len(lines):] == lines
    assert len(traceback.format_tb(error.__traceback__)) == len(lines) + 1
    assert error.__cause__ is None
    print(oom.note_of(error))
"""
    )
    assert printed.startswith("tf1mem: out of memory on the CPU\n  asked for    16 TiB (17,592,186,044,416 bytes)")
    assert "is more than the" in printed
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.proof
def test_decorated_functions_wrapped_errors_and_coroutines(python):
    python(
        START
        + """
import asyncio

@tf1mem.explain_oom()
def plain():
    '''Its own.'''
    exhaust()

@tf1mem.explain_oom()
async def later():
    exhaust()

@tf1mem.explain_oom()
def several():
    assert (yield 1) == 2
    exhaust()

def drawn():
    steps = several()
    assert next(steps) == 1
    steps.send(2)

assert plain.__name__ == "plain" and plain.__doc__ == "Its own."
for call in (plain, lambda: asyncio.new_event_loop().run_until_complete(later()), drawn):
    try:
        call()
    except Oom as error:
        assert oom.note_of(error) and len(error.__notes__) == 1
    else:
        raise SystemExit("nothing was raised")
try:
    with tf1mem.explain_oom():
        try:
            exhaust()
        except Oom as error:
            raise RuntimeError("training failed") from error
except RuntimeError as error:
    assert oom.note_of(error) is None and oom.note_of(error.__cause__)
"""
    )


@pytest.mark.proof
def test_other_errors_get_no_note(python):
    python(
        START
        + """
for error in (ValueError("OOM when allocating tensor"), Oom(None, None, "No space left on device"), KeyError(1)):
    try:
        with tf1mem.explain_oom():
            raise error
    except Exception as same:
        assert same is error and oom.note_of(same) is None and not hasattr(same, "__notes__"), same
for kind in (SystemExit, KeyboardInterrupt, GeneratorExit):
    try:
        with tf1mem.explain_oom():
            raise kind
    except kind as stop:
        assert oom.note_of(stop) is None
"""
    )


@pytest.mark.proof
def test_an_explanation_that_fails_hides_nothing(python):
    printed = python(
        START
        + """
from tf1mem.oom import diagnosis
def broken(*_):
    raise MemoryError("no")
diagnosis.diagnose = broken
try:
    with tf1mem.explain_oom():
        exhaust()
except Oom as error:
    print(oom.note_of(error))
"""
    )
    assert printed == "tf1mem: out of memory\n  could not be explained: MemoryError: no\n"


def test_nothing_is_left_behind(python, tmp_path):
    python(
        START
        + """
import os
before = threading.__dict__.get("excepthook"), threading.__dict__.get("_format_exc")
with tf1mem.explain_oom():
    with tf1mem.explain_oom():
        assert "TF_BFC_MEMORY_DUMP" in os.environ
    assert "TF_BFC_MEMORY_DUMP" in os.environ
assert "TF_BFC_MEMORY_DUMP" not in os.environ
assert (threading.__dict__.get("excepthook"), threading.__dict__.get("_format_exc")) == before
os.environ["TF_BFC_MEMORY_DUMP"] = "mine"
with tf1mem.explain_oom():
    assert os.environ["TF_BFC_MEMORY_DUMP"] == "mine"
assert os.environ["TF_BFC_MEMORY_DUMP"] == "mine"
"""
    )
    assert not list(tmp_path.glob("*tf1mem-oom*"))


@pytest.mark.proof
def test_uncaught_the_note_follows_the_traceback_once_and_in_threads(python):
    python(
        START
        + """
with tf1mem.explain_oom():
    thread = threading.Thread(target=exhaust)
    thread.start()
    thread.join()
    sys.stderr.write("----\\n")
    exhaust()
""",
        status=1,
        env=AT_ONCE,
        fresh=True,
    )
    for part in python.stderr.split("----\n"):
        assert part.count("tf1mem: out of memory on the CPU") == 1, part
        assert part.index("Traceback (most recent call last)") < part.index("tf1mem: out of memory")


@pytest.mark.skipif(find_spec("click") is None, reason="the command needs the extra `cli`")
def test_tf1mem_run_explains(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import tensorflow as tf\n"
        "shape = tf.placeholder(tf.int32, [3])\n"
        "with tf.device('/cpu:0'):\n"
        "    full = tf.fill(shape, 1.0)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(full, {shape: [2**20, 2**12, 2**10]})\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "run", str(script)],
        env=clean(),
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("tf1mem: out of memory on the CPU") == 1
    assert "tf1mem/oom" not in done.stderr
    assert done.stderr.index("train.py") < done.stderr.index("tf1mem: out of memory")
