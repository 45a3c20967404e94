"""The outcomes of the tests in a file, one of which ends the process, are recorded and counted."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

from tests.processes.environment import LIMIT_S, ROOT, clean
from tests.processes.warm import WarmPython
from tests.upstream import __main__ as upstream
from tests.upstream.__main__ import outcomes
from tf1mem.machine.tensorflow import installed_version

TESTS = """
import os, unittest

class Some(unittest.TestCase):
    def id(self):  # absl's tests write their parameters here, and so addresses
        return "{} ({!r})".format(super().id(), object())
    def test_1_passes(self):
        pass
    def test_2_fails(self):
        self.assertEqual(1, 2)
    def test_3_ends_the_process(self):
        os.abort()
    def test_4_is_skipped(self):
        self.skipTest("no reason")
    def test_5_leaves(self):
        os._exit(7)
    def test_6_errs(self):
        raise KeyError
    @unittest.expectedFailure
    def test_7_fails_as_expected(self):
        self.fail()

if __name__ == "__main__":
    assert os.path.basename(__file__) == "some_test.py"
    unittest.main()
"""


@pytest.fixture(params=["a new Python", "a fork"])
def python(request):
    if request.param == "a new Python":
        yield sys.executable
    else:
        with WarmPython((), clean()) as forking:
            yield forking


@pytest.mark.parametrize("how", ["python", "run"])
def test_every_test_is_told_of(tmp_path, how, python):
    file = tmp_path / "some_test.py"
    file.write_text(textwrap.dedent(TESTS), encoding="utf-8")
    outcome_of = outcomes(file, how, clean(), python=python)
    assert {name.rpartition(".test_")[2]: outcome for name, outcome in outcome_of.items()} == {
        "1_passes": "passed",
        "2_fails": "failed",
        "3_ends_the_process": "ended by SIGABRT",
        "4_is_skipped": "skipped",
        "5_leaves": "ended with status 7",
        "6_errs": "failed",
        "7_fails_as_expected": "passed",
    }


@pytest.mark.proof  # it waits for time limits that are long enough for a slow machine
def test_tests_left_at_the_time_limit_run_the_next_time(tmp_path, python):
    file, kept = tmp_path / "slow_test.py", tmp_path / "slow.jsonl"
    file.write_text(
        textwrap.dedent("""
        import time, unittest

        class Slow(unittest.TestCase):
            def test_1(self):
                pass
            def test_2(self):
                time.sleep(600)
            def test_3(self):
                pass

        unittest.main()
        """),
        encoding="utf-8",
    )
    runs = [list(outcomes(file, "python", clean(), kept, seconds, python).items()) for seconds in (20, 20, 60, 60)]
    assert runs[0] == [("Slow.test_1", "passed")]
    assert runs[1] == [*runs[0], ("Slow.test_2", "took too long")]
    assert runs[2] == runs[3] == [*runs[1], ("Slow.test_3", "passed")]


@pytest.mark.proof
@pytest.mark.skipif(installed_version().major == 1, reason="TensorFlow 1 supplies its own tf.contrib")
def test_counts_are_of_what_passes_before(tmp_path, monkeypatch):
    names = [f"tensorflow/{folder}/one_test.py" for folder in ("contrib/crf", "python/ops")]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(
            textwrap.dedent("""
            import sys, unittest
            HERE = "tf1mem" in sys.modules
            if HERE and "contrib" in __file__:
                from tensorflow.contrib.bayesflow.python.ops import monte_carlo

            class One(unittest.TestCase):
                def test_anywhere(self):
                    pass
                def test_without_tf1mem(self):
                    self.assertFalse(HERE)
                def test_here(self):
                    self.assertTrue(HERE)
                def test_of_names_that_are_not_supplied(self):
                    if HERE:
                        monte_carlo.expectation()

            if __name__ == "__main__":
                unittest.main()
            """),
            encoding="utf-8",
        )
    (tmp_path / "counts.json").write_text('{"another_test.py": [5, 4]}', encoding="utf-8")
    monkeypatch.setattr(upstream, "COUNTS", tmp_path / "counts.json")
    upstream._beside_1_15(tmp_path, names, sys.executable, tmp_path, 60)
    counts = json.loads((tmp_path / "counts.json").read_text("utf-8"))
    # Tests that need no tf1mem also pass under compat.v1 alone, which isn't run for contrib.
    assert counts == {"another_test.py": [5, 4], names[0]: [3, 1, 1], names[1]: [3, 1, 3]}


def test_processes_that_write_at_once_lose_no_row(tmp_path):
    for name in ("counts.json", "kernels.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    program = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from tests.upstream import __main__ as upstream
        for number in range(12):
            for name in ("counts.json", "kernels.json"):
                with upstream.changing(Path(sys.argv[1]) / name) as known:
                    time.sleep(0.002)
                    known[f"{sys.argv[2]} {number}"] = [number]
        """)
    command = [sys.executable, "-c", program, str(tmp_path)]
    started = [subprocess.Popen([*command, name], cwd=str(ROOT), env=clean()) for name in "abc"]
    assert [process.wait(timeout=LIMIT_S) for process in started] == [0, 0, 0]
    for name in ("counts.json", "kernels.json"):
        assert len(json.loads((tmp_path / name).read_text("utf-8"))) == 36
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts.json", "kernels.json"]


