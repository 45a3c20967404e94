"""Programs and files that can't be compared end with their reason, and leave nothing behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Dict

import pytest

from tests.processes.environment import clean
from tests.verifying import forked
from tests.verifying.test_sides import until
from tf1mem.errors import VerifyError
from tf1mem.machine import child
from tf1mem.verifying import old, recordings
from tf1mem.verifying.places import place_of
from tf1mem.verifying.recording.notes import SAMPLES, SCHEMA, Notes
from tf1mem.verifying.sides import Process
from tf1mem.verifying.verify import Request, Verification, work_folder

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
# The first process of this program starts four others. One of them is a fork that ends like the first process.
STARTS_OTHERS = """\
import multiprocessing, os, subprocess, sys
subprocess.check_call([sys.executable, "-S", "-c", ""])
subprocess.check_call(["true"])
os.system(sys.executable + " -S -c ''")
process = multiprocessing.get_context("fork").Process(target=int)
process.start()
process.join()
if os.fork() == 0:
    sys.exit(0)
os.wait()
"""
TRAINS = """\
import os
import tf1mem.v1 as tf

weight = tf.get_variable("weight", [2], initializer=tf.ones_initializer())
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.nn.l2_loss(weight))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        sess.run(train)
"""
# Asserts the weights without moves, 0.81 after two steps: the second run with moved weights ends with others.
FAILS_IF_MOVED = TRAINS + "    assert (sess.run(weight) == sess.run(weight * 0 + 0.81)).all(), 'moved'\n"


def test_processes_are_counted_and_forks_write_no_notes(warm, tmp_path):
    result = forked.certificate(warm, tmp_path, STARTS_OTHERS, STARTS_OTHERS)
    assert result["verdict"] == "not compared"
    assert "it started 4 processes, and only its first process is recorded" in result["reason"]


def test_a_program_that_prints_bytes_and_ends_at_once_is_recorded(warm, tmp_path):
    source = TRAINS + "os.write(1, bytes(range(256)))\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nos._exit(0)\n"
    result = forked.certificate(warm, tmp_path, source, source)
    assert (result["verdict"], result["old"]["steps"], result["new"]["steps"]) == ("same", 2, 2), result["reason"]
    assert "Not compared: 1 process that the program started." in result["notes"]


def test_rounding_needs_a_run_with_moved_weights(warm, tmp_path):
    result = forked.certificate(warm, tmp_path, FAILS_IF_MOVED, FAILS_IF_MOVED)
    assert result["verdict"] == "not compared"
    assert result["reason"].startswith("rounding can't be measured: the old side with moved weights failed after 2 ")


# From its fourth run on, after two with moved weights, it learns faster; it counts its runs in a file.
CHANGES = """\
with open(PATH, "a") as file:
    file.write("x")
