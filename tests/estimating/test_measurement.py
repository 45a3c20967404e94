"""The search for the memory limit under which a step just runs, with a worker whose step needs a known amount."""

from __future__ import annotations

import pytest

from tf1mem.estimating import measurement
from tf1mem.estimating.worker import OUT_OF_MEMORY
from tf1mem.settings.units import MIB

GIB_IN_MIB = 1024


class Worker:
    """A worker in place of the process that runs steps.

    Args:
        growing: The least limit in MiB under which its step runs with growth.
        whole: The least limit in MiB under which its step runs without growth.
    """

    def __init__(self, growing: int, whole: int) -> None:
        self.least_limit = {True: growing, False: whole}
        self.requests: list[dict] = []

    def run(self, exchange, **request):
        return self.run_all(exchange, [request])[0]

    def run_all(self, exchange, requests):
        self.requests += requests
        return [self.answer(**request) for request in requests]

    def answer(self, trace, nodes, device, fraction=None, growth=True):
        growth = growth and (fraction is None or not trace)
        limit = None if fraction is None else fraction * measurement.MACHINE_GIB * GIB_IN_MIB
        if limit is not None and limit < self.least_limit[growth] - 0.5:
            return {"failed": OUT_OF_MEMORY, "message": "no room"}
        peak = 1000 * MIB
        answer = {"allocator_peak": peak, "first_peak": peak} if trace else {"ran": True}
        return dict(answer, nodes=[]) if nodes else answer


@pytest.mark.parametrize(
    ("growing", "whole", "tries", "runs"),
    [
        (1000, 1000, 1, 3),  # the first try is 3% above the peak, and also measures the step in one region
        (1040, 1000, 2, 5),
        (1000, 1040, 2, 6),  # a step that did not run under the limit is measured under a higher one
        (1400, 1000, 8, 17),
    ],
)
def test_a_limit_is_found_within_three_percent(growing, whole, tries, runs):
    worker = Worker(growing, whole)
    measured = measurement._on_gpu(worker, None, lambda stage: None, False)
    assert max(growing, whole) <= measured.fit_mib <= max(growing, whole) + 31
    assert (measured.tries, len(worker.requests)) == (tries, runs)
    assert [request["trace"] for request in worker.requests[:3]] == [True, False, True]
    assert measured.allocator_peak == measured.growth_peak == 1000 * MIB
