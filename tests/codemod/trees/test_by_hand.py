"""The file of `--report` lists the places that need a decision by hand, also after an interrupted run."""

from __future__ import annotations

import subprocess

from tests.codemod.trees import OLD, OLD_PYTHON2, build, codemod, command, variables
from tests.processes.environment import LIMIT_S
from tf1mem.codemod.results import Remark
from tf1mem.codemod.trees.by_hand import ReportFile
from tf1mem.codemod.trees.outcomes import Outcome, Tally


def test_the_report_lists_remaining_places(tmp_path):
    build(tmp_path, {"src/a.py": OLD_PYTHON2, "src/b/c.py": OLD_PYTHON2, "src/b/d.py": OLD_PYTHON2, "src/e.py": OLD})
    build(tmp_path, {"src/.hidden/f.py": OLD, "src/g.py": b"\0"})
    first = codemod("--write", "--report", "left.txt", "src", "none.py", cwd=tmp_path)
    lines = (tmp_path / "left.txt").read_text().splitlines()
    summary = first.stderr.decode().splitlines()[-3:]
    assert summary[0] == "4 files looked at, 4 rewritten, 3 places need a decision by hand."
    assert lines[2:5] == summary
    findings = [line for line in first.stdout.decode().splitlines() if ": TFM003 " in line]
    assert [line.strip() for line in lines if line.startswith("    src/")] == [
        line.replace(" TFM003 ", " ") for line in findings
    ]
    counts = lines[lines.index("Rules") : lines.index("Folders") + 3]
    assert counts == ["Rules", "     3  TFM003", "", "Folders", "     2  src/b/", "     1  src/"]
    assert lines[-4:] == [
        "Skipped, or not written",
        "  src/.hidden: folder with a name that begins with a dot",
        "  src/g.py: skipped: binary",
        "  none.py: error: No such file or directory. Give a file or folder that can be read",
    ]


def test_the_top_counts_all_rules_and_the_first_folders(tmp_path):
    report = ReportFile(str(tmp_path / "left.txt"), "apply")
    for number in range(25):
        report.add(Outcome(f"f{number}/a.py", remarks=(Remark(f"TFM{number:03}", 1, 1, "this", "that."),)))
    report.end(Tally(), "show", whole=True)
    lines = (tmp_path / "left.txt").read_text().splitlines()
    rules, folders = lines.index("Rules"), lines.index("Folders")
    assert len([line for line in lines[rules:folders] if "TFM" in line]) == 25
    assert lines[folders + 21] == "        and 5 folders more"


def test_nothing_is_rewritten_if_the_report_cannot_be_written(tmp_path):
    build(tmp_path, {"a.py": OLD})
    done = codemod("--write", "--report", "none/left.txt", "a.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, (tmp_path / "a.py").read_bytes()) == (2, b"", OLD)
    assert done.stderr.decode() == (
        "tf1mem: error: --report none/left.txt: can't be written: No such file or directory. "
        "Name a file that can be written\n"
    )


def test_only_a_report_is_replaced(tmp_path):
    build(tmp_path, {"a.py": OLD_PYTHON2, "left.txt": b""})
    done = codemod("--write", "--report", "a.py", "a.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, (tmp_path / "a.py").read_bytes()) == (2, b"", OLD_PYTHON2)
    assert b"--report a.py is an existing file, but not such a report" in done.stderr
    for _ in range(2):
        assert codemod("--report", "left.txt", "a.py", cwd=tmp_path).returncode == 1
    assert "a.py:5:1: " in (tmp_path / "left.txt").read_text()


def test_an_interrupted_run_keeps_its_part_of_the_report(tmp_path):
    # So many lines that the output's buffer is written before the run ends.
    build(tmp_path, {f"src/{name}.py": OLD_PYTHON2 for name in range(100)})
    with open("/dev/full", "wb") as full:
        arguments = command("--write", "--report", "left.txt", "src")
        done = subprocess.run(arguments, stdout=full, check=False, timeout=LIMIT_S, env=variables(), cwd=tmp_path)
    assert done.returncode == 2
    assert (tmp_path / "src" / "0.py").read_bytes() != OLD_PYTHON2
    left_out = (tmp_path / "left.txt").read_text()
    assert "src/0.py:5:1: " in left_out
    assert "The run ended early" in left_out
