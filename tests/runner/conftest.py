"""The fixture `bench`: a folder with a program that tests run by Python and by `tf1mem run`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest

from tests.processes.environment import LIMIT_S

COMMAND = "import sys\nfrom tf1mem.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"


class Bench:
    """A directory with a program that tests run by Python and by `tf1mem run`."""

    def __init__(self, directory: Path, command_directory: Path, request: pytest.FixtureRequest) -> None:
        self.directory, self._request = directory, request
        self._command = command_directory / "tf1mem"
        self._command.write_text(COMMAND)

    def write(self, files: dict[str, str]) -> None:
        """Writes files: path in the program's directory -> text, whose common indentation is removed."""
        for name, text in files.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((dedent(text).lstrip("\n") if text[:2] == "\n " else text).encode())

    def python(self, *args: str, **options: Any) -> Any:
        return self._run([sys.executable, *options.pop("flags", ()), *args], **options)

    def tf1mem(self, *args: str, **options: Any) -> Any:
        """Runs a program as the installed command does."""
        return self._run([sys.executable, *options.pop("flags", ()), str(self._command), *args], **options)

    def tf1mem_as_module(self, *args: str, **options: Any) -> Any:
        return self._run([sys.executable, *options.pop("flags", ()), "-m", "tf1mem", *args], **options)

    def warm_tf1mem(self, *args: str, env: dict[str, str] | None = None) -> Any:
        """Runs a program as `tf1mem` does, in a fork of a Python that has imported the test module's WARM."""
        python = self._request.getfixturevalue("warm")
        done = python.run(self._command, *args, env=env, folder=self.directory)
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)

    def _run(
        self, command: list[str], stdin: str = "", cwd: Path | None = None, env: dict[str, str] | None = None
    ) -> Any:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "3", **(env or {})}
        done = subprocess.run(
            command,
            cwd=str(cwd or self.directory),
            env=environment,
            input=stdin.encode(),
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        return SimpleNamespace(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


@pytest.fixture
def bench(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    (tmp_path / "program").mkdir()
    (tmp_path / "bin").mkdir()
    return Bench(tmp_path / "program", tmp_path / "bin", request)
