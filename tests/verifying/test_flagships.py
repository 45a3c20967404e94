"""`python -m benchmarks.flagships` and `flagships_tests`: their choices, errors, rows and the page made from the rows.

`test_flagship_judged.py` judges a small repository with it, where TensorFlow 1.15.5 is.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import flagships, flagships_checkpoints, flagships_tests
from benchmarks.flagships_table import FLAGSHIPS, GOLD, PLATINUM, SILVER, STOPS, Flagship
from benchmarks.flagships_tests_table import SUITES, Suite
from migration_guide.generating import flagships as page
from tests.processes.environment import ROOT, clean
from tests.verifying.test_sides import until

pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="benchmarks need Python 3.10")
TINY = Flagship("me/tiny", "0" * 40, "a line", ("train.py",), 3)
DIFFERENCE = {"kind": "first values", "message": "w:0 starts from other values, made by a constant."}
KNOWN = {"reason": "LAPACK", "differs": ("first values", "w:0 starts"), "expected": SILVER}


def certificate(verdict, **more):
    """Returns the parts of a certificate that a row is made of."""
    side = {"versions": {"tensorflow": "2.21.0"}, "steps": 3, "seconds": 1.5, "peak_bytes": 1 << 20}
    compared = {"values": 9, "equal": 5, "rounding": 4, "beyond_rounding": 0, "largest_multiple": 0.5}
    curves = [
        {"name": "count:0", "steps": [0, 1, 2], "old": [1, 2, 3], "new": [1, 2, 3]},
        {"name": "loss:0", "steps": [0, 1], "old": [0.5, 0.25], "new": [0.5, 0.26]},
    ]
    return {
        "verdict": verdict, "reason": "", "first_difference": None, "compared": compared, "curves": curves,
        "old": side, "new": side, "tf1mem": "0.1.0",
        "notes": [], "thresholds": {"multiple": 8.0, "units": 4.0}, **more,
    }  # fmt: skip


@pytest.fixture
def clone(tmp_path):
    """Returns a clone of me/tiny in a folder of clones, and its commit."""
    path = tmp_path / "clones" / "me+tiny"
    (path / "data").mkdir(parents=True)
    (path / "train.py").write_text("print(1)\n", encoding="utf-8")
    (path / "data" / "numbers.txt").write_text("1 2 3\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    return path, committed(path)


def committed(path):
    """Commits all files of a repository; returns the commit."""
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.com", "-C", str(path)]
    for arguments in (["add", "."], ["commit", "-qm", "files"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, encoding="utf-8").stdout
    return head.strip()


def test_names_select():
    assert flagships.select([], FLAGSHIPS) == list(FLAGSHIPS)
    assert [each.repository for each in flagships.select(["google-research/bert", "PINNs"], FLAGSHIPS)] == [
        "google-research/bert",
        "maziarraissi/PINNs",
    ]


def test_a_wrong_name_lists_the_right_ones():
    command = [sys.executable, "-m", "benchmarks.flagships", ".", "nosuch", "bert", "--old-python", "python"]
    ended = subprocess.run(command, cwd=str(ROOT), env=clean(), capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 1
    first, *others = ended.stderr.strip().splitlines()
    assert first == "flagships: nosuch: there is no such flagship. There are:"
    assert [line.strip() for line in others] == [each.repository for each in FLAGSHIPS]


def test_a_missing_clone_or_commit_is_named_with_the_command_that_gets_it(clone, tmp_path):
    path, commit = clone
    flagships.check_clones(path.parent, [TINY._replace(commit=commit)])
    missing = [TINY, TINY._replace(repository="me/other", beside=(("me/third", commit),))]
    with pytest.raises(SystemExit) as raised:
        flagships.check_clones(path.parent, missing)
    for repository, at in (("tiny", "0" * 12), ("other", "0" * 12), ("third", commit[:12])):
        line = f"git clone https://github.com/me/{repository} '{path.parent}/me+{repository}'  # with {at}"
        assert line in str(raised.value)


def test_a_commit_or_its_listed_parts_are_extracted(clone, tmp_path):
    path, commit = clone
    (path / "train.py").write_text("changed after the commit\n", encoding="utf-8")
    flagships.extract(path.parent, "me/tiny", commit, tmp_path / "whole", ())
    assert (tmp_path / "whole" / "train.py").read_text(encoding="utf-8") == "print(1)\n"
    flagships.extract(path.parent, "me/tiny", commit, tmp_path / "part", ("data",))
    assert [each.name for each in (tmp_path / "part").iterdir()] == ["data"]
    with pytest.raises(SystemExit, match="lacks"):
        flagships.extract(path.parent, "me/tiny", commit, tmp_path / "none", ("nowhere",))


@pytest.mark.parametrize(
    ("verdict", "more", "tier", "reason"),
    [
        ("same", {}, PLATINUM, ""),
        ("same", {"needs": "a flag"}, GOLD, ""),
        ("different", {}, flagships.UNKNOWN, ""),
        ("different", KNOWN, SILVER, "LAPACK"),
        ("different", {**KNOWN, "differs": ("op", "w:0 starts")}, flagships.UNKNOWN, ""),
        ("different", {**KNOWN, "differs": ("first values", "v:0 starts")}, flagships.UNKNOWN, ""),
        ("not compared", {"reason": "a package", "expected": STOPS}, STOPS, "a package"),
        ("not compared", KNOWN, STOPS, ""),
        ("same", KNOWN, PLATINUM, ""),
    ],
)
def test_the_tier_follows_from_the_verdict(verdict, more, tier, reason):
    difference = DIFFERENCE if verdict == "different" else None
    row = flagships.row_of(TINY._replace(**more), certificate(verdict, first_difference=difference))
    assert (row["tier"], row["reason"], row["verdict"]) == (tier, reason, verdict)
    assert row["losses"] == {"name": "loss:0", "first": [0.5, 0.5], "last": [0.25, 0.26]}
    assert json.loads(json.dumps(row)) == row


def test_a_global_step_is_no_loss():
    step = {"name": "global_step:0", "steps": [0, 1], "old": [1.0, 2.0], "new": [1.0, 2.0]}
    assert flagships.losses([step], "") is None
    assert flagships.losses([step, {**step, "name": "Mean:0"}], "")["name"] == "Mean:0"


def test_a_row_is_kept_and_one_of_another_commit_is_not(clone, tmp_path, monkeypatch):
    path, commit = clone
    judged = []

    def row(work, folder, flagship, old_python):
        judged.append(flagship.repository)
        return flagships.row_of(flagship, certificate("same"))

    known = TINY._replace(commit=commit, expected=SILVER, reason="once it differed")
    monkeypatch.setattr(flagships, "FLAGSHIPS", (known,))
    monkeypatch.setattr(flagships, "judged", row)
    monkeypatch.setattr(flagships, "_version", lambda: "2.21.0")
    arguments = [str(path.parent), "--old-python", "python", "--json", str(tmp_path / "rows.json")]
    assert flagships.main(arguments) == 1  # a known difference has vanished
    assert flagships.main(arguments) == 1
    assert judged == ["me/tiny"]
    monkeypatch.setattr(flagships, "FLAGSHIPS", (known._replace(expected=PLATINUM),))
    assert flagships.main([*arguments, "tiny"]) == 0  # named, it is judged again
    assert judged == ["me/tiny"] * 2
    monkeypatch.setattr(flagships, "_version", lambda: "2.22.0")
    assert flagships.main(arguments) == 0
    assert judged == ["me/tiny"] * 3
    for number, changed in enumerate([{"steps": 4}, {"command": ("train.py", "-x")}, {"program": "a.py"}], 4):
        monkeypatch.setattr(flagships, "_version", lambda: "2.21.0")
        monkeypatch.setattr(flagships, "FLAGSHIPS", (known._replace(expected=PLATINUM, **changed),))
        assert flagships.main(arguments) == 0
        assert judged == ["me/tiny"] * number


def test_the_old_side_stops_for_a_reason_of_its_own_or_lacks_a_package(clone, tmp_path, monkeypatch):
    path, commit = clone
    reason = "the old side can't be reproduced: with weights moved by one unit its first step changes"
    flagship = TINY._replace(commit=commit, packages=("six",))

    def verify(command, **options):
        if "verify" not in command:
            return run(command, **options)
        return subprocess.CompletedProcess(command, 2, json.dumps(certificate("not compared", reason=reason)), "")

    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", verify)
    row = flagships.judged(tmp_path / "work", path.parent, flagship, "python")
    assert (row["tier"], row["says"]) == (STOPS, reason)
    reason = "the old side left no recording (status 1): ModuleNotFoundError: No module named 'six'"
    with pytest.raises(SystemExit, match="No module named 'six'; it needs six"):
        flagships.judged(tmp_path / "again", path.parent, flagship, "python")


def test_a_relative_folder_of_work_holds_in_other_current_folders(clone, tmp_path, monkeypatch):
    path, commit = clone
    monkeypatch.chdir(tmp_path)
    flagship = TINY._replace(commit=commit, beside=(("me/tiny", commit),))
    copy, environment = flagships.prepared(Path("work"), path.parent, flagship, "python")
    assert copy == tmp_path / "work" / "tiny"
    assert environment["PYTHONPATH"] == str(tmp_path / "work" / "beside" / "tiny")


def test_each_flagship_has_its_program_and_a_row_of_its_commit():
    programs = {each.program for each in FLAGSHIPS} - {""}
    assert programs == {path.name for path in (ROOT / "benchmarks" / "flagships_programs").glob("*.py")}
    rows = flagships.read(flagships.ROWS)
    assert [(each.repository, each.commit, list(each.command)) for each in FLAGSHIPS] == [
        (row["repository"], row["commit"], row["command"]) for row in rows.values()
    ]
    assert {each.repository: each.expected for each in FLAGSHIPS} == {name: row["tier"] for name, row in rows.items()}
    assert all(row["reason"] for row in rows.values() if row["tier"] in (SILVER, STOPS))


def test_the_page_has_both_sides_and_the_reasons(tmp_path, monkeypatch):
    rows = [
        flagships.row_of(TINY, certificate("same")),
        flagships.row_of(
            TINY._replace(repository="me/other", **KNOWN), certificate("different", first_difference=DIFFERENCE)
        ),
        flagships.row_of(TINY._replace(repository="me/third"), certificate("not compared", reason="a | b", curves=[])),
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    read = {"error": "", "different": [], "variables": 7, "losses": [[0.25, 0.5]], "largest_ratio": 1e-6}
    exact = {**read, "losses": [[0.125, 0.125]], "largest_ratio": 0.0}
    row = {"repository": "me/tiny", "release": "", "commit": "0" * 40, "old": exact, "new": read}
    (tmp_path / "exchanges.json").write_text(json.dumps([row]), encoding="utf-8")
    monkeypatch.setattr(page, "ROWS", tmp_path / "rows.json")
    monkeypatch.setattr(page, "CHECKPOINTS", tmp_path / "exchanges.json")
    tables = page.tables()
    assert tables["checkpoints"].splitlines()[2].endswith("| 7 | 0.5 / 0.25 | 0.125 | 1.0e-06 |")
    first = tables["flagships"].splitlines()[2]
    link = "[me/<wbr>tiny](https://github.com/me/tiny/tree/" + "0" * 40 + ") 0000000"
    assert first == f"| {link} | a line | platinum | 3 | 9 | 0.5 | 0.25 / 0.26 | 2 | 1 |"
    assert [line.split(" | ")[1:] for line in tables["reasons"].splitlines()[2:]] == [
        ["silver", "LAPACK |"],
        ["stops", "Not known yet: a \\| b |"],
    ]


SOME_TEST = """\
import atexit, os, sys, unittest
import lacks_nothing
HERE = "tf1mem" in sys.modules

