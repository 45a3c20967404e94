"""The doctor's page about the machine and the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Sequence

from tf1mem import __version__
from tf1mem.doctor.checkup.driver import ABSENT
from tf1mem.doctor.report.layout import Paint, findings_text, plain, row, wrapped
from tf1mem.machine.child import FAILED, SILENT
from tf1mem.settings.units import exactly, size

if TYPE_CHECKING:
    from tf1mem.doctor.checkup import Checkup
    from tf1mem.doctor.finding import Finding


def page(checkup: Checkup, findings: Sequence[Finding], width: int, paint: Paint = plain) -> str:
    """What is installed and in force, and what is wrong with it.

    Args:
        checkup: What was asked.
        findings: What was found, in the order to tell it.
        width: Columns to fit into.
        paint: How words stand out.
    """
    lines = [paint(f"tf1mem {__version__}, doctor", "title")]
    for label, text in _rows(checkup):
        lines += row(label, text, width)
    lines += ["", paint("Environment variables", "title")]
    lines += _variables(checkup, width)
    lines += ["", *findings_text(findings, width, paint)]
    return "\n".join(lines)


def _rows(checkup: Checkup) -> Iterator[tuple[str, str]]:
    here, wanted, asked = checkup.installed, checkup.libraries, checkup.driver
    yield "Python", f"{here.python}, {here.platform}"
    if here.folder is None:
        yield "TensorFlow", "not installed"
    else:
        name = ", ".join(here.distributions) or "no package records"
        build = f"built with CUDA {wanted.cuda}" if wanted.cuda else "build: " + here.build
        yield "TensorFlow", f"{here.tensorflow or 'version unknown'} ({name}), {build}"
        tf_keras, estimator, contrib = here.tf_keras or "no", _yes(here.estimator), _yes(here.contrib)
        yield "Keras", f"{here.keras_in_use}; tf_keras {tf_keras}, tf.estimator {estimator}, tf.contrib {contrib}"
        if wanted.wanted:
            yield "CUDA libraries", _libraries(checkup)
    yield "driver", _driver(checkup)
    for number, gpu in enumerate(asked.gpus):
        parts = [gpu.name, "size unknown" if gpu.total_bytes is None else exactly(gpu.total_bytes)]
        if gpu.used_bytes is not None:
            parts.append(f"{size(gpu.used_bytes)} taken")
        if gpu.compute_capability:
            parts.append("compute capability " + gpu.compute_capability)
        yield f"GPU {number}", ", ".join(parts)
    if here.folder is not None:
        yield "devices", _devices(checkup)


def _yes(there: bool) -> str:
    return "yes" if there else "no"


def _libraries(checkup: Checkup) -> str:
    wanted = checkup.libraries
    if wanted.missing is None:
        return f"{len(wanted.wanted)} wanted; not looked for on this system"
    if wanted.missing:
        return "{} wanted, {} missing: {}".format(len(wanted.wanted), len(wanted.missing), ", ".join(wanted.missing))
    return f"{len(wanted.wanted)} wanted, all found (cuDNN {wanted.cudnn or '?'})"


def _driver(checkup: Checkup) -> str:
    asked = checkup.driver
    if asked.state == ABSENT:
        return "none (no libcuda.so.1)"
    if asked.state == SILENT:
        return "does not answer"
    words = [asked.version or "version unknown"]
    if asked.cuda:
        words.append(f"runs CUDA up to {asked.cuda}")
    if asked.simulated:
        words.append("simulated")
    if asked.error:
        words.append("error: " + asked.error)
    elif not asked.gpus:
        words.append("no GPU")
    return ", ".join(words)


def _devices(checkup: Checkup) -> str:
    listed = checkup.devices
    if listed.state == FAILED:
        return "TensorFlow can't be imported"
    if listed.state == SILENT:
        return "TensorFlow did not answer"
    if checkup.driver.state == SILENT:
        return "not asked for: the driver doesn't answer"
    if listed.physical is None:
        return "not listed: this TensorFlow can't without starting the GPU runtime"
    names = ", ".join(listed.physical)
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
