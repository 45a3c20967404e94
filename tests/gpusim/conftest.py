"""Runs programs on simulated GPUs, in forks of a Python that has imported their modules."""

from __future__ import annotations

import pytest

from tf1mem.gpusim.launching import simulation


@pytest.fixture
def on_simulated_gpus(warm_on_gpus, tmp_path):
    """Returns a function that runs a program; it returns the finished process, and the histories of its GPUs."""

    def run(program, values=None, gpus=1, status=0, **env):
        script, trace = tmp_path / "program.py", tmp_path / "trace.jsonl"
        script.write_text(program, encoding="utf-8")
        with simulation(["8GiB"] * gpus, trace=trace, values=values) as machine:
            done = warm_on_gpus.run(script, env={**machine.environment, **env})
            histories = machine.histories()
        assert done.returncode == status, done.stdout + done.stderr
        return done, histories

    return run
