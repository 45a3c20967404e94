"""`tf1mem.fit_batch` on simulated GPUs; the tests of its search and of bad arguments need none."""

from __future__ import annotations

import math

import pytest
from packaging.version import Version

import tf1mem
from tf1mem.errors import SettingError, SettingTypeError
from tf1mem.machine.tensorflow import installed_version
from tf1mem.oom.batch import _Search

VERSION = installed_version() or Version("0")
EAGER = Version("2.4rc0") <= VERSION
simulated = pytest.mark.skipif(Version("1.14") > VERSION, reason="the simulator is for TensorFlow 1.14 and up")

# The fixture `outcomes` (conftest.py) runs each program, and describes the options of its simulated GPUs. The programs
# begin with conftest's START, which defines tf1, MIB, filling, exhaust and tell.
PROGRAMS = {
    "session": """
        tf1.disable_eager_execution()
        config = tf1.ConfigProto()
        config.gpu_options.per_process_gpu_memory_fraction = 0.25
        shape = tf1.placeholder(tf.int32, [2])
        with tf.device("/gpu:0"):
            full = tf1.fill(shape, 0.5)
            total = tf.reduce_sum(full)
        tried = []
        with tf1.Session(config=config) as sess:
            def step(batch):
                tried.append(batch)
                return sess.run(total, {shape: [600 * batch, MIB // 4]}).shape
            print(tf1mem.fit_batch(step, 4), tried)
        """,
}
if EAGER:
    # Each try that fails waits ten seconds: three programs wait side by side.
    _START = """
        gpu = tf.config.list_physical_devices("GPU")[0]
        tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=2000)])
        in_use = []
        def step(batch):
            usage = getattr(tf.config.experimental, "get_memory_info", None)
            in_use.append(usage("GPU:0")["current"] if usage else tf.config.experimental.get_memory_usage("GPU:0"))
            with tf.device("/gpu:0"):
                held = [tf.zeros([100 * batch, MIB // 4]) for _ in range(3)]
                cycle = [held]
                cycle.append(cycle)
                return len(held)
        with tf.device("/gpu:0"):
            tf.zeros([1])
        """
    PROGRAMS["held"] = (
        _START
        + """
        fitted = tf1mem.fit_batch(step, 9)
        result, batch_size = fitted
        assert (fitted.result, fitted.batch_size) == (result, batch_size)
        print(result, batch_size)
        assert max(in_use) < MIB, in_use  # an attempt's tensors and its result are freed before the next
        """
    )
    PROGRAMS["copied"] = (
        _START
        + """
        def copy(batch):
            with tf.device("/gpu:0"):
                # TensorFlow 2.4 copies a constant when an op takes it.
                return tf.identity(tf.constant(np.zeros([100 * batch, MIB // 4], np.float32)))
        with tf.device("/gpu:0"):
            held = tf.zeros([1700, MIB // 4])
        print("copied", tf1mem.fit_batch(copy, 4).batch_size)
        """
    )
    PROGRAMS["floor"] = (
        _START
        + """
        try:
            tf1mem.fit_batch(step, 15, floor=14)
        except tf.errors.ResourceExhaustedError as error:
            tell(error)
        """
    )


@pytest.mark.proof
@simulated
def test_halves_until_a_session_s_step_fits_and_goes_up_again(outcomes):
    outcome = outcomes["session"]
    assert "FittedBatch(result=(), batch_size=3) [4, 2, 3]" in outcome.out, outcome.err
    assert "a batch of 4 is out of memory (2.344 GiB asked for on GPU:0): trying 2" in outcome.err
    assert outcome.err.count("out of memory (") == 1
    assert "a batch of 2 fits: trying 3" in outcome.err
    assert "a batch of 3 is the largest that fits (3 tries)" in outcome.err


@pytest.mark.proof
@simulated
@pytest.mark.skipif(not EAGER, reason="eager programs are written for TensorFlow 2.4 and up")
def test_a_copy_that_has_no_room_is_halved_too(outcomes):
    assert "copied 2" in outcomes["copied"].out, outcomes["copied"].err
    assert "a batch of 4 is out of memory: trying 2" in outcomes["copied"].err


