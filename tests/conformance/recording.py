"""Records the truth from TensorFlow 1.15.5, or checks it.

Usage: python -m tests.conformance.recording [--check], from the root of the repository, on a Python 3.7 that has
tensorflow-gpu 1.15.5: .nox/on-1-15-5/bin/python, which `nox --install-only --session "on(1.15.5)"` makes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

from tests.processes.warm import WarmPythons
from tf1mem.machine.tensorflow import installed_version

from . import cases, grid, traps
from .entries import Entry

PATH = cases.HERE / "truth.json"
TENSORFLOW = "1.15.5"


def entries() -> tuple[Entry, ...]:
    """Returns all entries that have a truth."""
    return (*grid.entries(), *traps.entries())


def read() -> dict[str, dict[str, Any]]:
    """Returns the truth, by the names of the entries.

    Raises:
        AssertionError: The entries have changed since it was recorded.
    """
    truth: dict[str, dict[str, Any]] = json.loads(PATH.read_text("utf-8"))["seen"]
    now = {entry.name: digest(entry) for entry in entries()}
    then = {name: observation.pop("of") for name, observation in truth.items()}
    differing = sorted(name for name in {**now, **then} if now.get(name) != then.get(name))
    assert now == then, f"truth.json is of other entries: record it again (see recording.py): {differing}"
    return truth


def digest(entry: Entry) -> str:
    """Returns a short hash of an entry, which changes when the entry does."""
    inputs = [entry.config, entry.gpus, entry.visible, entry.allocations, entry.earlier_steps]
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:8]


def observe_all() -> dict[str, dict[str, Any]]:
    """Runs every entry on the TensorFlow of this Python, as TensorFlow 1 ran it.

    Raises:
        AssertionError: This TensorFlow isn't 1.15.5, or an entry could not be observed.
    """
    assert str(installed_version()) == TENSORFLOW, f"this Python has TensorFlow {installed_version()}"
    with WarmPythons() as pythons, cases.Cases("TF1", pythons) as running:
        futures = running.submit(cases.case_of(entry) for entry in entries())
        return {name: future.result() for name, future in futures.items()}


def write(observations: dict[str, dict[str, Any]]) -> None:
    """Writes the truth, a line for each entry."""
    digests = {entry.name: digest(entry) for entry in entries()}
    lines = [
        f"{json.dumps(name)}: {json.dumps(dict(of=digests[name], **entry))}" for name, entry in observations.items()
    ]
    head = f'{{"tensorflow": "{TENSORFLOW}", "seen": {{\n'
    PATH.write_text(head + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Records, or checks; returns 1 if something differs."""
    if arguments not in ([], ["--check"]):
        raise SystemExit(__doc__)
    observations = observe_all()
    if not arguments:
        write(observations)
        print(f"{len(observations)} entries recorded in {PATH}")
        return 0
    truth = read()
    different = [name for name in truth if truth[name] != observations[name]]
    for name in different:
        print(f"{name}\n  was: {truth[name]}\n  is:  {observations[name]}")
    print(f"{len(truth)} entries, {len(different)} of them different on TensorFlow {TENSORFLOW}")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
