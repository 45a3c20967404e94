"""examples/tf2: TensorFlow 2 code that makes its settings with `tf1mem.config` and `tf1mem.apply`."""

from __future__ import annotations

import re

import pytest

example = pytest.mark.example


@example("tf2/memory_limit.py")
def test_memory_limit(run):
    assert run.succeeded()
    assert float(re.search(r"largest error of x @ inv\(x\): ([0-9.]+)", run.stdout).group(1)) < 0.05
    assert "There is no GPU" in run.stdout or "is limited to 1024 MiB" in run.stdout


@example("tf2/limit_and_growth.py")
def test_limit_and_growth(run):
    assert run.succeeded()
    assert "holding 81 MiB in /job:localhost/replica:0/task:0/device:" in run.stdout
    assert "allow_growth" in run.stdout


@example("tf2/two_virtual_gpus.py")
def test_two_virtual_gpus(run):
    assert run.succeeded()
    assert re.search("sum of squares 55 on .*/device:[CG]PU:0", run.stdout)
    assert re.search("sum of squares 451 on .*/device:(CPU:0|GPU:1)", run.stdout)
    assert "together 506" in run.stdout
    assert "virtual_devices" in run.stdout


@example("tf2/container.py", TF1MEM_MEMORY_LIMIT_MB="2048", TF1MEM_ALLOW_GROWTH="true")
def test_container(run):
    assert run.succeeded()
    assert "asked for: TF1MEM_ALLOW_GROWTH=true, TF1MEM_MEMORY_LIMIT_MB=2048" in run.stdout
    assert "ready, 6 * 7 = 42" in run.stdout
    assert "allow_growth" in run.stdout


@example("tf2/container.py", VISIBLE_GPU="0", MEMORY_LIMIT_MB="2048")
def test_container_with_the_names_that_guides_use(run):
    assert run.succeeded()
    assert "asked for: MEMORY_LIMIT_MB=2048, " in run.stdout
    assert ", VISIBLE_GPU=0\n" in run.stdout
    assert "ready, 6 * 7 = 42" in run.stdout


@example("tf2/container.py", TF1MEM_MEMORY_LIMIT_MB="2 GB")
def test_container_with_a_malformed_variable(run):
    assert run.returncode == 1
    assert "container.py: " in run.stderr
    assert "TF1MEM_MEMORY_LIMIT_MB" in run.stderr
    assert "Traceback" not in run.stderr
    assert "ready" not in run.stdout


@example("tf2/physical_and_logical_devices.py")
def test_physical_and_logical_devices(run):
    assert run.succeeded()
    assert "physical devices:\n    /physical_device:CPU:0" in run.stdout
    assert "logical devices:\n    /device:CPU:0" in run.stdout
    assert "too late for other settings:" in run.stdout


@example("tf2/cpu_fallback.py", "--cpu")
def test_cpu_fallback(run):
    assert run.succeeded()
    assert "[[ 5. 14.]\n [14. 50.]]" in run.stdout
    assert re.search("asked for a GPU, (there is none|all are hidden), ran on .*device:CPU:0", run.stdout)


@example("tf2/tf_data_and_function.py")
def test_tf_data_and_function(run):
    assert run.succeeded()
    assert "step 240" in run.stdout
    assert float(re.search("test accuracy ([0-9.]+)", run.stdout).group(1)) > 0.85


@example("tf2/oom_halve_batch.py")
def test_oom_halve_batch(run):
    assert run.succeeded()
    assert re.search("batch of 384: (ResourceExhausted|Internal)Error", run.stdout)  # on a GPU a copy fails
    assert re.search("batch of (192|96): fits, mean 2.0", run.stdout)


@example("tf2/mirrored_strategy.py")
def test_mirrored_strategy(run):
    assert run.succeeded()
    assert int(re.search("replicas: ([0-9]+)", run.stdout).group(1)) >= 1
    assert "w = 2.00 -3.00, b = 0.50" in run.stdout
