"""The pytest plugin, run in separate pytests: tests that call the simulated driver, without TensorFlow."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

import pytest

from tests.processes.environment import LIMIT_S, ROOT, clean
from tf1mem.gpusim.measured import Size

# Code that reserves memory like TensorFlow's allocator.
DRIVER = """
import ctypes, os, sys, pytest

def reserve(mib, gpu=0):
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    assert cuda.cuInit(0) == 0
    assert cuda.cuDeviceGet(ctypes.byref(device), gpu) == 0
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    return cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(mib << 20))
"""


@pytest.fixture
def run(tmp_path):
    """Returns a function that runs pytest on a file of tests and returns its output; `run.counts` is its summary."""

    def run_pytest(tests, *options, name="test_it.py", environment=None):
        (tmp_path / "driver.py").write_text(DRIVER, encoding="utf-8")
        if tests is not None:
            text = "import os, sys\nimport pytest\nfrom driver import reserve\n" + textwrap.dedent(tests)
            (tmp_path / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-p", "pytest_tf1mem", "--rootdir", ".", "--color=no", *options]
        variables = clean(PYTHONDONTWRITEBYTECODE="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **(environment or {}))
        done = subprocess.run(
            command,
            cwd=str(tmp_path),
            env=variables,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
        last = done.stdout.splitlines()[-1] if done.stdout else ""
        run_pytest.counts = {word.rstrip("s"): int(count) for count, word in re.findall(r"(\d+) ([a-z]+)", last)}  # type: ignore[attr-defined]
        return done.stdout + done.stderr

    return run_pytest


def test_reserved_memory_can_be_asserted(run):
    out = run(
        """
        @pytest.mark.gpus("8GiB")
        def test_one(gpu):
            assert (gpu.peak, gpu.reserved, gpu.regions, gpu.refused) == (0, 0, 0, 0)
            assert reserve(3) == 0 and reserve(8 << 10) == 2
            assert gpu.peak == gpu.reserved == "3MiB"
            assert "2.9MiB" < gpu.peak <= "3MiB" and not gpu.peak > "3.1MiB" and gpu.peak != "4MiB"
            assert (gpu.total, gpu.regions, gpu.refused) == ("8GiB", 1, 1)

        @pytest.mark.gpus("8GiB", "16GiB", used="6GiB")
        def test_two(gpus):
            assert reserve(5, gpu=1) == 0
            assert [gpu.peak for gpu in gpus] == [0, "5MiB"]
            assert [gpu.total for gpu in gpus] == ["8GiB", "16GiB"]
            assert reserve(3 << 10) == 2  # 6 of 8 GiB are used

        @pytest.mark.gpus("8GiB", context=300 << 20)
        def test_a_context_is_no_allocation(gpu):
            assert reserve(3) == 0
            assert (gpu.reserved, gpu.regions) == ("303MiB", 1)

        @pytest.mark.gpus(2)
        def test_programs_that_a_test_starts(gpus):
            import subprocess
            subprocess.run([sys.executable, "-c", "from driver import reserve; assert reserve(7) == 0"], check=True)
            assert (gpus[0].peak, gpus[0].reserved) == ("7MiB", 0)

        def test_elsewhere():
            assert "TF1MEM_SIM_MACHINE" not in os.environ
        """
    )
    assert run.counts == {"passed": 5}, out


def test_a_failure_shows_each_process_and_line_that_reserved_memory(run):
    out = run(
        """
        @pytest.mark.gpus("8MiB")
        def test_it(gpu):
            reserve(3)
            reserve(6)
            assert gpu.peak <= "2MiB"
        """
    )
    assert run.counts == {"failed": 1}
    assert "assert 3 MiB (3,145,728 bytes) <= '2MiB'" in out
    assert "where 3 MiB (3,145,728 bytes) = <simulated GPU 0, 8 MiB>.peak" in out
    assert "- simulated GPUs -" in out
    assert "refused 6 MiB (6,291,456 bytes) with 5 MiB (5,242,880 bytes) left" in " ".join(out.split())
    assert "pytest test_it.py::test_it\n" in out
    assert re.search(r"GPU 0, process \d+: reserved 3 MiB \(3,145,728 bytes\) at driver.py:11\n", out)


def test_each_test_is_a_process_with_its_fixtures_and_output(run):
    out = run(
        """
        PIDS = []

        @pytest.fixture(scope="module")
        def module():
            print("module set up")
            yield os.getpid()
            print("module torn down")

        @pytest.mark.gpus
        @pytest.mark.parametrize("mib", [1, 2])
        def test_it(gpu, module, tmp_path, mib, capsys):
            print("captured")
            assert capsys.readouterr().out == "captured\\n"
            assert not PIDS and module == os.getpid()
            PIDS.append(module)
            (tmp_path / "file").write_text("")
            assert reserve(mib) == 0 and gpu.peak == Size(mib << 20)
            print("said", file=sys.stderr)
            assert mib == 1

        @pytest.mark.gpus
        class TestIt:
            @pytest.mark.skipif("True", reason="not now")
            def test_skipped(self):
                pass

            @pytest.mark.xfail(strict=True)
            def test_expected(self):
                assert False

            def test_warned(self):
                import warnings
                warnings.warn("look here")
        """.replace("Size(", "type(gpu.peak)("),
        "-rs",
    )
    assert run.counts == {"failed": 1, "passed": 2, "skipped": 1, "xfailed": 1, "warning": 1}, out
    for text in ("module set up", "module torn down", "Captured stderr call", "not now", "UserWarning: look here"):
        assert text in out


def test_fixtures_on_both_sides(run, tmp_path):
    run(
        """
        @pytest.fixture(scope="module", autouse=True)
        def module():
            yield
            with open("torn down", "a") as file:
                file.write("x")

        def test_before():
            pass

        @pytest.mark.gpus
        def test_last():
            pass
        """,
        name="test_a.py",
    )
    (tmp_path / "torn down").unlink()
    out = run("def test_after():\n    assert os.path.getsize('torn down') == 2", name="test_b.py")
    assert run.counts == {"passed": 3}, out


MANY = """
@pytest.mark.gpus
def test_one(): assert reserve(1) == 0

