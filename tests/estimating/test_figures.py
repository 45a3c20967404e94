"""Public figures of GPU memory: what a row says of the simulator's and the estimate's figures."""

from __future__ import annotations

import pytest

from benchmarks import figures


def row(kind, limit=100, **more):
    return {"kind": kind, "bytes": 100, "measured": {"simulated": 80, "peak": 90, "limit": limit}, **more}


@pytest.mark.parametrize(
    ("kind", "low", "high"), [(figures.NVML, -0.2, 0.5), (figures.RAN, 0.0, 0.5), (figures.RAN_OUT, -0.2, 0.0)]
)
def test_a_bound_that_holds_is_no_error(kind, low, high):
    assert figures.error(row(kind), 80) == pytest.approx(low)
    assert figures.error(row(kind), 150) == pytest.approx(high)


@pytest.mark.parametrize(
    ("kind", "limit", "expected"),
    [
        (figures.NVML, 99, True),
        (figures.NVML, 100, False),
        (figures.RAN_OUT, 99, True),
        (figures.RAN_OUT, 100, None),
        (figures.RAN, 99, None),
        (figures.RAN, 100, False),
    ],
)
def test_a_limit_fails_if_it_is_less_than_was_needed(kind, limit, expected):
    assert figures.fails(row(kind, limit)) is expected


def test_errors_are_those_of_processes_memory():
    rows = [row(figures.NVML, others={"other": 150}), row(figures.NVML, 50, others={}), row(figures.RAN, others={})]
    errors = figures.errors([*rows, {"kind": figures.NVML, "measured": None}])
    assert list(errors) == ["simulated", "peak", "limit", "other"]
    assert list(errors["peak"]) == [2, pytest.approx(0.1), 2]
    assert list(errors["limit"]) == [2, pytest.approx(0.25), 1]
    assert list(errors["other"]) == [1, pytest.approx(0.5), 0]


def test_each_row_has_its_source_and_one_name():
    rows = figures.load()
    assert len({row["name"] for row in rows}) == len(rows) >= 15
    keys = "name half source url training batch card framework kind bytes others measured"
    assert {tuple(row) for row in rows} == {tuple(keys.split())}
    assert {row["kind"] for row in rows} <= {figures.NVML, figures.RAN, figures.RAN_OUT}
    assert {row["half"] for row in rows} == {1, 2}
