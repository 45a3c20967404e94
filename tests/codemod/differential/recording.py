"""Records the settings that TensorFlow 1.15.5 gets from each original program, and checks the rewritten ones.

Each program shows one *shape*, a way to write GPU settings, and is named after it: before/SHAPE.py.

Usage, from the root of the repository:

    python -m tests.codemod.differential.recording --write    on Python 3.10 and up: writes after/, by the codemod
    python -m tests.codemod.differential.recording            on TensorFlow 1.15.5: records the original programs
    python -m tests.codemod.differential.recording --check    on TensorFlow 1.15.5: ends with 1 if the record is out of
                                                              date, or a rewritten program sets something else

`nox --install-only --session "on(1.15.5)"` makes that Python: .nox/on-1-15-5/bin/python.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.processes.warm import WarmPythons
from tf1mem.machine.tensorflow import installed_version

from . import shapes
from .observing import observe

PATH = shapes.HERE / "recorded.json"
TENSORFLOW = "1.15.5"


def read() -> dict[str, dict[str, Any]]:
    """Returns the record of each original program on TensorFlow 1.15.5."""
    recorded: dict[str, dict[str, Any]] = json.loads(PATH.read_text("utf-8"))
    return recorded


def write_after() -> None:
    """Writes the rewritten programs."""
    from tf1mem.codemod import rewrite

    for to in shapes.TARGETS:
        (shapes.AFTER / to).mkdir(parents=True, exist_ok=True)
        for shape in shapes.names():
            (shapes.AFTER / to / (shape + ".py")).write_bytes(rewrite(shapes.before(shape), to=to).source)


def main(arguments: list[str]) -> int:
    """Writes, records or checks; returns 1 if something differs."""
    if arguments == ["--write"]:
        write_after()
        return 0
    if arguments not in ([], ["--check"]):
        raise SystemExit(__doc__)
    version = str(installed_version())
    assert version == TENSORFLOW, f"this Python has TensorFlow {version}"
    differences = []
    with WarmPythons() as pythons:
        truth = {shape: _kept(observe(pythons, shape, shapes.before(shape))) for shape in shapes.names()}
        if not arguments:
            lines = [f"{json.dumps(shape)}: {json.dumps(observation)}" for shape, observation in truth.items()]
            PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
            return 0
        recorded = read()
        for shape in sorted({*truth, *recorded}):
            if truth.get(shape) != recorded.get(shape):
                differences.append(f"{shape} was {recorded.get(shape)}, is {truth.get(shape)}")
        for to in sorted({*shapes.TARGETS} - {*shapes.TF2_ONLY}):
            for shape in shapes.names():
                source = shapes.after(shape, to)
                observation = observe(pythons, shape, source)
                for line in shapes.differences(shape, to, truth[shape], observation, version):
                    differences.append(f"{shape} to {to}: {line}")
    print("\n".join([*differences, f"{len(truth)} shapes, {len(differences)} differences"]))
    return int(bool(differences))


def _kept(observation: dict[str, Any]) -> dict[str, Any]:
    return {"given": observation["given"], "error": observation["error"]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
