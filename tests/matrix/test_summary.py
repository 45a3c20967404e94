"""The summary at the end of the matrix."""

from __future__ import annotations

from tests.matrix import summary

SUITE = """<testsuites><testsuite tests="3" failures="{failures}" errors="0" skipped="1">
<testcase classname="tests.conformance.test_apply" name="one" time="1.5" /><testcase classname="tests.v1.test_keras"
name="two" time="3.25" /></testsuite></testsuites>"""


def write_result(folder, version, result, failures=0):
    summary.write(folder, summary.Outcome(version, result, 61.0))
    if result in (summary.PASSED, summary.FAILED):
        (folder / f"{version}.xml").write_text(SUITE.format(failures=failures), encoding="utf-8")


def test_the_last_line_is_like_pytest_s(tmp_path, capsys):
    write_result(tmp_path, "2.4.4", summary.PASSED)
    write_result(tmp_path, "2.10.1", summary.NOT_RUN)
    assert summary.show(tmp_path, ["2.4.4", "2.10.1"], 62.5) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TensorFlow 2.4.4      2 passed, 1 skipped in 61s; compared with TensorFlow 1 by apply"
    assert lines[1] == "TensorFlow 2.10.1     NOT RUN: there is no interpreter for it here"
    assert lines[3:5] == ["    3.25s on 2.4.4      tests.v1.test_keras::two", "    1.50s on 2.4.4      "
                          "tests.conformance.test_apply::one"]  # fmt: skip
    assert lines[-2] == "1 of 2 versions tested, in 61s one after another"
    assert lines[-1] == " 2 passed, 1 skipped in 62.50s ".center(80, "=")


def test_a_version_that_failed_or_did_not_run_fails_the_summary(tmp_path):
    write_result(tmp_path, "2.4.4", summary.FAILED, failures=1)
    write_result(tmp_path, "2.10.1", summary.PASSED)
    write_result(tmp_path, "2.0.4", summary.NOT_MADE)
    write_result(tmp_path, "3.0", summary.NOT_RUN)
    assert summary.show(tmp_path, ["2.10.1"], 1) == 0
    for version in ("2.4.4", "2.0.4", "3.0", "not even begun"):
        assert summary.show(tmp_path, [version], 1) == 1
