"""Calls without a config reserve what the process's settings allow, to the byte, whatever the settings' source."""

from __future__ import annotations

import pytest

from tests.conformance import cases
from tests.processes.environment import LIMIT_S
from tf1mem.machine.tensorflow import installed_version
from tf1mem.settings import takers

from . import measuring, table

# Source -> the kind of setting that CI tests with it.
_IN_CI = {
    "--config": ("fraction",),
    "--override": ("growth",),
    "environment": (),
    "apply": ("fraction",),
    "apply, under tf1mem.v1": (),
    "program": (),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrizes the tests with the table's calls that this TensorFlow has; in CI with few of them."""
    if "name" in metafunc.fixturenames:
        whole = metafunc.config.getoption("--whole")
        metafunc.parametrize("name", measuring.names(installed_version(), cheap=not whole))


@pytest.fixture(scope="module")
def measured(warm_pythons):
    """Yields a `Measuring`, after checking that TensorFlow is built for GPUs."""
    with cases.Cases("apply", warm_pythons) as running:
        built = running.submit([cases.Case("built", (2**30,), {}, program="built_with_cuda.py")])["built"].result()
    assert built["with cuda"], "this TensorFlow is a build for the CPU: install one for GPUs"
    measurements = measuring.Measuring(warm_pythons)
    yield measurements
    measurements.close()


def test_a_call_without_a_config_takes_the_settings_of_the_process(name, measured, tensorflow_version, request):
    whole = request.config.getoption("--whole")
    waiting = {
        (source, kind): measured.submit(name, source, kind)
        for source in table.SOURCES
        for kind in (measuring.SETTINGS if whole else _IN_CI[source])
        if measuring.runs(name, source, tensorflow_version)
    }
    wrong = []
    for (source, kind), future in waiting.items():
        result = future.result(LIMIT_S)
        if not measuring.holds(name, source, kind, result):
            wrong.append(
                f"{kind} from {source}: {result.reserved} bytes, status {result.status}\n{result.output[-2000:]}"
            )
    assert not wrong, "\n".join(wrong)


def test_the_table_has_what_tf1_calls():
    """Each name of tf1mem.settings.takers is in some call of the table, unless it is listed in SAME_AS_OTHERS."""
    code = "\n".join([*table.CALLS, *(calls.code for calls in table.CALLS.values())])
    missing = {
        leaf
        for taker in takers.TAKERS
        for leaf in taker.leaves
        if leaf not in code and leaf not in table.SAME_AS_OTHERS
    }
    assert not missing
