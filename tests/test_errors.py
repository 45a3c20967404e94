"""Errors, plans, reports and notes escape text that would control a terminal or GitHub Actions."""

from __future__ import annotations

from dataclasses import fields

import pytest

import tf1mem
from tf1mem.errors import Tf1memError, complain, printable

FORGED = "0\n  allow_growth  True\r\n::error file=a.py::no\x1b[2J ##[group] \u202e\udcff"


def steers(text: str) -> bool:
    """Returns True if a text has a line that is a command to GitHub Actions, or characters that control a terminal."""
    return "\x1b" in text or "\u202e" in text or any(line.lstrip().startswith("::") for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "tensorflow::DirectSession::Run, std::error_code, a:b, ##",
            "tensorflow::DirectSession::Run, std::error_code, a:b, ##",
        ),
        ("é\t\x1b[31m\n\x9b\u2028\udcff\ud800", "é\\t\\x1b[31m\\n\\x9b\\u2028\\xff\\ud800"),
        ("::error::x ::Set-Env name=a::b", "\\x3a:error::x \\x3a:Set-Env name=a::b"),
        ("##[error]x ##vso[task.complete]", "\\x23#[error]x \\x23#vso[task.complete]"),
    ],
)
def test_control_characters_are_escaped_once(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown


def test_an_error_is_printed_in_escaped_text(capsys):
    error = Tf1memError(FORGED, FORGED, FORGED)
    complain(error)
    complain("no such option: " + FORGED)
    assert not steers(str(error))
    assert not steers(capsys.readouterr().err)


@pytest.mark.parametrize(
    "config",
    [{"gpu_options": {"visible_device_list": FORGED}}, {FORGED: 1}, {"experimental": {"executor_type": FORGED}}],
)
def test_a_plan_is_printed_in_escaped_text(config):
    """A line end in a config's values or field names adds no line to the table of a plan, or to an error."""
    try:
        text = str(tf1mem.plan(config, tensorflow="2.21.0", gpus=1))
        assert "\n  allow_growth" not in text
    except Tf1memError as error:
        text = str(error)
        assert "\n" not in text
    assert not steers(text)


def test_a_report_is_printed_in_escaped_text():
    from tf1mem.applying.report import DONE, Line, Report
    from tf1mem.planning.steps import Step

    line = Line(Step(FORGED, FORGED, "tf.config", FORGED, FORGED), DONE, FORGED)
    assert not steers(str(Report(None, (line,))))
    assert not steers(str(line))


def test_an_estimate_is_printed_in_escaped_text():
    from tf1mem.estimating.result import Estimate

    numbers = dict.fromkeys((field.name for field in fields(Estimate)), 1)
    texts = {"step": FORGED, "tensorflow": "2.21.0", "device": "cpu", "why_cpu": FORGED, "rows": (), "notes": (FORGED,)}
    assert not steers(str(Estimate(**{**numbers, **texts})))


def test_notes_on_memory():
    from tf1mem.machine.nvml import Holder
    from tf1mem.oom import note
    from tf1mem.oom.advice import judge
    from tf1mem.oom.messages import FailedAllocation
    from tf1mem.oom.shortage import Physical, Shortage

    gpu = Physical("", 0, 8 << 30, 0, 2 << 30, (Holder(7, 6 << 30, FORGED),))
    shortage = Shortage(FailedAllocation(1 << 30, True, (64,), "float", FORGED, "GPU:0"), "GPU:0", (2, 21), gpu=gpu)
    assert not steers(note.text(shortage, judge(shortage)))
