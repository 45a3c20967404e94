"""The example for fleets of repositories: on a local Ray cluster of two workers it says what one process says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.codemod.trees import OLD, ROOT, build, variables

SCRIPT = ROOT / "examples" / "fleet" / "repositories.py"


def lines(*args, cwd):
    command = [sys.executable, str(SCRIPT), *args, "old", "lacking", "nothing"]
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, check=True, env=variables(), timeout=280).stdout


@pytest.fixture
def repositories(tmp_path):
    return build(
        tmp_path, {"old/train.py": OLD, "lacking/run.py": b"import nowhere\n", "nothing/run.py": b"print(1)\n"}
    )


def test_one_by_one(repositories):
    old, lacking, nothing = map(json.loads, lines("--one-by-one", cwd=repositories).splitlines())
    assert [each["path"] for each in (old, lacking, nothing)] == ["old", "lacking", "nothing"]
    assert lacking["check"]["verdict"] == "stops"
    assert nothing["check"]["verdict"] == "runs"
    assert [each["codemod"]["summary"]["changed"] for each in (old, lacking, nothing)] == [1, 0, 0]


def test_two_workers_of_ray_say_the_same(repositories):
    pytest.importorskip("ray", reason="ray isn't installed: pip install ray")
    assert lines("--workers", "2", cwd=repositories) == lines("--one-by-one", cwd=repositories)
