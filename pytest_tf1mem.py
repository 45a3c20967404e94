"""The pytest plugin: runs tests on simulated GPUs, each in a process of its own.

pytest loads this module at every start, so it imports tf1mem only when a test needs it: the import takes time, and
installs tf1mem's hooks. `tf1mem.gpusim.pytest_parent` runs the tests.

PYTEST_DONT_REWRITE: nothing is asserted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tf1mem.gpusim.measured import MeasuredGpu

IN_A_PROCESS = "tf1mem in a process of its own"  # the plugin of a child pytest that runs one test on simulated GPUs


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option --sim-gpu."""
    parser.getgroup("simulated GPUs (tf1mem)").addoption(
        "--sim-gpu",
        action="append",
        metavar="SIZE",
        help="a simulated GPU, such as 8GiB, for every test that is not marked with others; once for each GPU",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Adds the marker `gpus`, and refuses a wrong --sim-gpu before any test runs."""
    config.addinivalue_line(
        "markers",
        'gpus(*kinds, used=None, values=None, context=None): run on simulated GPUs, such as "8GiB", in a process of '
        "its own; see `tf1mem sim --help`",
    )
    kinds = config.getoption("--sim-gpu")
    if kinds:
        from tf1mem.errors import SimulationError
        from tf1mem.gpusim.gpus import lineup

        try:
            lineup(kinds)
        except SimulationError as error:
            raise pytest.UsageError(f"--sim-gpu: {error}") from None


def pytest_report_header(config: pytest.Config) -> str | None:
    """Returns a line with the GPUs of --sim-gpu, or None without it."""
    kinds = config.getoption("--sim-gpu")
    return "simulated GPUs: {}; each test in a process of its own".format("; ".join(kinds)) if kinds else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Runs a test that asks for simulated GPUs; leaves all other tests to pytest."""
    wanted = item.config.getoption("--sim-gpu") or item.get_closest_marker("gpus")
    if not wanted or item.config.pluginmanager.hasplugin(IN_A_PROCESS):
        return None
    from tf1mem.gpusim.pytest_parent import run

    return run(item, nextitem, IN_A_PROCESS)


@pytest.fixture
def gpus(request: pytest.FixtureRequest) -> tuple[MeasuredGpu, ...]:
    """The simulated GPUs of this test, in order, and the memory that was reserved on each.

    `@pytest.mark.gpus("8GiB", "16GiB")` or `pytest --sim-gpu 8GiB` gives a test its GPUs; without them it fails.
    """
    if not request.config.pluginmanager.hasplugin(IN_A_PROCESS):
        pytest.fail(
            "this test runs on no simulated GPUs: mark it, as with @pytest.mark.gpus('8GiB'), or run pytest with "
            "--sim-gpu 8GiB",
            pytrace=False,
        )
    from tf1mem.gpusim.measured import own_gpus

    return own_gpus()


@pytest.fixture
def gpu(gpus: tuple[MeasuredGpu, ...]) -> MeasuredGpu:
    """The one simulated GPU of this test, and the memory that was reserved on it; a test with several takes `gpus`."""
    if len(gpus) > 1:
        pytest.fail(f"this test runs on {len(gpus)} simulated GPUs: take the fixture gpus", pytrace=False)
    return gpus[0]
