"""Runs a program, and writes the CPU time of its process, in seconds, at each line that it prints.

    steps_timed.py FILE plain|run PROGRAM [ARGUMENT …]

"run" starts it as `tf1mem run` does, "plain" as Python does. FILE gets a list in JSON. It runs on the Python of any
TensorFlow, 1.13 or newer.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


class Timed:
    """A stream that notes the process's CPU time after each line.

    Args:
        stream: The stream that gets the text.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.seconds: list[float] = []

    def write(self, text: str) -> None:
        """Writes text; at the end of a line the time is noted."""
        self._stream.write(text)
        if text.endswith("\n"):
            self.seconds.append(time.process_time())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def main(file: str, way: str, *command: str) -> None:
    """Runs the program, and writes the times.

    Args:
        file: The path for the times.
        way: "plain" or "run".
        command: The program's path, and its arguments.
    """
    sys.stdout = timed = Timed(sys.stdout)  # type: ignore[assignment]
    if way == "run":
        from tf1mem import runner

        runner.launch(runner.script(command[0], list(command[1:])))
    else:
        import runpy

        sys.argv, sys.path[0] = list(command), os.path.dirname(command[0])
        runpy.run_path(command[0], run_name="__main__")
    with open(file, "w", encoding="utf-8") as times:
        json.dump(timed.seconds, times)


if __name__ == "__main__":
    main(*sys.argv[1:])
