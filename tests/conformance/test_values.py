"""GPUs that compute values reserve as many bytes as GPUs that don't: tested with an entry for each kind of setting."""

from __future__ import annotations

import pytest

from . import recording

WAY = "apply"
VALUES = True
NAMES = (
    "fraction 0.1; two alike", "fraction 0.1; growth; two alike", "growth; visible 1; two alike",
    "three virtual; two alike", "limit; growth; two alike",
)  # fmt: skip


@pytest.mark.parametrize(
    "entry", [entry for entry in recording.entries() if entry.name in NAMES], ids=lambda entry: entry.name
)
def test_reserves_what_tf1_reserved(entry, check):
    check(entry)
