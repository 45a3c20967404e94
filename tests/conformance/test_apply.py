"""Every entry by `tf1mem.apply` and eager ops: it has to reserve what TensorFlow 1.15.5 reserved."""

from __future__ import annotations

import pytest

from . import recording

WAY = "apply"


@pytest.mark.parametrize("entry", recording.entries(), ids=lambda entry: entry.name)
def test_reserves_what_tf1_reserved(entry, check):
    check(entry)
