"""A fixture with the recordings of old sides that the tests of a file share."""

from __future__ import annotations

import pytest

from tests.verifying.forked import Kept


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Returns the recordings of a file's old sides: each is made by the first test that needs it."""
    return Kept(tmp_path_factory.mktemp("kept"))
