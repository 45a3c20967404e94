"""The doctor's findings about scripts that it runs, with the real TensorFlow on simulated GPUs.

Each script of scripts/ makes some of the mistakes that users make with GPU settings.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest
from packaging.version import Version
from runs import codes, examined, finding, report

from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
TF1 = VERSION.release[0] == 1
MIB = 2**20

pytestmark = pytest.mark.skipif(Version("1.14") > VERSION, reason="1.13 has no tf.config, and no GPU wheel to simulate")


@pytest.mark.proof
def test_settings_after_a_listing_of_devices_are_too_late():
    """A Session's config, growth, threads and a variable all come too late, since a listing has started the GPUs."""
    examination = examined("late.py")
    assert examination["exit_status"] == 0
    start = examination["start"]
    assert (start["where"]["line"], start["by"]) == (9, "a listing of devices")
    assert start["where"]["call"] == "device_lib.list_local_devices"
    assert sorted(codes(examination)) == ["TFD201", "TFD201", "TFD210", "TFD211", "TFD221", "TFD222"]
    session, growth = (it for it in examination["findings"] if it["code"] == "TFD201")
    assert "per_process_gpu_memory_fraction=0.25, and is ignored" in session["message"]
    assert "started at late.py:9 (device_lib.list_local_devices)" in session["message"]
    assert session["line"] == 13
    assert "set_memory_growth(GPU:0, True) at late.py:20 is silently ignored" in growth["message"]
    assert "TF_FORCE_GPU_ALLOW_GROWTH=true is set at late.py:17, too late" in finding(examination, "TFD210")["message"]
    threads = finding(examination, "TFD211")
    assert "intra_op_parallelism_threads=3, and is ignored" in threads["message"]
    assert "use_per_session_threads" in threads["remedy"]
    assert "list_physical_devices" in finding(examination, "TFD221")["remedy"]
    # The worst come first.
    assert [it["severity"] for it in examination["findings"]] == ["error"] * 3 + ["warning"] * 2 + ["note"]
    # The whole GPU was reserved, and not the requested quarter.
    assert examination["reserved"][0]["peak"] > 6000 * MIB


@pytest.mark.proof
def test_growth_and_a_limit():
    """Growth before a limit is dropped, and growth after a limit is refused."""
    examination = examined("growth_and_limit.py")
    # TensorFlow 2.0 doesn't place a constant on another device than the named one, and so fails before a GPU starts.
    ends_early = VERSION.release[:2] == (2, 0)
    assert examination["exit_status"] == ends_early
    dropped, refused = finding(examination, "TFD204"), finding(examination, "TFD205")
    assert dropped["line"] == 8
    assert "Growth of GPU:0, set at growth_and_limit.py:7, is dropped" in dropped["message"]
    assert "allow_growth=True, memory_limit_mib" in dropped["remedy"]
    assert (refused["line"], "has a memory limit already" in refused["message"]) == (11, True)
    if Version("2.10") > VERSION:
        assert "TF_CPP_MIN_LOG_LEVEL=3 hides" in finding(examination, "TFD213")["message"]
    else:  # stdout has it, whatever the level of the log
        assert "own stdout and stderr" in finding(examination, "TFD231")["message"]
    if TF1:  # graph mode: tf.device and tf.constant start nothing
        assert "TFD223" in codes(examination)
    else:
        assert "tf.device('/gpu:7') at growth_and_limit.py:15" in finding(examination, "TFD212")["message"]
        # Up to 2.4 a constant for a GPU that isn't there is on the CPU, later on the first GPU.
        assert examination["reserved"][0]["peak"] == (0 if Version("2.5") > VERSION else 1024 * MIB)


@pytest.mark.proof
def test_growth_for_one_of_two():
    """Growth for only one of two GPUs makes the first op fail."""
    examination = examined("growth_differs.py")
    if TF1:
        assert codes(examination) == ["TFD223"]
        return
    assert examination["exit_status"] == 1
    assert codes(examination) == ["TFD206"]
    message = examination["findings"][0]["message"]
    assert "Growth was set for GPU:0 only (at growth_differs.py:6)" in message
    assert "refuses at growth_differs.py:10 (tf.random.uniform)" in message


@pytest.mark.proof
def test_sessions_that_differ():
    """Two Sessions have different lists of GPUs, a variable overrides growth, and memory runs out."""
    examination = examined("sessions_differ.py", CUDA_VISIBLE_DEVICES="1,0", TF_FORCE_GPU_ALLOW_GROWTH="false")
    assert examination["exit_status"] == 1
    lists = finding(examination, "TFD208")
    assert "visible_device_list='1', and the one at sessions_differ.py:11 had '0'" in lists["message"]
    assert "and refuses" in lists["message"]
    overridden = finding(examination, "TFD203")
    assert "set_memory_growth(GPU:0, True) at sessions_differ.py:6 is overridden" in overridden["message"]
    assert "TF_FORCE_GPU_ALLOW_GROWTH=false overrides the script" in finding(examination, "TFD209")["message"]
    relative = [it["message"] for it in examination["findings"] if it["code"] == "TFD229"]
    assert len(relative) == 2
    assert "counts within CUDA_VISIBLE_DEVICES=1,0" in relative[0]
    ran_out = finding(examination, "TFD219")
    assert ran_out["line"] == 22
    assert "out of memory" in ran_out["detail"]
    assert "0.125" in ran_out["detail"]
    # Sessions that tf1mem makes to explain the error aren't listed as the script's.
    assert [session["given"]["gpu_options.visible_device_list"] for session in examination["sessions"]] == ["0", "1"]
    # The exact reservation on the machine's second GPU, which the script calls its first.
    assert [(share["gpu"], share["peak"]) for share in examination["reserved"]] == [(0, 0), (1, 1024 * MIB)]


@pytest.mark.proof
def test_names_that_are_gone():
    """TensorFlow 2 lacks tf.ConfigProto; the doctor shows the change that corrects it."""
    examination = examined("gone.py")
    if TF1:
        assert (examination["exit_status"], codes(examination)) == (0, [])
        return
    assert (examination["exit_status"], codes(examination)) == (1, ["TFD215"])
    assert "'tensorflow' has no attribute 'ConfigProto'" in examination["findings"][0]["message"]
    assert "tf1mem run gone.py" in examination["findings"][0]["remedy"]
    (fix,) = examination["fixes"]
    assert fix["command"] == "tf1mem codemod gone.py"
    if sys.version_info >= (3, 10) and find_spec("tree_sitter"):
        changed = [line for line in fix["diff"].splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        assert changed == ["-import tensorflow as tf", "+import tf1mem.v1 as tf"]
    else:
        assert "tf1mem[cli]" in fix["why_not"]


def test_the_remedy_works():
    """The script has no findings once `tf1mem run` runs it."""
    examination = report("--with-tf1mem", "--gpu", "8GiB", "--", "gone.py")
    assert (examination["exit_status"], codes(examination), examination["with_tf1mem"]) == (0, [], True)
    assert examination["start"]["settings"]["gpu_options.allow_growth"] is True
    assert examination["reserved"][0]["peak"] < 1024 * MIB
