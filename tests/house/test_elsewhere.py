"""The files for Docker, GitHub Actions and conda."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from .imports import ROOT

BIN = Path(sys.executable).parent


def test_the_dockerfile_has_no_findings():
    subprocess.run([str(BIN / "hadolint"), "--failure-threshold", "style", str(ROOT / "Dockerfile")], check=True)


def test_docker_gets_all_that_a_wheel_is_built_from():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {line[1:] for line in lines if line.startswith("!")}
    config = setup_cfg()
    needed = {"setup.cfg", "setup.py", "pyproject.toml", "README.md", "tf1mem"}
    needed |= {module + ".py" for module in config["options"]["py_modules"].split()}
    needed |= set(config["metadata"]["license_files"].split())
    assert sent == needed
    assert "*" in lines


def setup_cfg() -> ConfigParser:
    config = ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    return config


STEPS = {step["name"]: step for step in yaml.safe_load((ROOT / "action.yml").read_bytes())["runs"]["steps"]}
DEFAULTS = {
    name: each["default"] for name, each in yaml.safe_load((ROOT / "action.yml").read_bytes())["inputs"].items()
}


@pytest.mark.parametrize(
    ("step", "inputs", "status"),
    [
        ("Show what tf1mem codemod would change", {}, 0),
        ("Show what tf1mem codemod would change", {"fail": "true"}, 1),
        ("Check what stops the programs", {"paths": "my src\n"}, 1),
    ],
    ids=["codemod", "codemod fails", "check"],
)
def test_a_step_of_the_action_writes_annotations(tmp_path, step, inputs, status):
    (tmp_path / "my src").mkdir()
    (tmp_path / "my src" / "train.py").write_text("import tensorflow as tf\nimport surely_absent\ntf.Session()\n")
    values = {**DEFAULTS, **inputs}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda it: values[it[1]], text)
        for name, text in STEPS[step]["env"].items()
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]],
        cwd=str(tmp_path), env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **environment},
        stdout=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == status
    level, line = ("warning", 1) if "codemod" in step else ("error", 2)
    assert re.search(f"^::{level} file=my src/train.py,line={line},col=", done.stdout, re.MULTILINE), done.stdout


# Name of a package on PyPI -> its name on conda-forge, if that differs.
CONDA = {"tree-sitter": "tree_sitter"}


def test_the_conda_package_has_the_dependencies_of_the_command():
    text = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    config = setup_cfg()
    (version,) = re.findall(r'set version = "(.*)"', text)
    recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "x", text).replace("\nx\n", "\n"))
    needed = [config["options"]["install_requires"], config["options.extras_require"]["cli"]]
    requirements = [Requirement(line) for line in "\n".join(needed).splitlines() if line and not line.startswith("#")]
    assert version == config["metadata"]["version"]
    assert recipe["about"]["summary"] == config["metadata"]["description"]
    assert recipe["build"]["entry_points"] == config["options.entry_points"]["console_scripts"].split("\n")[1:]
    assert sorted(recipe["requirements"]["run"][1:]) == sorted(
        f"{CONDA.get(each.name, each.name)} {each.specifier}" for each in requirements
    )
