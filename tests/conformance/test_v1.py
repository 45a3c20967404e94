"""Every entry by `import tf1mem.v1 as tf` and a Session: it has to reserve what TensorFlow 1.15.5 reserved."""

from __future__ import annotations

import pytest

from . import recording

WAY = "v1"
pytestmark = pytest.mark.proof


@pytest.mark.parametrize("entry", recording.entries(), ids=lambda entry: entry.name)
def test_reserves_what_tf1_reserved(entry, check):
    check(entry)
