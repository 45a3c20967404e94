"""A fixture that keeps the recordings of old sides (programs on their old TensorFlow) for all tests of a file."""

from __future__ import annotations

import pytest

from tests.verifying.forked import Kept


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Returns a store of old sides' recordings: the first test that needs a recording makes it."""
    return Kept(tmp_path_factory.mktemp("kept"))
