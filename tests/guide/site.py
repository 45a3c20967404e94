"""Builds the site as `make guide` does, and lists its pages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.processes.environment import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "migration_guide"
# Pages outside of the guide whose links are checked and whose blocks are run, too.
BESIDE = ("README.md", "CONTRIBUTING.md", "examples/README.md", "benchmarks/README.md")


def build(folder: Path) -> Path:
    """Builds the site into a folder; every warning is an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=str(ROOT), env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, encoding="utf-8",
        timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
    return folder


def pages(site: Path) -> list[str]:
    """Returns the pages of a built site, as paths relative to it."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
