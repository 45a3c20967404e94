"""The project's metadata, which a package index shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from configparser import ConfigParser

import pytest

from migration_guide.generating.spans import ROOT
from tests.matrix.proof import in_ci_or_proof


@pytest.mark.parametrize("files_url", in_ci_or_proof([None, "https://example.org/tf1mem/files"], [None]))
def test_every_link_of_the_description_is_absolute(tmp_path, files_url):
    """Relative links of the README get the project URL "Files" in front; without it setup.py keeps only their text."""
    for name in ("README.md", "setup.py", "setup.cfg"):
        shutil.copy(str(ROOT / name), str(tmp_path))
    if files_url is not None:
        config = (tmp_path / "setup.cfg").read_text("utf-8")
        config = config.replace("[metadata]\n", f"[metadata]\nproject_urls =\n    Files = {files_url}\n")
        (tmp_path / "setup.cfg").write_text(config, "utf-8")
    command = [sys.executable, "setup.py", "--quiet", "--long-description"]
    done = subprocess.run(command, cwd=str(tmp_path), capture_output=True, encoding="utf-8", check=True)
    links = re.findall(r"\]\(([^)]*)\)", done.stdout)
    assert all(link.startswith("https://") for link in links), links
    assert (f"{files_url}/migration_guide/start.md" in links) == (files_url is not None)
    assert "start in two minutes" in done.stdout
    assert "no attribute 'ConfigProto'" in done.stdout


@pytest.mark.parametrize("folder", ["contrib", "examples"])
def test_every_file_written_after_tensorflow_names_its_authors_and_licence(folder):
    """A changed file says that it is changed, and keeps the copyright notice, as section 4 of Apache-2.0 requires."""
    files = sorted((ROOT / "tf1mem" / "v1" / folder).rglob("*.py"))
    assert files
    for path in files:
        head = path.read_text(encoding="utf-8").split('"""')[0]
        assert "Copyright 2015-2019 The TensorFlow Authors" in head, path
        assert "Apache License, Version 2.0" in head, path
        assert f"after tensorflow/{folder}" in head, path
        assert "changed" in head, path


def test_licence_and_notice_are_packaged_and_the_notice_names_folders_that_exist():
    config = ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    names = config["metadata"]["license_files"].split()
    assert names == ["LICENSE", "NOTICE"]
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for folder in re.findall(r"tf1mem/v1/[\w/]+/", notice):
        assert (ROOT / folder).is_dir()
    assert "The TensorFlow Authors" in notice
