"""That forking changes nothing: a few entries, each in a process of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from . import cases, comparing, recording

NAMES = ("fraction 0.4; growth; two alike", "visible 1,0; two alike", "list_physical_devices, then visible 1")


@pytest.mark.parametrize("way", ["apply", "v1", "run"])
def test_a_process_of_its_own_shows_the_same(way, truth, gpu_build, tensorflow_version):
    entries = [entry for entry in recording.entries() if entry.name in NAMES]
    assert len(entries) == len(NAMES)
    with ThreadPoolExecutor(len(entries)) as pool:  # most of it is waiting
        observed = list(pool.map(lambda entry: cases.alone(cases.of(entry), way), entries))
    for entry, got in zip(entries, observed):
        assert comparing.differences(entry, truth[entry.name], got, tensorflow_version, way) == []
