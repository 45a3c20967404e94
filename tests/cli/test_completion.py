"""Completion of the command line, in a real bash if one is installed."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.processes.environment import LIMIT_S

# A bash script that completes a command line as the Tab key does, without a terminal. By compopt the completion leaves
# the names of files to bash; here it only shows its option.
COMPLETE = """
eval "$("$1" completion bash)"
compopt() { echo "option $2"; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_tf1mem_completion "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered_by_bash(*words):
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", *words], stdout=subprocess.PIPE, check=True, encoding="utf-8", timeout=LIMIT_S
    )
    return [line for line in done.stdout.splitlines() if line]


@pytest.fixture
def program(tmp_path):
    """Returns the path of an executable file tf1mem, like an installed one."""
    path = tmp_path / "tf1mem"
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m tf1mem \"$@\"\n")
    path.chmod(0o755)
    return str(path)


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")


@needs_bash
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["co"], ["codemod", "completion"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["codemod", "--to", ""], ["shim", "apply", "native"]),
        (["run", "--re"], ["--report"]),
        (["explain", "TFC20"], ["TFC201", "TFC202", "TFC203", "TFC204"]),
        (["plan", "settings.p"], ["option default"]),
        (["sim", "--trace", "tr"], ["option default"]),
    ],
    ids=" ".join,
)
def test_bash(program, words, offered):
    assert offered_by_bash(program, *words) == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell):
    """The script parses, if the shell is installed, and tf1mem answers to the variable that it sets."""
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "completion", shell], stdout=subprocess.PIPE, check=True, encoding="utf-8"
    )
    assert f"_TF1MEM_COMPLETE={shell}_complete" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, check=True, encoding="utf-8")
