"""The certificate as text for a terminal."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from tf1mem.errors import printable
from tf1mem.verifying import judging

_HEADS = {
    judging.SAME: "the same",
    judging.DIFFERENT: "different",
    judging.NOT_COMPARED: "couldn't be compared",
}


def as_text(certificate: dict[str, Any], width: int, verbosity: int = 0) -> str:
    """Returns a certificate as lines of text.

    Args:
        certificate: The JSON of `certificate.certificate`.
        width: The width in columns.
        verbosity: -1 for the verdict alone; 1 for the details of the first difference, too.
    """
    lines = [f"{printable(certificate['program'])}: {_HEADS[certificate['verdict']]}{up_to(certificate)}"]
    if verbosity < 0:
        return lines[0]
    if certificate["reason"]:
        lines += _wrapped(certificate["reason"], width)
    difference = certificate["first_difference"]
    if difference is not None:
        lines += _wrapped(difference["message"], width)
        if difference["reason"]:
            source = f" [{difference['source']}]" if difference["source"] else ""
            lines += _wrapped(difference["reason"] + source, width)
        for name, detail in difference["details"].items() if verbosity > 0 else ():
            lines += _wrapped(f"{name}: {json.dumps(detail, default=str)}", width)
    for side in ("old", "new"):
        if certificate[side] is not None:
            lines += _wrapped(_side(side, certificate[side]), width)
    if certificate["compared"] is not None:
        lines += _wrapped(_compared(certificate["compared"]), width)
    if certificate["outputs"] is not None:
        lines += _wrapped(_outputs(certificate["outputs"]), width)
    if "memory" in certificate:
        reserved = ", ".join(f"{each:,}" for each in certificate["memory"].get("new", []))
        lines += _wrapped(f"reserved on simulated GPUs: {reserved} bytes", width)
    for note in certificate["notes"]:
        lines += _wrapped(note, width)
    return "\n".join(lines)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _side(name: str, side: dict[str, Any]) -> str:
    versions = side["versions"]
    seconds = "" if side["seconds"] is None else f" in {side['seconds']:.1f} s"
    return (
        f"{name}: TensorFlow {versions.get('tensorflow', '?')}, Python {versions.get('python', '?')}, "
        f"NumPy {versions.get('numpy', '?')}; {side['steps']} steps{seconds}"
    )


def up_to(certificate: dict[str, Any]) -> str:
    """Returns " up to step 5" for sides that are the same and could be compared only that far, else ""."""
    until = certificate["thresholds"]["until"]
    return "" if until is None or certificate["verdict"] != judging.SAME else f" up to step {until - 1}"


_OUTPUTS = {"printed": "printed numbers", "summaries": "summaries", "checkpoints": "variables of checkpoints"}


def _outputs(outputs: dict[str, Any]) -> str:
    """Returns a line about what the sides wrote, or "" if they wrote nothing that can be compared."""
    texts = []
    for name, figures in outputs.items():
        if figures["values"]:
            different = f" ({figures['different']:,} different)" if figures["different"] else ""
            texts.append(f"{figures['values']:,} {_OUTPUTS[name]}{different}")
    return f"also compared: {', '.join(texts)}" if texts else ""


def _compared(figures: dict[str, Any]) -> str:
    """Returns a line about the compared values."""
    text = f"{figures['values']:,} values compared: {figures['equal']:,} equal, {figures['rounding']:,} by rounding"
    if figures["different"]:
        text += f", {figures['different']:,} different"
    if figures["beyond_rounding"]:
        text += f", {figures['beyond_rounding']:,} lost in rounding"
    if not figures["different"] and figures["largest_multiple"]:
        text += f"; at most {figures['largest_multiple']:.2g} times what rounding alone does"
    return text