def test_a_test_of_kernels_that_is_lost_keeps_its_reason(tmp_path, monkeypatch):
    counts = tmp_path / "kernels.json"
    lost = {"no such kernel": ["a_test.py: A.one", "a_test.py: A.two"], "another": ["b_test.py: B.one"]}
    before = {
        "passed": {"a_test.py": 9, "b_test.py": 9},
        "for GPUs": {"b_test.py": 1},
        "lost": lost,
        "in part": ["a_test.py", "b_test.py"],
        "left out": {"no GPU's": ["c_test.py"]},
    }
    counts.write_text(json.dumps(before), encoding="utf-8")
    monkeypatch.setattr(upstream, "KERNELS", counts)
    comparison = upstream._Found(["A.one", "A.two"], ["A.three"], [], ["A.two", "A.three"])
    upstream._write_down("a_test.py", comparison, whole=True)
    assert json.loads(counts.read_text("utf-8")) == {
        "passed": {"a_test.py": 2, "b_test.py": 9},
        "for GPUs": {"a_test.py": 1, "b_test.py": 1},
        "lost": {
            "another": ["b_test.py: B.one"],
            "no such kernel": ["a_test.py: A.two"],
            "not looked into": ["a_test.py: A.three"],
        },
        "in part": ["b_test.py"],
        "left out": {"no GPU's": ["c_test.py"]},
    }


def test_tests_skipped_on_a_gpu_do_not_count_and_tests_for_gpus_do():
    on_cpu = {"A.both": "passed", "A.cpu": "passed", "A.gpu": "skipped", "A.neither": "failed", "A.late": "passed"}
    on_gpu = {"A.both": "passed", "A.cpu": "skipped", "A.gpu": "passed", "A.neither": "failed"}
    assert upstream._compared(on_cpu, on_gpu) == (["A.both"], ["A.gpu"], ["A.cpu"], [])
    on_gpu = {"A.both": "failed", "A.cpu": "took too long", "A.gpu": "failed"}
    assert upstream._compared(on_cpu, on_gpu) == (
        ["A.both", "A.cpu"],
        ["A.gpu"],
        [],
        ["A.both", "A.cpu", "A.gpu"],
    )


def test_a_file_that_starts_processes_of_itself_is_an_executable(tmp_path):
    file = tmp_path / "some_test.py"
    file.write_text(
        textwrap.dedent("""
        import subprocess, sys, unittest
        # from tensorflow.python.distribute import multi_process_runner

        class Some(unittest.TestCase):
            def test_it(self):
                said = subprocess.run([sys.argv[0], "-c", "more"], stdout=subprocess.PIPE, check=True).stdout
                self.assertEqual(said.decode().strip(), "more")

        if sys.argv[1:]:
            print(sys.argv[-1])
        else:
            unittest.main(argv=["some"])
        """),
        encoding="utf-8",
    )
    assert outcomes(file, "python", clean()) == {"Some.test_it": "passed"}