@pytest.mark.proof
@simulated
@pytest.mark.skipif(not EAGER, reason="eager programs are written for TensorFlow 2.4 and up")
def test_memory_of_a_failed_step_is_free_for_the_next(outcomes):
    assert "3 6" in outcomes["held"].out, outcomes["held"].err
    floor = outcomes["floor"]
    assert "trying 14" in floor.err, "15 would be halved to 7, which is below the floor"
    assert floor.type == "ResourceExhaustedError"
    assert "float [1400,262144]" in floor.note.replace("\n", " "), "the floor's own error, explained"


class ResourceExhaustedError(Exception):
    """An error with the same name as TensorFlow's, for tests that don't import TensorFlow."""


ResourceExhaustedError.__module__ = "tensorflow.python.framework.errors_impl"


def out_of_memory():
    return ResourceExhaustedError("OOM when allocating tensor with shape[8] and type float on /device:CPU:0 by cpu")


def tried_until(most, least, fits):
    """Returns the sizes that the search tries if `fits` is the largest size that fits."""
    search, tried = _Search(most, least), []
    while True:
        tried.append(search.trying)
        if search.trying > fits:
            search.failed()
        elif search.fitted():
            return tried


@pytest.mark.parametrize("most", [1, 2, 5, 50, 100, 256])
def test_the_search_ends_at_the_largest_that_fits(most):
    for fits in range(1, most + 1):
        for floor in range(1, fits + 1, 7):
            tried = tried_until(most, floor, fits)
            assert (tried[0], tried[-1]) == (most, fits)
            assert len(tried) <= math.ceil(math.log2(most)) + 2


@pytest.mark.parametrize("most", [1, 2, 5, 50])
def test_the_result_is_the_largest_batch_that_fits(most):
    # Only a few sizes, since Python's garbage is collected after each try, which takes long.
    for fits in sorted({1, 2, most // 3, most // 2, most - 1, most} & {*range(1, most + 1)}):
        tried = []

        def step(batch, fits=fits, tried=tried):
            tried.append(batch)
            if batch > fits:
                raise out_of_memory()
            return -batch

        assert tf1mem.fit_batch(step, most) == (-fits, fits)
        assert tried == tried_until(most, 1, fits)


def test_a_batch_that_no_longer_fits_is_halved_again():
    tried = []

    def step(batch):  # as if something else took memory meanwhile
        tried.append(batch)
        if batch > (10 if len(tried) < 6 else 3):
            raise out_of_memory()
        return batch

    assert tf1mem.fit_batch(step, 16).batch_size == 3
    assert tried == [16, 8, 12, 10, 11, 10, 5, 2, 3, 4, 3]


def test_nothing_of_a_try_is_held_in_the_next():
    class Held:
        living = 0

        def __init__(self):
            Held.living += 1

        def __del__(self):
            Held.living -= 1

    sizes = []

    def step(batch):
        sizes.append(Held.living)
        held = Held()
        if batch > 49:
            raise out_of_memory()
        return held

    fitted = tf1mem.fit_batch(step, 100)
    assert (fitted.batch_size, set(sizes), Held.living) == (49, {0}, 1)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((None, 8), SettingTypeError, "step=None: can't be called. Give a function of the batch size"),
        ((abs, "8"), SettingTypeError, "batch_size='8' is not a whole number. Give one such as 64"),
        ((abs, True), SettingTypeError, "batch_size=True is not a whole number. Give one such as 64"),
        ((abs, 8, 0.5), SettingTypeError, "floor=0.5 is not a whole number. Give one such as 64"),
        ((abs, 8, 0), SettingError, "floor=0 is less than 1. Give the smallest batch that is worth trying"),
        ((abs, 4, 8), SettingError, "batch_size=4 is less than floor=8. Give one that is as large or larger"),
    ],
)
def test_bad_arguments(arguments, kind, message):
    with pytest.raises(kind) as raised:
        tf1mem.fit_batch(*arguments)
    assert str(raised.value) == message


def test_anything_else_is_raised_at_once():
    tried = []

    def step(batch):
        tried.append(batch)
        raise KeyError(batch)

    with pytest.raises(KeyError):
        tf1mem.fit_batch(step, 8)
    assert tried == [8]
    assert tf1mem.fit_batch(lambda batch: batch + 1, 8) == (9, 8)


def test_an_error_that_is_dealt_with_outside_keeps_its_traceback():
    def step(batch):
        if batch > 2:
            raise out_of_memory()
        return batch

    try:
        raise KeyError
    except KeyError as error:
        outside = error
        fitted = tf1mem.fit_batch(step, 8)
    assert fitted == (2, 2)
    assert outside.__traceback__ is not None
