"""The truth itself: the grid covers all pairs, and for 1.15.5 the rules compute the truth."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from packaging.version import Version

from . import comparing, drawing, grid, recording, traps

TRUTH_IS_OF = Version(recording.TENSORFLOW)


def test_the_grid_is_large_enough_and_no_name_stands_twice():
    names = [entry.name for entry in recording.entries()]
    assert len(set(names)) == len(names)
    assert len(grid.entries()) >= 200
    assert len({json.dumps(entry.config, sort_keys=True) for entry in grid.entries()}) >= 100


def test_every_pair_of_values_that_can_meet_does_and_is_taken(truth):
    meetings = set()
    for entry in grid.entries():
        if entry.values is not None and "error" not in truth[entry.name] and truth[entry.name]["limits"]:
            meetings |= drawing.meetings(entry.values, 2)
    for first, second in combinations(sorted(grid.FACTORS), 2):
        for value in grid.FACTORS[first]:
            for other in grid.FACTORS[second]:
                assert ((first, value), (second, other)) in meetings or not _can_meet({first: value, second: other})


def _can_meet(pair):
    others = {factor: values for factor, values in grid.FACTORS.items() if factor not in pair}
    fixed = {factor: [value] for factor, value in pair.items()}
    return any(drawing.draw({**others, **fixed}, grid.fits, 1))


def test_every_entry_that_is_taken_ends_in_an_allocation_that_is_refused(truth):
    for entry in recording.entries():
        observation = truth[entry.name]
        if "error" not in observation and observation["limits"] and entry.name not in comparing.ON_PURPOSE:
            assert observation["outcomes"].endswith("refused"), entry.name


@pytest.mark.parametrize("entry", recording.entries(), ids=lambda entry: entry.name)
def test_the_rules_come_to_the_truth(entry, truth):
    if entry.name == "fraction negative":  # its limit is negative, which the rules don't cover
        assert truth[entry.name]["limits"] == [int(-0.5 * entry.gpus[0])]
        return
    assert comparing.differences(entry, truth[entry.name], truth[entry.name], TRUTH_IS_OF, "TF1") == []


def test_each_kind_of_difference_is_noticed(truth):
    entry = next(entry for entry in grid.entries() if entry.name == "fraction 0.4; growth; two alike")
    observation = truth[entry.name]

    def noticed(**changed):
        return comparing.differences(entry, observation, dict(observation, **changed), TRUTH_IS_OF, "v1")

    assert noticed() == []
    assert "may take" in noticed(limits=[observation["limits"][0] - 1, observation["limits"][1]])[0]
    assert "logical GPUs" in noticed(limits=observation["limits"][:1])[0]
    assert "physical GPU" in noticed(physical=[1, 0])[0]
    assert "reserved" in noticed(regions=[[sum(observation["regions"][0])], observation["regions"][1]])[0]
    assert "allocations" in noticed(outcomes=observation["outcomes"].replace("refused", "ok"))[0]
    assert (
        "SettingError"
        in comparing.differences(entry, observation, {"error": ["SettingError", "no"]}, TRUTH_IS_OF, "v1")[0]
    )


def test_a_trap_that_goes_unnoticed_is_noticed(truth):
    entry = next(entry for entry in traps.entries() if entry.name == "eager op, then growth")
    observation = truth[entry.name]
    assert comparing.differences(entry, observation, observation, TRUTH_IS_OF, "apply")
    late = {"error": ["RuntimeAlreadyStarted", "…"]}
    assert comparing.differences(entry, observation, late, TRUTH_IS_OF, "apply") == []