class Some(unittest.TestCase):
    def test_both(self):
        print("only the outcome counts")
    def test_neither(self):
        self.fail("neither")
    def test_not_here(self):
        self.assertEqual(HERE, False, "a reason")
    def test_only_here(self):
        self.assertTrue(HERE)
    def test_options(self):
        self.assertEqual(os.environ.get("TF1MEM_TF_VERSION"), "1.14.0" if HERE else None)
    def test_with_a_part_that_is_skipped(self):
        with self.subTest("graph mode"):
            self.skipTest("a part")
    @unittest.skipIf(HERE, "skipped here")
    def test_skipped_here(self):
        pass
    def test_z_ends_the_process_here(self):
        if HERE:
            os._exit(7)

class Torn(unittest.TestCase):
    def tearDown(self):
        raise KeyError("in its teardown")
    def test_runs(self):
        pass
"""


def test_the_tests_of_a_suite_run_on_both_sides(clone, tmp_path):
    path, _ = clone
    (path / "some_test.py").write_text(SOME_TEST, encoding="utf-8")
    for name in ("a_broken_test.py", "left_test.py"):
        (path / name).write_text("1 / 0\n", encoding="utf-8")
    ends_here = "import os, sys\nif 'tf1mem' in sys.modules:\n    os._exit(8)\n\ndef test_it():\n    pass\n"
    (path / "b_ends_test.py").write_text(ends_here, encoding="utf-8")
    suite = Suite(
        "me/tiny", committed(path), ("*_test.py",),
        make=lambda copy, old_python: (copy / "lacks_nothing.py").write_text("", encoding="utf-8"),
        options=("--tf-version", "1.14.0"),
        on_old=("some_test.py", "import lacks_nothing", "import lacks_nothing # on 1.15.5"),
        left_out=(("left*", "divides by zero"),), differs=(("*not_here", "it differs"),),
    )  # fmt: skip
    row = flagships_tests.run(tmp_path / "work", path.parent, suite, sys.executable, 100)
    assert (row["files"], row["left_out"]) == (3, {"left_test.py": "divides by zero"})
    assert (row["before"], row["here"], row["without_tests"]) == (7, 3, ["a_broken_test.py"])
    assert row["options"] == ["--tf-version", "1.14.0"]
    ended = "the process ended with status 7"
    assert {test["test"].rpartition("::")[2]: (test["says"], test["reason"]) for test in row["differs"]} == {
        "test_not_here": ("AssertionError: True != False : a reason", "it differs"),
        "test_it": ("the process ended with status 8", ""),
        "test_skipped_here": ("skipped", ""),
        "test_z_ends_the_process_here": (ended, ""),
    }
    assert row["old"]["python"] == ".".join(map(str, sys.version_info[:3]))
    again = flagships_tests.run(tmp_path / "work", path.parent, suite, "no Python is needed for kept outcomes", 100)
    assert {**again, "date": row["date"]} == row


ENDED = """
import sys
from pathlib import Path
from benchmarks import flagships_tests
from benchmarks.flagships_tests_table import Suite

