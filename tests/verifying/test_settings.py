"""The configs of both sides' Sessions, compared as text."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tf1mem.verifying.judging import of_settings


def entry(kind, number):
    return f'device_count {{\n  key: "{kind}"\n  value: {number}\n}}\n'


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (entry("CPU", 1) + "allow_soft_placement: true\n", "allow_soft_placement: true\n", None),
        (entry("GPU", 1) + entry("CPU", 2), entry("CPU", 2) + entry("GPU", 1), None),
        (
            entry("GPU", 1) + entry("CPU", 2),
            entry("GPU", 2) + entry("CPU", 1),
            {"old": ['device_count["CPU"]: 2', 'device_count["GPU"]: 1'], "new": ['device_count["GPU"]: 2']},
        ),
        (entry("GPU", 0), "", {"old": ['device_count["GPU"]: 0'], "new": []}),
        ("gpu_options {\n  allow_growth: true\n}\n", "", {"old": ["gpu_options.allow_growth: true"], "new": []}),
    ],
)
def test_counts_of_devices_are_compared_by_type(old, new, difference):
    sides = [SimpleNamespace(notes={"sessions": [text]}) for text in (old, new)]
    result = of_settings(*sides)
    assert (result and result.details) == difference
