"""Records what the programs print on TensorFlow 1.15.5.

Usage, from the root of the repository:

    python -m tests.programs.recording [NAME …]    on TensorFlow 1.15.5: records
    python -m tests.programs.recording --check     on TensorFlow 1.15.5: prints differences; ends with 1 if any
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.processes.environment import clean

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded.json"
# The largest difference of a number with decimals, relative to it, or to 1 if it is smaller. Kernels add up in other
# orders; another seed changes the second digit.
CLOSE = 1e-5
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def programs() -> dict[str, Path]:
    """Returns the programs' paths by their names."""
    return {path.stem: path for path in sorted((HERE / "untouched").glob("*.py"))}


def read() -> dict[str, list[str]]:
    """Returns the recorded lines by the programs' names."""
    lines: dict[str, list[str]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return lines


def differences(recorded: list[str], printed: list[str]) -> list[str]:
    """Returns the lines that differ in more than rounding, or that are on one side only."""
    pairs = [(old, new) for old, new in zip(recorded, printed) if not _is_same(old, new)]
    more = [(old, "") for old in recorded[len(printed) :]] + [("", new) for new in printed[len(recorded) :]]
    return [f"{old!r} on TensorFlow 1.15.5, {new!r} here" for old, new in [*pairs, *more]]


def _is_same(old: str, new: str) -> bool:
    if _NUMBER.sub("", old) != _NUMBER.sub("", new):
        return False
    return all(
        abs(float(first) - float(second)) <= CLOSE * max(1.0, abs(float(first)))
        if "." in first + second
        else first == second
        for first, second in zip(_NUMBER.findall(old), _NUMBER.findall(new))
    )


def printed(path: Path) -> list[str]:
    """Returns the lines that a program prints in a Python of its own."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, str(path)]
        return subprocess.check_output(
            command, cwd=folder, env=clean(), stderr=subprocess.DEVNULL, encoding="utf-8"
        ).splitlines()


def main(arguments: list[str]) -> int:
    """Records or checks; returns 1 if a checked program prints something else."""
    recorded = read() if RECORDED.exists() else {}
    if arguments == ["--check"]:
        differing = {name: differences(recorded.get(name, []), printed(path)) for name, path in programs().items()}
        for name, of_program in differing.items():
            for line in of_program:
                print(f"{name}: {line}")
        return int(any(differing.values()))
    unknown = set(arguments) - set(programs())
    if unknown:
        sys.exit("no such program: {}".format(", ".join(sorted(unknown))))
    lines = {
        name: printed(path) if name in (arguments or programs()) else recorded.get(name, [])
        for name, path in programs().items()
    }
    RECORDED.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
