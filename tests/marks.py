"""Marks of tests that several rooms share."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tf1mem.machine.tensorflow import installed_version

NEEDS_KERAS_2 = pytest.mark.skipif(
    installed_version().release >= (2, 16) and not find_spec("tf_keras"), reason="graph mode needs tf_keras"
)
