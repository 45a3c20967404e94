"""A fixture with the built site, which is built once for all processes of a test run."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from . import site as building


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the newly built site; the first process that needs it builds it, and the others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # xdist's workers have their folders in one
    built = shared / "guide-site"
    with open(shared / "guide-site.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            building.build(shared / "guide-site.building").rename(built)
    return built
