"""A fixture with the built site, which is built once for each file of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import site as building


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the newly built site."""
    return building.build(tmp_path_factory.mktemp("guide") / "site")
