"""What a package index shows of the project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from migration_guide.generating.spans import ROOT


@pytest.mark.parametrize("files", [None, "https://example.org/tf1mem/files"])
def test_every_link_of_the_description_is_absolute(tmp_path, files):
    for name in ("README.md", "setup.py", "setup.cfg"):
        shutil.copy(str(ROOT / name), str(tmp_path))
    if files is not None:
        config = (tmp_path / "setup.cfg").read_text("utf-8")
        config = config.replace("[metadata]\n", f"[metadata]\nproject_urls =\n    Files = {files}\n")
        (tmp_path / "setup.cfg").write_text(config, "utf-8")
    command = [sys.executable, "setup.py", "--quiet", "--long-description"]
    done = subprocess.run(command, cwd=str(tmp_path), capture_output=True, encoding="utf-8", check=True)
    links = re.findall(r"\]\(([^)]*)\)", done.stdout)
    assert all(link.startswith("https://") for link in links), links
    assert (f"{files}/migration_guide/start.md" in links) == (files is not None)
    assert "starts in two minutes" in done.stdout
    assert "no attribute 'ConfigProto'" in done.stdout
