"""What is told of a file of tests, one of which ends the process."""

from __future__ import annotations

import textwrap

import pytest

from tests.processes.environment import clean
from tests.upstream.__main__ import outcomes

TESTS = """
import os, unittest

class Some(unittest.TestCase):
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


@pytest.mark.parametrize("how", ["python", "run"])
def test_every_test_is_told_of(tmp_path, how):
    file = tmp_path / "some_test.py"
    file.write_text(textwrap.dedent(TESTS), encoding="utf-8")
    found = outcomes(file, how, clean())
    assert {name.rpartition(".test_")[2]: outcome for name, outcome in found.items()} == {
        "1_passes": "passed",
        "2_fails": "failed",
        "3_ends_the_process": "ended by SIGABRT",
        "4_is_skipped": "skipped",
        "5_leaves": "ended with status 7",
        "6_errs": "failed",
        "7_fails_as_expected": "passed",
    }
