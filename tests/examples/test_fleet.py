"""examples/fleet prints the same for several repositories in one process and on two Ray workers."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.codemod.trees import OLD, ROOT, build, variables
from tests.processes.environment import LIMIT_S

SCRIPT = ROOT / "examples" / "fleet" / "repositories.py"


def output_of(*args, cwd):
    command = [sys.executable, str(SCRIPT), *args, "old", "lacking", "nothing"]
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, check=True, env=variables(), timeout=LIMIT_S).stdout


@pytest.fixture
def repositories(tmp_path):
    return build(
        tmp_path, {"old/train.py": OLD, "lacking/run.py": b"import nowhere\n", "nothing/run.py": b"print(1)\n"}
    )


def test_one_process_checks_and_rewrites_each_repository(repositories):
    old, lacking, nothing = map(json.loads, output_of("--one-by-one", cwd=repositories).splitlines())
    assert [each["path"] for each in (old, lacking, nothing)] == ["old", "lacking", "nothing"]
    assert lacking["check"]["verdict"] == "stops"
    assert nothing["check"]["verdict"] == "runs"
    assert [each["codemod"]["summary"]["changed"] for each in (old, lacking, nothing)] == [1, 0, 0]


@pytest.mark.proof
def test_two_ray_workers_print_the_same(repositories):
    pytest.importorskip("ray", reason="ray isn't installed: pip install ray")
    assert output_of("--workers", "2", cwd=repositories) == output_of("--one-by-one", cwd=repositories)