work, folder, commit = sys.argv[1:]
flagships_tests.run(Path(work), Path(folder), Suite("me/tiny", commit, ("*_test.py",)), sys.executable, 1000)
"""
WAITS = """
import os, sys, time
from pathlib import Path

def test_it():
    own = Path(__file__).with_name("pid")
    own.with_suffix(".part").write_text(str(os.getpid()))
    own.with_suffix(".part").rename(own)
    time.sleep(3600)
"""


def test_a_signal_ends_the_tests_of_both_sides(clone, tmp_path):
    path, _ = clone
    (path / "waits_test.py").write_text(WAITS, encoding="utf-8")
    started = [tmp_path / "work" / side / "tiny" / "pid" for side in ("old", "new")]
    command = [sys.executable, "-c", ENDED, str(tmp_path / "work"), str(path.parent), committed(path)]
    with subprocess.Popen(command, cwd=str(ROOT), env=clean()) as running:
        try:
            until(lambda: all(file.exists() for file in started) or running.poll() is not None)
        finally:
            running.send_signal(signal.SIGTERM)
    assert running.returncode == 128 + signal.SIGTERM
    for file in started:
        until(lambda file=file: not Path("/proc", file.read_text(encoding="utf-8")).exists())


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({}, True),
        ({"largest_ratio": None}, True),
        ({"largest_ratio": 1e-3}, False),
        ({"largest_ratio": float("nan")}, False),
        ({"different": ["w"]}, False),
        ({"error": "no checkpoint was written"}, False),
    ],
)
def test_a_checkpoint_is_the_same_if_both_sides_say_so(change, is_same):
    side = {"error": "", "different": [], "largest_ratio": 1e-7}
    for changed in ({"old": {**side, **change}, "new": side}, {"old": side, "new": {**side, **change}}):
        assert flagships_checkpoints.is_same(changed) is is_same


def test_each_checkpoint_is_of_a_flagship_s_commit_and_the_same():
    commits = {each.repository: each.commit for each in FLAGSHIPS}
    rows = flagships.read(flagships_checkpoints.ROWS)
    assert {name: row["commit"] for name, row in rows.items()} == {name: commits[name] for name in rows}
    assert all(map(flagships_checkpoints.is_same, rows.values()))


def test_each_suite_has_a_row():
    rows = flagships.read(flagships_tests.ROWS)
    assert [(each.repository, each.commit) for each in SUITES] == [
        (row["repository"], row["commit"]) for row in rows.values()
    ]
    assert all(row["here"] + len(row["differs"]) == row["before"] for row in rows.values())


def test_the_page_groups_tests_that_differ_by_reason(tmp_path, monkeypatch):
    differs = [
        {"test": "a_test.py::A::test_1[x|y]", "says": "no", "reason": "numbers"},
        {"test": "a_test.py::A::test_2", "says": "none", "reason": "numbers"},
        {"test": "a_test.py::A::test_3", "says": "a | b", "reason": ""},
    ]
    row = {
        "repository": "me/tiny", "release": "v1", "commit": "0" * 40, "options": ["--tf-version", "1.15.5"],
        "on_old": None, "files": 2, "left_out": {"b_test.py": "a GPU"}, "before": 200, "here": 197, "differs": differs,
    }  # fmt: skip
    (tmp_path / "rows.json").write_text(json.dumps([row]), encoding="utf-8")
    monkeypatch.setattr(page, "TESTS", tmp_path / "rows.json")
    tables = page.tables()
    link = "[me/<wbr>tiny](https://github.com/me/tiny/tree/" + "0" * 40 + ") v1"
    assert tables["unit tests"].splitlines()[2:] == [f"| {link} | 2 of 3 | 200 | 197 | 98.5% |"]
    assert [line.split(" | ", 1)[1] for line in tables["tests that differ"].splitlines()[2:]] == [
        "– |  | It needs `--tf-version 1.15.5` here. |",
        "2 | `A.test_1[x\\|y]` | numbers |",
        "1 | `A.test_3` | Not known yet: a \\| b |",
    ]
