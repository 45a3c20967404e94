"""Reports over several configs: lines are kept, are marked as replaced, and aren't repeated."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

import tf1mem
from tests.processes.schemas import valid
from tf1mem.applying.report import DONE, HANDED, NO_EFFECT, REPLACED, Line, Report
from tf1mem.doctor.judges.losses import under_tf1mem
from tf1mem.doctor.watch.record import Record
from tf1mem.errors import printable
from tf1mem.planning.steps import Step, shown

GIB = 2**30
SPLIT = {
    "gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [1024]}]}},
    "allow_soft_placement": False,
}
LOGGED = {"log_device_placement": True, "allow_soft_placement": False}


def gpu(**options):
    return {"gpu_options": options}


def lines(config, outcome=DONE):
    steps = tf1mem.plan(config, tensorflow="2.21.0", gpus=[8 * GIB]).steps
    return tuple(Line(step, outcome, step.reason) for step in steps)


class Cells(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.cells = set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.cells += [""] if tag in ("th", "td") else []

    def handle_data(self, data):
        self.cells[-1:] = [self.cells[-1] + data] if self.cells else []


class Printer:
    """A stand-in for the printer of IPython in a terminal."""

    def __init__(self):
        self.printed = ""

    def text(self, text):
        self.printed += text


def test_a_debugger_shows_one_line_and_ipython_the_table():
    plan = tf1mem.plan(SPLIT, tensorflow="2.21.0", gpus=[8 * GIB])
    report = Report(plan.runtime, lines(gpu(allow_growth=True)))
    assert repr(plan) == "<Plan: 2 settings, 2 by tf.config, TensorFlow 2.21.0>"
    assert repr(report).startswith("<Report: ")
    assert repr(report).endswith(" done, TensorFlow 2.21.0>")
    assert repr(Report()) == "<Report: 0 settings, TensorFlow not started>"
    for shown_whole in (plan, report):
        printer = Printer()
        shown_whole._repr_pretty_(printer, cycle=False)
        assert printer.printed == str(shown_whole)


def test_a_notebook_shows_a_table_in_which_nothing_is_markup():
    plan = tf1mem.plan(SPLIT, tensorflow="2.21.0", gpus=[8 * GIB])
    hostile = Step("<script>alert('1')</script>", '"<b>"&amp;\x1b', "<i>", "f(<u>)", "&lt;")
    report = Report(plan.runtime).and_then([*lines(SPLIT), Line(hostile, "<done>", "</table>")])
    cells = Cells(report._repr_html_())
    assert cells.tags == {"p", "b", "div", "table", "tr", "th", "td"}
    texts = [cell for line in report.lines for cell in
            (line.step.setting, shown(line.step.value), line.outcome, line.step.call, line.why)]  # fmt: skip
    assert cells.cells[:-5] == ["setting", "value", "outcome", "call", "why", *texts[:-5]]
    assert cells.cells[-5:] == [
        "<script>alert('1')</script>",
        printable(shown('"<b>"&amp;\x1b')),
        "<done>",
        "f(<u>)",
        "</table>",
    ]
    page = Cells(plan._repr_html_())
    assert page.cells[:5] == ["setting", "value", "route", "call", "reason"]
    assert [cell for step in plan.steps if step.listed for cell in (step.setting, step.reason)] == [
        cell for row in zip(page.cells[5::5], page.cells[9::5]) for cell in row
    ]
    assert "<b>tf1mem: nothing applied in this process</b></p>" in Report()._repr_html_()


def test_a_replaced_split_is_said_to_be_gone():
    report = Report().and_then(lines(SPLIT)).replaced_by(lines(LOGGED))
    outcomes = {line.step.setting: line.outcome for line in report.lines}
    assert outcomes == {
        "gpu_options.experimental.virtual_devices": REPLACED,
        "allow_soft_placement": DONE,  # TF1's default, which both configs mean
        "log_device_placement": DONE,
        "(without a config)": REPLACED,  # by the later config, which says nothing of GPUs
    }
    whys = {line.step.setting: line.why for line in report.lines if line.outcome == REPLACED}
    assert whys.pop("(without a config)") == "a later config has replaced it"
    assert set(whys.values()) == {"a later config leaves it out"}
    # The doctor names the split once, as lost, and not again for the default config that asked for it.
    end = {"event": "end", "tf1mem": valid("report", json.loads(json.dumps(report.as_dict())))["lines"]}
    assert [finding.message.split("=")[0] for finding in under_tf1mem(Record((end,)))] == list(whys)


def test_the_line_for_other_sessions_stays_when_a_session_has_its_own_settings():
    alone = [line for line in lines({"log_device_placement": True}) if line.step.route != "default config"]
    report = Report().and_then(lines(SPLIT)).replaced_by(alone)
    assert [line.outcome for line in report.lines if line.step.setting == "(without a config)"] == [DONE]


def test_the_lines_of_a_session_stay():
    handed = Report().and_then(lines({"isolate_session_state": True}, HANDED)).lines
    assert Report(None, handed).replaced_by([]).lines == handed


@pytest.mark.parametrize(
    ("config", "gpus", "lost"),
    [
        (gpu(allow_growth=True), 0, False),
        (dict(gpu(allow_growth=True), device_count={"GPU": 0}), 1, False),
        (gpu(allow_growth=False), 1, False),
        ({"device_count": {"gpu": 0}}, 1, True),
    ],
)
def test_a_setting_without_effect_is_lost_unless_it_needs_none(config, gpus, lost):
    steps = tf1mem.plan(config, tensorflow="2.21.0", gpus=gpus).steps
    lines = [Line(step, NO_EFFECT, step.reason) for step in steps if step.route == "none"]
    assert [line.lost for line in lines] == [lost]


def test_nothing_is_said_twice():
    once = Report().and_then(lines(SPLIT))
    assert once.and_then(lines(SPLIT)).lines == once.lines
    assert Report().and_then([*once.lines, *once.lines]).lines == once.lines
