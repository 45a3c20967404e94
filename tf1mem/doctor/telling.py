"""The doctor's pages for a person: plain text that fits the terminal and can be pasted into a bug report."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Callable, Iterator, Sequence

from tf1mem import __version__
from tf1mem.doctor.findings import ERROR, WARNING, Finding
from tf1mem.settings.units import exactly, size

if TYPE_CHECKING:
    from tf1mem.doctor.checkup import Checkup

# Text, and how it stands out on a terminal: "title", "error", "warning", "note", "removed", "added" or "".
Paint = Callable[[str, str], str]
_LABEL = 16


def plain(text: str, style: str) -> str:
    """Text as it is: for a pipe, or under NO_COLOR."""
    return text


def checkup_page(checkup: Checkup, findings: Sequence[Finding], width: int, paint: Paint = plain) -> str:
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


def row(label: str, text: str, width: int) -> list[str]:
    """A label and its text, which goes on below itself."""
    return textwrap.wrap(
        text,
        width,
        initial_indent="  " + label.ljust(_LABEL),
        subsequent_indent=" " * (_LABEL + 2),
        break_on_hyphens=False,
    )


def findings_text(findings: Sequence[Finding], width: int, paint: Paint = plain) -> list[str]:
    """Findings, each with its mend below."""
    if not findings:
        return [paint("Nothing found.", "title")]
    counts = [sum(finding.severity == kind for finding in findings) for kind in (ERROR, WARNING)]
    lines = [
        paint(
            "Findings: {}, {}, {}".format(
                *(
                    "{} {}{}".format(number, word, "" if number == 1 else "s")
                    for number, word in zip((*counts, len(findings) - sum(counts)), ("error", "warning", "note"))
                )
            ),
            "title",
        )
    ]
    for finding in findings:
        head = f"{finding.code} {finding.severity}"
        body = wrapped(finding.says, width, f"  {head}  ", "      ")
        body[0] = body[0].replace(head, paint(head, finding.severity), 1)
        detail = clean(finding.detail).split("\n") if finding.detail else []
        # A note of 80 columns moves out to the margin rather than over the edge.
        margin = " " * max(0, min(6, width - max(map(len, detail), default=0)))
        body += [margin + line for line in detail]
        lines += [*body, *wrapped(finding.mend.rstrip(".") + ".", width, "      > ", "        ")]
    return lines


def wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Text in lines, cut between words where that can be done."""
    return textwrap.wrap(clean(text), width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False) or [
        first.rstrip()
    ]


def clean(text: str) -> str:
    """Without what could steer a terminal: environment variables and errors hold anything."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)


def _rows(checkup: Checkup) -> Iterator[tuple[str, str]]:
    here, wanted, asked = checkup.installed, checkup.libraries, checkup.driver
    yield "Python", f"{here.python}, {here.platform}"
    if here.folder is None:
        yield "TensorFlow", "not installed"
    else:
        name = ", ".join(here.distributions) or "no package records"
        build = f"built with CUDA {wanted.cuda}" if wanted.cuda else "build: " + here.build
        yield "TensorFlow", "{} ({}), {}".format(here.tensorflow or "version unknown", name, build)
        extras = [
            f"tf_keras {here.tf_keras}" if here.tf_keras else "tf_keras no",
            "tf.estimator {}".format("yes" if here.estimator else "no"),
            "tf.contrib {}".format("yes" if here.contrib else "no"),
        ]
        yield "Keras", "{}; {}".format(here.keras_in_use, ", ".join(extras))
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


def _libraries(checkup: Checkup) -> str:
    wanted = checkup.libraries
    if wanted.missing is None:
        return f"{len(wanted.wanted)} wanted; not looked for on this system"
    if wanted.missing:
        return "{} wanted, {} missing: {}".format(len(wanted.wanted), len(wanted.missing), ", ".join(wanted.missing))
    return "{} wanted, all found (cuDNN {})".format(len(wanted.wanted), wanted.cudnn or "?")


def _driver(checkup: Checkup) -> str:
    asked = checkup.driver
    if asked.state == "absent":
        return "none (no libcuda.so.1)"
    if asked.state == "silent":
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
    if listed.state == "failed":
        return "TensorFlow can't be imported"
    if listed.state == "silent":
        return "TensorFlow did not answer"
    if checkup.driver.state == "silent":
        return "not asked for: the driver doesn't answer"
    if listed.physical is None:
        return "not listed: this TensorFlow can't without starting the GPU runtime"
    names = ", ".join(listed.physical)
    return (
        f"physical: {names}. Logical devices are made when the GPU runtime starts, so they are not listed; with no "
        "settings "
        "they would be the same"
    )


def _variables(checkup: Checkup, width: int) -> list[str]:
    lines: list[str] = []
    for variable in checkup.variables:
        lines += wrapped(f"{variable.name}={variable.value}", width, "  ", "    ")
        lines += wrapped(variable.does, width, "      ", "      ")
    return lines or ["  none of those that matter is set"]