fast = len(open(PATH).read()) > 3
""" + TRAINS.replace("Optimizer(0.1)", "Optimizer(0.3 if fast else 0.1)")


@pytest.mark.parametrize("repeats", [True, False])
def test_a_difference_needs_an_old_side_that_repeats_itself(repeats, warm, tmp_path):
    old = TRAINS if repeats else f"PATH = {str(tmp_path / 'count')!r}\n" + CHANGES
    result = forked.certificate(warm, tmp_path, old, TRAINS.replace("Optimizer(0.1)", "Optimizer(0.2)"))
    if repeats:
        assert result["verdict"] == "different"
        return
    assert (result["verdict"], result["first_difference"]) == ("not compared", None)
    assert "run again as it was, it differs from its own first run" in result["reason"]
    assert result["reason"].endswith("Step 0 changes weight:0 differently, by 0.22 of its largest value.")
    assert [note for note in result["notes"] if note.startswith("The two sides differ, too. ")]


def test_a_file_outside_of_the_copy_is_named(warm, tmp_path):
    (tmp_path / "data.txt").write_text("1", encoding="utf-8")
    result = forked.certificate(warm, tmp_path, "open('../data.txt')\n" + TRAINS, TRAINS)
    assert result["verdict"] == "not compared"
    copied = f"It ran in a copy of {tmp_path / 'files'}: --root names a folder with all files that it reads"
    assert result["reason"].endswith(f"No such file or directory: '../data.txt'. {copied}")


def test_a_full_disk_is_named(warm, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("", encoding="utf-8")
    place = place_of(str(program))

    class OnFullDisk(forked.forked(warm)):  # type: ignore[misc]
        def start(self, *how):
            (self.folder / SAMPLES).symlink_to("/dev/full")
            super().start(*how)

    with pytest.raises(VerifyError, match="has no room left"), work_folder() as work:
        Verification(Request(str(program), []), place, place, "", work, lambda _: None, OnFullDisk).certificate()
    assert not work.exists()


@pytest.mark.parametrize("phase", ["base", "traced-new"])
def test_ctrl_c_while_sides_run(phase, warm, tmp_path):
    """Ctrl-C ends the first or the last run of a program that differs, and no folder is left."""

    def show(processes):
        if phase in [process.folder.name for process in processes]:
            raise KeyboardInterrupt

    (tmp_path / "program.py").write_text(TRAINS, encoding="utf-8")
    (tmp_path / "new.py").write_text(TRAINS.replace("Optimizer(0.1)", "Optimizer(0.2)"), encoding="utf-8")
    places = [place_of(str(tmp_path / name)) for name in ("program.py", "new.py")]
    request = Request(str(tmp_path / "program.py"), [], str(tmp_path / "new.py"))
    with pytest.raises(KeyboardInterrupt), work_folder() as work:
        Verification(request, *places, sys.executable, work, show, forked.forked(warm)).certificate()  # type: ignore[call-arg]
    assert not work.exists()


def test_ctrl_c_while_a_side_is_started(tmp_path):
    """Ctrl-C comes when the process exists, but no call has returned it yet."""
    (tmp_path / "program.py").write_text("import time\ntime.sleep(3600)\n", encoding="utf-8")
    started = []

    class Interrupted(Process):
        def start(self, *how):
            super().start(*how)
            started.append(self._child)
            raise KeyboardInterrupt

    place = place_of(str(tmp_path / "program.py"))
    with pytest.raises(KeyboardInterrupt), work_folder() as work:
        Verification(
            Request(str(tmp_path / "program.py"), []), place, place, sys.executable, work, lambda _: None, Interrupted
        ).certificate()
    assert [each.wait(300) for each in started] == [-signal.SIGKILL]
    assert not work.exists()


class Interrupting(Dict[str, Path]):
    """Folders to pack, which raise an exception after the first one has been read."""

    def __init__(self, first, error):
        super().__init__(base=first)
        self._error = error

    def items(self):
        yield from super().items()
        raise self._error


@pytest.mark.parametrize(
    ("error", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(errno.ENOSPC, "no room"), VerifyError)]
)
def test_a_recording_that_is_not_written_whole_is_removed(error, raised, tmp_path):
    (tmp_path / "base").mkdir()
    Notes(str(tmp_path / "base")).write()
    with pytest.raises(raised):
        recordings.pack(tmp_path / "file", Interrupting(tmp_path / "base", error), {})
    assert [path.name for path in tmp_path.iterdir()] == ["base"]


def test_a_signal_ends_make_old(tmp_path):
    """Uv is killed, and the partial environment is removed."""
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    pid = tmp_path / "pid"
    uv.write_text(
        f"#!/bin/sh\nmkdir -p $5\necho $$ > {pid}.part\nmv {pid}.part {pid}\nexec sleep 3600\n", encoding="utf-8"
    )
    uv.chmod(0o755)
    environment = clean(PATH=f"{uv.parent}:{os.environ['PATH']}", TF1MEM_VERIFY_CACHE=str(tmp_path / "cache"))
    command = [sys.executable, "-m", "tf1mem", "verify", "--make-old"]
    with subprocess.Popen(command, env=environment) as making:
        until(lambda: pid.exists() or making.poll() is not None)
        parts = [path.suffix for path in (tmp_path / "cache").iterdir()]
        making.send_signal(signal.SIGTERM)
    assert parts == [".part"]
    assert making.returncode == 128 + signal.SIGTERM
    assert list((tmp_path / "cache").iterdir()) == []
    until(lambda: not Path("/proc", pid.read_text(encoding="utf-8").strip()).exists())


def test_the_old_side_needs_no_packages():
    command = [sys.executable, "-S", *child.python(old._PRINT_VERSION)[1:]]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "None\n"), done.stderr


def test_a_module_that_the_old_side_lacks_is_named(tmp_path):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import no_such_module.part'\n", encoding="utf-8")
    python.chmod(0o755)
    with pytest.raises(VerifyError, match=r"lacks no_such_module\. .*python -m pip install no_such_module"):
        old.find(str(python))


def packed(folder: Path) -> Path:
    """Returns a file with the recording of a program that did nothing."""
    notes = folder / "base"
    notes.mkdir()
    Notes(str(notes)).write()
    recordings.pack(folder / "file", {"base": notes}, {})
    return folder / "file"


def test_a_part_of_a_recording_is_named(tmp_path):
    whole = packed(tmp_path).read_bytes()
    assert recordings.unpack(tmp_path / "file", tmp_path / "unpacked")["schema"] == SCHEMA
    for size in range(0, len(whole), 7):
        (tmp_path / "part").write_bytes(whole[:size])
        with pytest.raises(VerifyError, match="is not a recording, or only a part of one"):
            recordings.unpack(tmp_path / "part", tmp_path / "unpacked")


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ("{}", "another version of tf1mem"),
        ('{"schema": 99}', "another version of tf1mem"),
        ("[1]", "is not a recording"),
        (f'{{"schema": {SCHEMA}}}', "is not a recording"),
    ],
)
def test_a_file_that_is_no_recording_is_named(about, message, tmp_path):
    with zipfile.ZipFile(tmp_path / "file", "w") as archive:
        archive.writestr("about.json", about)
    with pytest.raises(VerifyError, match=message):
        recordings.unpack(tmp_path / "file", tmp_path / "unpacked")


FAILS = """\
import tf1mem.v1 as tf
from tf1mem.verifying.recording.causes import cause

indices = tf.placeholder(tf.int32, [1])

@tf.function
def traced(x):
    raise ValueError("one thing\\nand another")

def gather():
    with tf.Session() as sess:
        sess.run(tf.gather([1.0, 2.0], indices), {indices: [9]})

def two():
    with tf.Session() as sess:
        sess.run([tf.gather([1.0, 2.0], indices), tf.gather([1.0, 3.0], indices)], {indices: [9]})

def own():
    raise OSError("no such thing\\nat all")

for fails in (gather, two, own, lambda: traced(tf.constant(1.0))):
    try:
        fails()
    except Exception as error:
        print(cause(str(error)))
"""


def test_a_failure_is_named_without_its_stacks(python):
    gathered, *others = python(FAILS).splitlines()
    assert gathered == "indices[0] = 9 is not in [0, 2)"
    assert others[0].endswith(gathered)
    assert others[1:] == ["no such thing", "and another"]
