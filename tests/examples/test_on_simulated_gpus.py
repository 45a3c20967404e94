"""The examples print the same on simulated GPUs as on the CPU: this file runs the tests of the other files there."""

from __future__ import annotations

from types import ModuleType

import pytest
from packaging.version import Version

from tests.examples import test_tf1_examples
from tf1mem.machine.tensorflow import installed_version

GPUS = ("8GiB", "8GiB")
pytestmark = pytest.mark.proof
VERSION = installed_version() or Version("0")


def _take_tests(module: ModuleType) -> None:
    globals().update((name, value) for name, value in vars(module).items() if name.startswith("test_"))


_take_tests(test_tf1_examples)
if Version("2.4.0rc0") <= VERSION:
    from tests.examples import test_tf2_examples

    _take_tests(test_tf2_examples)
    if Version("2.10") > VERSION:

        @pytest.mark.skip(reason="NCCL before 2.12 crashes where GPUs are not in /sys")
        def test_mirrored_strategy() -> None:
            """The strategy reduces with NCCL."""