@pytest.mark.gpus
def test_two(): assert os.path.exists("mended")

@pytest.mark.gpus
def test_three(): assert os.path.exists("mended")
"""


FOURTH = """
@pytest.mark.gpus
def test_four(gpu): assert gpu.total == "3GiB"
"""


@pytest.mark.proof
def test_options_that_select_tests(run, tmp_path):
    run(MANY, "-x")
    assert run.counts == {"failed": 1, "passed": 1}
    (tmp_path / "mended").write_text("")
    run(MANY, "--lf")
    assert run.counts == {"passed": 1}
    run(MANY, "-k", "three or one")
    assert run.counts == {"passed": 2, "deselected": 1}


@pytest.mark.proof
def test_xdist_and_options_of_an_ini_file(run, tmp_path):
    (tmp_path / "mended").write_text("")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -ra -n 2\nmarkers = mine\n", encoding="utf-8")
    out = run(MANY + FOURTH, "--strict-markers", "-p", "xdist.plugin")
    assert run.counts == {"failed": 1, "passed": 3}, out
    assert "assert 16 GiB (17,179,869,184 bytes) == '3GiB'" in out


def test_a_process_that_dies(run):
    out = run(
        """
        @pytest.mark.gpus
        def test_killed():
            print("before", flush=True)
            os.kill(os.getpid(), 11)

        @pytest.fixture
        def dies():
            yield
            os._exit(5)

        @pytest.mark.gpus
        def test_dies_at_its_end(dies):
            pass
        """,
        "-p",
        "no:faulthandler",
    )
    assert run.counts == {"failed": 1, "passed": 1, "error": 1}
    assert "The test's process was ended by SIGSEGV." in out
    assert "The test's process ended with status 5." in out


@pytest.mark.proof
def test_the_option_is_for_every_test_and_a_mark_goes_before_it(run):
    out = run(
        """
        def test_any(gpus): assert [gpu.total for gpu in gpus] == ["3MiB", "4MiB"]

        @pytest.mark.gpus
        def test_marked(gpus): assert len(gpus) == 2

        @pytest.mark.gpus("5MiB")
        def test_marked_with_others(gpu): assert gpu.total == "5MiB"

        def test_one_of_two(gpu): pass
        """,
        "--sim-gpu",
        "3MiB",
        "--sim-gpu=4MiB",
    )
    assert run.counts == {"passed": 3, "error": 1}, out
    assert "simulated GPUs: 3MiB; 4MiB" in out
    assert "this test runs on 2 simulated GPUs: take the fixture gpus" in out


@pytest.mark.proof
def test_wrong_marks_and_options(run):
    out = run("def test_it(): pass", "--sim-gpu", "8GB")
    assert "ERROR: --sim-gpu: the size '8GB': GB can mean powers of two or of ten. Write 8GiB" in out
    out = run(
        """
        @pytest.mark.gpus("8")
        def test_size(): pass

        def test_unmarked(gpu): pass

        @pytest.mark.gpus
        def test_here_alone(): pass

        if "TF1MEM_SIM_MACHINE" in os.environ:
            raise ImportError("no GPUs for me")
        """
    )
    assert run.counts == {"failed": 1, "error": 2}, out
    assert "the size '8': it has no unit" in out
    assert "mark it, as with @pytest.mark.gpus('8GiB'), or run pytest with --sim-gpu 8GiB" in out
    assert "ImportError: no GPUs for me" in out


@pytest.mark.proof
def test_a_warning_if_values_are_not_computed(run):
    out = run(
        """
        @pytest.mark.gpus
        def test_wanted():
            import subprocess  # runs the command that the driver runs once TensorFlow is loaded
            assert not os.environ["TF1MEM_SIM_NO_VALUES"]
            subprocess.run(["sh", os.environ["TF1MEM_SIM_VALUES"], "libtensorflow_framework.so.2"], check=True)

        @pytest.mark.gpus(values=False)
        def test_not_wanted():
            assert os.environ["TF1MEM_SIM_NO_VALUES"]
        """,
        environment={"CXX": "no-such-c++"},
    )
    assert run.counts == {"passed": 2, "warning": 1}, out
    warning = "values are not real, because simulated GPUs need a C++ compiler, and CXX=no-such-c++ is not found"
    assert warning in " ".join(out.split())


def test_pytest_starts_without_tf1mem(run):
    code = "import sys, pytest_tf1mem; print([name for name in sys.modules if name.split('.')[0] == 'tf1mem'])"
    done = subprocess.run([sys.executable, "-c", code], env=clean(), cwd=str(ROOT), capture_output=True, check=True)
    assert done.stdout == b"[]\n"
    out = run("def test_it(): assert not any(name.split('.')[0] == 'tf1mem' for name in sys.modules)")
    assert run.counts == {"passed": 1}, out


def test_a_size_is_a_number():
    assert (hash(Size(5)), repr(Size(2**20)), Size(3) + 1) == (5, "1 MiB (1,048,576 bytes)", 4)
    with pytest.raises(ValueError, match="has no unit"):
        assert Size(3) < "8"
