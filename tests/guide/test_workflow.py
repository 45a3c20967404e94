"""The workflow on the page about CI: the extras that it installs exist, and a test runs its commands."""

from __future__ import annotations

import configparser
import re

import yaml

from tf1mem.machine.versions import TESTED

from . import blocks
from .site import GUIDE, ROOT


def test_the_commands_of_the_workflow_are_those_that_the_page_runs():
    of_page = blocks.read(GUIDE / "ci.md")
    workflow, with_action = [yaml.safe_load(block.text) for block in of_page if block.language == "yaml"]
    assert set(with_action["steps"][-1]["with"]) <= set(yaml.safe_load((ROOT / "action.yml").read_bytes())["inputs"])
    (job,) = workflow["jobs"].values()
    shown = {
        it.text
        for block in [*of_page, *blocks.read(GUIDE / "pytest.md")]
        if block.is_run and block.language == "console"
        for it in blocks.commands(block)
    }
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    install, *others = [step["run"] for step in job["steps"] if "run" in step]
    assert len(others) == 2
    assert set(others) <= shown  # test_blocks.py runs those
    config = configparser.ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    (extras,) = re.findall(r"tf1mem\[(.*?)\]", install)
    assert set(extras.split(",")) <= set(config["options.extras_require"])
    assert set(job["strategy"]["matrix"]["tensorflow"]) <= {row.version for row in TESTED}
    (artifact,) = [step["with"]["path"] for step in job["steps"] if "upload-artifact" in step.get("uses", "")]
    assert any(f"--plot {artifact} " in command for command in others)
