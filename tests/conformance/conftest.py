"""Runs the entries of a test file side by side, and keeps their results."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import pytest
from packaging.version import Version

from tests.processes.warm import WarmPythons
from tf1mem.machine.tensorflow import installed_version

from . import cases, comparing, disagreements, recording, representatives, results
from .entries import Entry


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Selects the entries that stand for all, if this isn't `make proof`."""
    if config.getoption("--whole"):
        return
    left = []
    for way in {item.module.WAY for item in items if _is_of_grid(item)}:  # type: ignore[attr-defined]
        names = representatives.names(recording.entries(), recording.read(), str(installed_version()), way)
        left += [item for item in items if _is_of_grid(item, way) and _entry(item).name not in names]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def _is_of_grid(item: Any, way: str | None = None) -> bool:
    """Returns True for a test of an entry of the whole grid, by this way or by any."""
    of_grid = "check" in getattr(item, "fixturenames", ()) and not hasattr(item.module, "VALUES")
    return of_grid and way in (None, item.module.WAY)


def _entry(item: Any) -> Entry:
    entry: Entry = item.callspec.params["entry"]
    return entry


@pytest.fixture(scope="session")
def truth() -> dict[str, dict[str, Any]]:
    """Returns the observations of TensorFlow 1.15.5, by the names of the entries."""
    return recording.read()


@pytest.fixture(scope="module")
def gpu_build(request: pytest.FixtureRequest, tensorflow_version: Version, warm_pythons: WarmPythons) -> None:
    """Skips on a build without CUDA, or fails if its version is one of those that are compared."""
    case = cases.Case("built", (2**30,), {}, program="built_with_cuda.py")
    with cases.Cases(getattr(request.module, "WAY", "apply"), warm_pythons) as running:
        built = running.submit([case])["built"].result()
    if built["with cuda"]:
        return
    why = f"TensorFlow {tensorflow_version} is here in a build without CUDA"
    if tensorflow_version.release[:2] in results.COMPARED:
        pytest.fail(why + ": install tensorflow-gpu (up to 2.0) or tensorflow, not tensorflow-cpu")
    pytest.skip(why + ", and this version is not among those that are compared")


@pytest.fixture(scope="module")
def check(
    request: pytest.FixtureRequest,
    gpu_build: None,
    tensorflow_version: Version,
    truth: dict[str, dict[str, Any]],
    warm_pythons: WarmPythons,
) -> Iterator[Callable[[Entry], None]]:
    """Yields a function that compares an entry with the truth, in the way that the test file's `WAY` names.

    The entries of the file run side by side, as many as fit into memory, since they mostly wait.
    """
    way = request.module.WAY
    names = {_entry(item).name for item in request.session.items if item.module is request.module}  # type: ignore[attr-defined]
    values = getattr(request.module, "VALUES", False)
    kinds: dict[str, str] = {}

    def compare(entry: Entry) -> None:
        why = disagreements.known(entry, way, tensorflow_version)
        if why is not None:
            request.applymarker(pytest.mark.xfail(reason=why, strict=True))
        kinds[entry.name] = results.DIFFERENT
        observation = observations[entry.name].result()
        different = comparing.differences(entry, truth[entry.name], observation, tensorflow_version, way)
        assert not different, "\n".join([f"{entry.config}, on {entry.gpus}: {entry.name}", *different])
        kinds[entry.name] = results.kind(entry, truth[entry.name], observation)

    with cases.Cases(way, warm_pythons) as running:
        observations = running.submit(
            cases.case_of(entry, values=values) for entry in recording.entries() if entry.name in names
        )
        yield compare
    if len(kinds) == len(recording.entries()):
        results.write(tensorflow_version, way, kinds)
