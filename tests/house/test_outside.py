"""Files for GitHub and its visitors: workflows, the decisions, the citation."""

from __future__ import annotations

import re
from configparser import ConfigParser

import pytest
import yaml

from .imports import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_existing_make_targets_and_modules(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = "\n".join(step["run"] for step in steps if "run" in step)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)$", commands, re.MULTILINE)) <= targets
    for module in re.findall(r"-m (tests[\w.]*)", commands):
        assert (ROOT / module.replace(".", "/") / "__main__.py").exists()
    assert all("@" in step["uses"] for step in steps if "uses" in step), "an action without a version"
    # Every job has a time limit, but the short one that only lists the versions.
    assert all(job["timeout-minutes"] for job in workflow["jobs"].values() if "needs" in job or len(job["steps"]) > 2)


def test_some_workflow_runs_each_command_of_ci():
    commands = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    for command in ("make test", "python -m tests.matrix", "make dist", "gh release create"):
        assert command in commands


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_lists_alternatives_and_reasons(path):
    text = path.read_text(encoding="utf-8")
    number = int(path.stem.split("-")[0])
    assert text.startswith(f"# {number}. ")
    parts = re.findall(r"^\*\*(.+?)\.\*\* \S.{40}", text, re.MULTILINE)
    assert parts == ["Decided", "Alternatives", "Reasons"]
    assert f"]({path.name})" in (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")


def test_the_citation_has_the_version_of_the_package():
    config = ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == config["metadata"]["version"]
    assert citation["license"] == config["metadata"]["license"]
