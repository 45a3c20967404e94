"""Every entry by `tf1mem run` of a TF1 program: it has to reserve what TensorFlow 1.15.5 reserved."""

from __future__ import annotations

import pytest

from . import recording

WAY = "run"


@pytest.mark.parametrize("entry", recording.entries(), ids=lambda entry: entry.name)
def test_reserves_what_tf1_reserved(entry, check):
    check(entry)
