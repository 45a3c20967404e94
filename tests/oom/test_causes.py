"""Programs run out of memory for each possible cause, and the note on the error names that cause."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.version import Version

from tf1mem.machine.tensorflow import installed_version

ROOT = Path(__file__).resolve().parents[2]
VERSION = installed_version() or Version("0")
NO_MEMORY_INFO = VERSION.release[:2] == (2, 0)  # TensorFlow 2.0 doesn't report the memory in use
EAGER = Version("2.4rc0") <= VERSION

pytestmark = pytest.mark.skipif(Version("1.14") > VERSION, reason="the simulator is for TensorFlow 1.14 and up")
eagerly = pytest.mark.skipif(not EAGER, reason="eager programs are written for TensorFlow 2.4 and up")

# The fixture `outcomes` (conftest.py) runs each program, and describes the options of its simulated GPUs. The programs
# begin with conftest's START, which defines tf1, MIB, filling, exhaust and tell.
PROGRAMS = {
    "fraction": """
        tf1.disable_eager_execution()
        config = tf1.ConfigProto()
        config.gpu_options.per_process_gpu_memory_fraction = 0.25  # the cap
        config.gpu_options.allow_growth = True
        total, feed = filling(3 * 1024)

        def train():
            with tf1.Session(config=config) as sess:  # which closes before the error gets to explain_oom
                sess.run(total, feed)

        tell(exhaust(train))
        """,
    "session_without_config": (
        """
        tf1.disable_eager_execution()
        total, feed = filling(4 * 1024)
        sess = tf1.Session()
        tell(exhaust(lambda: sess.run(total, feed)))
        """,
        {"gpus": ("8GiB", "10GiB"), "used": ("5GiB", 0)},
    ),
    "not_even_a_scratch_buffer": (
        """
        tf1.disable_eager_execution()
        config = tf1.ConfigProto()
        config.gpu_options.allow_growth = True
        total, feed = filling(1)
        sess = tf1.Session(config=config)
        tell(exhaust(lambda: sess.run(total, feed)))
        """,
        {"used": "8589933568B"},  # all but 1 KiB
    ),
    "another_process": (
        """
        import subprocess
        holder = subprocess.Popen([sys.executable, "-S", "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout.readline() == b"held\\n"
        print("holder", holder.pid)
        tf1.disable_eager_execution()
        config = tf1.ConfigProto()
        config.gpu_options.per_process_gpu_memory_fraction = 0.9
        config.gpu_options.allow_growth = True
        total, feed = filling(2 * 1024)
        sess = tf1.Session(config=config)
        tell(exhaust(lambda: sess.run(total, feed)))
        holder.communicate(b"\\n")
        """
    ),
    "thread": """
        import threading
        tf1.disable_eager_execution()
        total, feed = filling(9 * 1024)
        sess = tf1.Session()
        with tf1mem.explain_oom():
            thread = threading.Thread(target=lambda: sess.run(total, feed))
            thread.start()
            thread.join()
        """,
    "monitored": """
        tf1.disable_eager_execution()
        total, feed = filling(9 * 1024)
        tf1.train.get_or_create_global_step()
        def train():
            with tf1.train.MonitoredSession() as sess:
                sess.run(total, feed)
        error = exhaust(train)
        first = oom.note_of(error)
        with_note = list(error.__notes__)
        try:
            with tf1mem.explain_oom(), tf1mem.explain_oom():
                raise error
        except tf.errors.ResourceExhaustedError as again:
            assert again is error and again.__notes__ == with_note
        tell(error)
        """,
}
if EAGER:
    PROGRAMS.update({
        "fragments": """
            tf1mem.apply(tf1mem.config(memory_fraction=0.1))
            with tf.device("/gpu:0"):
                keep = [tf.zeros([40, MIB // 4]) for _ in range(19)][::2]
                tell(exhaust(lambda: keep.append(tf.zeros([320, MIB // 4]))))
            """,
        "regions": """
            tf1mem.apply(tf1mem.config(memory_fraction=0.1, allow_growth=True))
            with tf.device("/gpu:0"):
                keep = [tf.zeros([48, MIB // 4]) for _ in range(12)][::2]
                tell(exhaust(lambda: keep.append(tf.zeros([450, MIB // 4]))))
            """,
        "split": (  # type: ignore[dict-item]
            """
            part = lambda limit: tf.config.LogicalDeviceConfiguration(memory_limit=limit)
            gpus = tf.config.list_physical_devices("GPU")
            tf.config.set_logical_device_configuration(gpus[0], [part(1000), part(3000)])  # the split
            # TensorFlow 2.10 accepts logical devices for all GPUs or none.
            tf.config.set_logical_device_configuration(gpus[1], [part(7000)])
            keep = []
            with tf.device("/gpu:0"):
                tell(exhaust(lambda: [keep.append(tf.zeros([400, MIB // 4])) for _ in range(3)]))
            """,
            {"gpus": ("8GiB", "8GiB")},
        ),
        "limit": (  # type: ignore[dict-item]
            """
            gpu = tf.config.list_physical_devices("GPU")[0]
            tf.config.set_logical_device_configuration(
                gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=1000)]  # the cap
            )
            with tf.device("/gpu:0"):
                step = tf.function(lambda n: tf.zeros([n, MIB // 4]) + 1.0)
                tell(exhaust(lambda: step(tf.constant(1500))))
            """,
            {"env": {"TF_FORCE_GPU_ALLOW_GROWTH": "true"}},
        ),
        "ignored": """
            with tf.device("/gpu:0"):
                tf.zeros([1])
            config = tf1.ConfigProto()
            config.gpu_options.per_process_gpu_memory_fraction = 0.25
            with tf.Graph().as_default():
                total, feed = filling(7.9 * 1024)
                sess = tf1.Session(config=config)
                tell(exhaust(lambda: sess.run(total, feed)))
            """,
        "keras": """
            model = tf.keras.Sequential([tf.keras.layers.Dense(2**16)])
            model.compile("sgd", "mse", run_eagerly=True)
            data = np.zeros([2, 2**16], np.float32)
            tell(exhaust(lambda: model.fit(data, data, verbose=0)))
            """,
    })  # fmt: skip


def line_of(outcome, text: str) -> str:
    """Returns the number of a program's first line that contains a text."""
    lines = outcome.script.read_text(encoding="utf-8").splitlines()
    return str(1 + next(place for place, line in enumerate(lines) if text in line))


@pytest.mark.proof
def test_a_gpu_without_room_for_the_scratch_buffer_of_tensorflow(outcomes):
    outcome = outcomes["not_even_a_scratch_buffer"]
    assert outcome.type == "FailedPreconditionError", outcome.err
    assert "tf1mem: out of memory on GPU:0" in outcome.note
    assert "processes that the driver doesn't name" in outcome.note


def flat(note: str) -> str:
    """Returns the note in one line, without the line breaks of wrapping."""
    return re.sub(r"\s+", " ", note)


def test_a_fraction_is_shown_with_its_line_and_a_larger_one_is_advised(outcomes):
    outcome = outcomes["fraction"]
    note = flat(outcome.note)
    assert outcome.type == "ResourceExhaustedError", outcome.err
    assert "on GPU:0 (Simulated GPU) asked for 3 GiB (3,221,225,472 bytes): float [3072,262144], for Fill" in note
    assert "cap 2 GiB (2,147,483,648 bytes): per_process_gpu_memory_fraction=0.25, of the Session's config" in note
    assert "fraction.py:{}, passed to TensorFlow by ".format(line_of(outcome, "# the cap")) in note
    assert "growth on: allow_growth=True, set by " in note
    assert "8 GiB (8,589,934,592 bytes)," in note
    assert "no other process on it" in note
    if NO_MEMORY_INFO:
        assert "3 GiB is more than the whole cap" in note
        assert "not known what is in use (TensorFlow 2.0 doesn't report it)" in note
        return
    assert re.search(r"with 1536 this tensor takes 1.5 GiB, and (2|1\.9\d*) GiB are free", note)
    assert "a larger fraction: 0.38 at least (3 GiB); 8 GiB of the GPU's 8 GiB are available" in note
    assert "not known" not in note


def test_no_setting_beside_other_processes_and_a_gpu_with_room(outcomes):
    note = flat(outcomes["session_without_config"].note)
    assert "no setting, TensorFlow's default" in note, outcomes["session_without_config"].err
    assert "growth off" in note
    assert "5 GiB by processes that the driver doesn't name" in note
    assert re.search(r"moving to GPU:1, which this process sees: it has \d+(\.\d+)? GiB", note) or not EAGER
    assert "fraction:" not in note, "no fraction was set, so none can be raised"


def test_a_process_that_holds_nearly_all_is_named(outcomes):
    outcome = outcomes["another_process"]
    holder = outcome.out.split()[1]
    note = flat(outcome.note)
    assert f"7 GiB by process {holder} (python" in note, outcome.err
    assert re.search(r"but only (1 GiB|1022 MiB|1023 MiB) are free on the GPU", note)
    assert re.search(rf"growth or a fraction in process {holder} \(python\S*\), if it is TensorFlow", note)
    assert "waiting for the GPU's other processes, or ending them: they hold 7 GiB" in note
    assert "larger fraction" not in note, "0.9 was enough: the GPU is full"


def test_an_error_that_ends_a_thread_is_explained(outcomes):
    stderr = outcomes["thread"].err
    assert "Exception in thread" in stderr
    assert stderr.count("tf1mem: out of memory on GPU:0") == 1
    assert "is more than the whole GPU has" in flat(stderr)


def test_an_error_of_a_monitored_session_is_explained_once(outcomes):
    outcome = outcomes["monitored"]
    assert outcome.note.startswith("tf1mem: out of memory on GPU:0"), outcome.err
    # TensorFlow's text has the paths of the stack's files, and the repository's folder may be called tf1mem.
    assert "tf1mem" not in outcome.text.replace(str(ROOT).lstrip("/"), ""), "the error's own text stays"
    assert max(map(len, outcome.note.splitlines())) <= 80


@eagerly
def test_fragmentation(outcomes):
    note = flat(outcomes["fragments"].note)
    assert "per_process_gpu_memory_fraction=0.1, " in note, note  # the value in the program's config
    assert "of tf1mem.apply (tf." in note
    assert "fragments.py:" in note
    assert re.search(r"fragmentation: 4\d\d(\.\d)? MiB are free under the cap, but the largest piece is \d\d", note)
    assert "growth off: the" not in note, "growth is off already"
    assert ("cuda_malloc_async" in note) is (Version("2.8") <= VERSION)


@eagerly
def test_growth_that_took_memory_in_pieces(outcomes):
    note = flat(outcomes["regions"].note)
    if Version("2.22.0rc0") <= VERSION:
        assert "growth on" in note
        return
    assert "fragmentation" in note, outcomes["regions"].err
    assert "growth took the memory in several regions" in note
    assert "growth off: the 819" in note


@eagerly
def test_a_split_gpu(outcomes):
    note = flat(outcomes["split"].note)
    expected = "1000 MiB (1,048,576,000 bytes): a memory limit of 1000 MiB, part 1 of 2 of the GPU, of tf.config"
    assert expected in note, outcomes["split"].err
    assert "split.py:{}".format(line_of(outcomes["split"], "# the split")) in note
    assert "in use 800 MiB" in note
    assert "another split: the GPU's 2 logical devices have 3.906 GiB together, and GPU:0 needs 1.172 GiB" in note
    assert "moving to GPU:2" in note, "GPU:0 and GPU:1 are parts of one"


@eagerly
def test_a_limit_and_growth_by_environment(outcomes):
    note = flat(outcomes["limit"].note)
    assert "a memory limit of 1000 MiB, of tf.config, set by" in note, outcomes["limit"].err
    assert "growth on: TF_FORCE_GPU_ALLOW_GROWTH=true" in note
    assert re.search(r"a larger limit: 1,50\d MiB at least", note)


@eagerly
def test_a_setting_that_is_not_in_force(outcomes):
    note = flat(outcomes["ignored"].note)
    assert "no setting, TensorFlow's default" in note, outcomes["ignored"].err
    assert "not in force per_process_gpu_memory_fraction=0.25, of the Session's config" in note
    start = int(line_of(outcomes["ignored"], "tf.zeros([1])"))
    assert re.search(rf"started before under other settings \(by .*ignored.py:({start - 1}|{start})\)", note)


@eagerly
def test_an_allocation_of_keras_gets_a_note(outcomes):
    note = flat(outcomes["keras"].note)
    assert "asked for 16 GiB (17,179,869,184 bytes): float [65536,65536]" in note, outcomes["keras"].err
    assert "is more than the whole GPU has" in note
