"""Entries give TensorFlow 1's results in a new Python, too; the other tests run them in forks of a warm one.

In CI `run` runs its entry of `NAMES`; in `make proof` each way runs all three.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from . import cases, comparing, recording

NAMES = {
    "apply": "fraction 0.4; growth; two alike",
    "v1": "visible 1,0; two alike",
    "run": "list_physical_devices, then visible 1",
}


@pytest.mark.proof
@pytest.mark.parametrize("way", NAMES)
def test_a_process_of_its_own_shows_the_same(way, truth, gpu_build, tensorflow_version):
    names = set(NAMES.values())
    entries = [entry for entry in recording.entries() if entry.name in names]
    assert len(entries) == len(names)
    with ThreadPoolExecutor(len(entries)) as pool:  # most of it is waiting
        observed = list(pool.map(lambda entry: cases.run_alone(cases.case_of(entry), way), entries))
    for entry, observation in zip(entries, observed):
        assert comparing.differences(entry, truth[entry.name], observation, tensorflow_version, way) == []
