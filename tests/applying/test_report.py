"""Reports that grow: what is kept, what is said to be replaced, and what isn't said twice."""

from __future__ import annotations

import pytest

import tf1mem
from tf1mem.applying.report import DONE, HANDED, NO_EFFECT, REPLACED, Line, Report

GIB = 2**30
SPLIT = {"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [1024]}]}}}


def gpu(**options):
    return {"gpu_options": options}


def lines(config, outcome=DONE):
    steps = tf1mem.plan(config, tensorflow="2.21.0", gpus=[8 * GIB]).steps
    return tuple(Line(step, outcome, step.reason) for step in steps if step.listed)


def test_a_replaced_split_is_said_to_be_gone():
    report = Report(None, lines(SPLIT)).replaced_by(lines({"log_device_placement": True}))
    outcomes = {line.step.setting: line.outcome for line in report.lines}
    assert outcomes == {
        "gpu_options.experimental.virtual_devices": REPLACED,
        "allow_soft_placement": DONE,  # TF1's default, which both configs mean
        "log_device_placement": DONE,
        "(without a config)": DONE,  # whoever is given none has the earlier one until another takes its place
    }


def test_what_a_session_was_given_stays():
    handed = lines({"isolate_session_state": True}, HANDED)
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
def test_what_has_no_effect_is_lost_unless_there_is_no_gpu_for_it_or_it_asks_for_nothing(config, gpus, lost):
    steps = tf1mem.plan(config, tensorflow="2.21.0", gpus=gpus).steps
    lines = [Line(step, NO_EFFECT, step.reason) for step in steps if step.route == "none"]
    assert [line.lost for line in lines] == [lost]


def test_nothing_is_said_twice():
    once = Report(None, lines(SPLIT))
    assert once.and_then(lines(SPLIT)).lines == once.lines
    assert Report().and_then([*once.lines, *once.lines]).lines == once.lines
