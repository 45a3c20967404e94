"""The doctor's page about the machine and the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Sequence

from tf1mem import __version__
from tf1mem.doctor.checkup.driver import ABSENT
from tf1mem.doctor.report.layout import Paint, findings_text, plain, row, wrapped
from tf1mem.machine.builds import capability_text
from tf1mem.machine.child import FAILED, SILENT
from tf1mem.settings.units import exactly, size

if TYPE_CHECKING:
    from tf1mem.doctor.checkup import Checkup
    from tf1mem.doctor.checkup.installed import Installed
    from tf1mem.doctor.finding import Finding


def page(checkup: Checkup, findings: Sequence[Finding], width: int, paint: Paint = plain) -> str:
    """Returns the page about the installation, the environment and the findings.

    Args:
        checkup: facts about the machine and the environment.
        findings: findings in the order of the report.
        width: line width in columns.
        paint: function that styles text for the terminal.
    """
    lines = [paint(f"tf1mem {__version__}, doctor", "title")]
    for label, text in _rows(checkup):
        lines += row(label, text, width)
    lines += ["", paint("Environment variables", "title")]
    lines += _variables(checkup, width)
    lines += ["", *findings_text(findings, width, paint)]
    return "\n".join(lines)


def _rows(checkup: Checkup) -> Iterator[tuple[str, str]]:
    here, libraries, driver = checkup.installed, checkup.libraries, checkup.driver
    yield "Python", f"{here.python}, {here.platform}"
    if here.folder is None:
        yield "TensorFlow", "not installed"
    else:
        name = ", ".join(here.distributions) or "no package records"
        build = f"built with CUDA {libraries.cuda}" if libraries.cuda else "build: " + here.build
        yield "TensorFlow", f"{here.tensorflow or 'version unknown'} ({name}), {build}"
        yield "Keras", f"{here.keras_in_use}; tf_keras {here.tf_keras or 'no'}"
        yield "tf.estimator", _estimator(here)
        yield "tf.contrib", "yes" if here.contrib else _SUPPLIED
        if libraries.wanted:
            yield "CUDA libraries", _libraries(checkup)
        if checkup.architectures is not None and checkup.architectures.sass:
            yield "GPU code", "for compute capability {}; PTX for {}".format(*map(_numbers, checkup.architectures))
    yield "driver", _driver(checkup)
    for number, gpu in enumerate(driver.gpus):
        parts = [gpu.name, "size unknown" if gpu.total_bytes is None else exactly(gpu.total_bytes)]
        if gpu.used_bytes is not None:
            parts.append(f"{size(gpu.used_bytes)} taken")
        if gpu.compute_capability:
            parts.append("compute capability " + gpu.compute_capability)
        yield f"GPU {number}", ", ".join(parts)
    if here.folder is not None:
        yield "devices", _devices(checkup)


def _numbers(capabilities: Sequence[tuple[int, int]]) -> str:
    return ", ".join(map(capability_text, capabilities)) or "none"


_SUPPLIED = "not in this TensorFlow; tf1mem.v1 and tf1mem run supply it"


def _estimator(here: Installed) -> str:
    if not here.tensorflow_estimator:
        return "no: the package tensorflow-estimator is not installed"
    package = f"tensorflow-estimator {here.tensorflow_estimator}"
    return f"yes ({package})" if here.estimator else f"{_SUPPLIED}, from {package}"


def _libraries(checkup: Checkup) -> str:
    libraries = checkup.libraries
    if libraries.missing is None:
        return f"{len(libraries.wanted)} wanted; not looked for on this system"
    if libraries.missing:
        return "{} wanted, {} missing: {}".format(
            len(libraries.wanted), len(libraries.missing), ", ".join(libraries.missing)
        )
    return f"{len(libraries.wanted)} wanted, all found (cuDNN {libraries.cudnn or '?'})"


def _driver(checkup: Checkup) -> str:
    driver = checkup.driver
    if driver.state == ABSENT:
        return "none (no libcuda.so.1)"
    if driver.state == SILENT:
        return "does not answer"
    words = [driver.version or "version unknown"]
    if driver.cuda:
        words.append(f"runs CUDA up to {driver.cuda}")
    if driver.simulated:
        words.append("simulated")
    if driver.error:
        words.append("error: " + driver.error)
    elif not driver.gpus:
        words.append("no GPU")
    return ", ".join(words)


def _devices(checkup: Checkup) -> str:
    devices = checkup.devices
    if devices.state == FAILED:
        return "TensorFlow can't be imported"
    if devices.state == SILENT:
        return "TensorFlow did not answer"
    if checkup.driver.state == SILENT:
        return "not listed: the driver doesn't answer"
    if devices.physical is None:
        return "not listed: this TensorFlow can't without starting the GPU runtime"
    names = ", ".join(devices.physical)
    return (
        f"physical: {names}. Logical devices are made when the GPU runtime starts, so they are not listed; with no "
        "settings they would be the same"
    )


def _variables(checkup: Checkup, width: int) -> list[str]:
    lines: list[str] = []
    for variable in checkup.variables:
        lines += wrapped(f"{variable.name}={variable.value}", width, "  ", "    ")
        lines += wrapped(variable.does, width, "      ", "      ")
    return lines or ["  none of those that matter is set"]
