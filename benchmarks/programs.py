"""Runs the programs of old repositories, unchanged, on TensorFlow 1.15 and by `tf1mem run` on this TensorFlow.

Each entry script and each file of unit tests runs on both, in a copy of its repository with a separate home directory,
without arguments and without a network. A script that still runs when its time is over counts as started. README.md
says how to read the table.

Usage: programs.py DIR --before PYTHON [--only REPOSITORY …] [--seconds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, Iterator
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from programs_data import make_data  # noqa: E402

from tf1mem.verifying.signals import ended_by_signals  # noqa: E402

_TOO_LARGE = 20 << 20  # bytes
_TESTS = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|[^/]*_tests|tests)\.py$")
_NOT_PROGRAMS = re.compile(r"(^|/)(setup|conftest|__init__)\.py$")
_TENSORFLOW = re.compile(r"^\s*(import|from)\s+(tensorflow|keras)\b", re.MULTILINE)
_MAIN = re.compile(r"^if\s+__name__\s*==", re.MULTILINE)
_RAISED = re.compile(
    r"^((?:\w+\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Failure|Empty)|SystemExit)\b:?\s*(.*)$"
)

# The outcomes of a script. Those in `STARTED` count as started: without arguments, data and a network a script can't
# get further.
ENDED, RUNNING, ARGUMENTS, DATA = "ended", "running", "wants arguments", "wants data"
DOWNLOAD, PACKAGE, STOPPED = "wants a download", "wants a package", "stopped"
STARTED = (ENDED, RUNNING, ARGUMENTS, DATA, DOWNLOAD)

_SIGNS = (
    (
        DOWNLOAD,
        re.compile(
            r"URLError|HTTPError|gaierror|ConnectionError|ConnectionRefused|URL fetch failure|MaxRetryError|SSLError"
        ),
    ),
    (
        DATA,
        re.compile(
            r"FileNotFoundError|No such file|NotFoundError|NotADirectory|does not exist|[Cc]ould not find|BadZipFile"
            r"|not a valid checkpoint|Can't load save_path|[Nn]o (?:data|\w+ files) found|data(?:set)? directory"
        ),
    ),
    (
        ARGUMENTS,
        re.compile(r"IllegalFlagValueError|UsageError|required: |must be specified|MissingParameter|--helpshort"),
    ),
)


def main() -> None:
    """Runs the programs, and prints the table and the errors that stop scripts."""
    parser = argparse.ArgumentParser(prog="programs.py", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder whose folders are repositories")
    parser.add_argument("--before", required=True, metavar="PYTHON", help="a Python with TensorFlow 1.15 and pytest")
    parser.add_argument("--only", nargs="+", default=[], metavar="REPOSITORY", help="by default all of them")
    parser.add_argument(
        "--seconds", type=float, default=60, help="time limit of a script; tests have five times as much (default: 60)"
    )
    parser.add_argument(
        "--json", type=Path, help="keeps the outcomes of a repository here; another run goes on from them"
    )
    options = parser.parse_args()
    commands = {"before": [options.before], "after": [sys.executable, "-m", "tf1mem", "run"]}
    kept: dict[str, Any] = json.loads(options.json.read_text("utf-8")) if options.json and options.json.exists() else {}
    for repository in sorted(path for path in options.folder.iterdir() if path.is_dir()):
        if repository.name in kept or (options.only and repository.name not in options.only):
            continue
        kept[repository.name] = {
            when: outcomes(repository, command, options.seconds) for when, command in commands.items()
        }
        print(f"{repository.name}: {len(kept[repository.name]['after'])} programs", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1), "utf-8")
    show(kept)


def outcomes(repository: Path, command: list[str], seconds: float) -> dict[str, Any]:
    """Runs each program of a repository, and returns the outcomes.

    A script's outcome is one of the constants, with the line that shows it; a test file's is its passing tests.

    Args:
        repository: The repository's folder, which isn't changed.
        command: The command to which a script's path, or "-m" and a module, is appended.
        seconds: The time limit for a script, in seconds.
    """
    outcome_of: dict[str, Any] = {}
    for path in programs(repository):
        with tempfile.TemporaryDirectory(prefix="programs-") as folder:
            home, copy = Path(folder) / "home", Path(folder) / repository.name.rpartition("+")[2]
            shutil.copytree(repository, copy, ignore=_large)
            make_data(home, copy / path)
            environment = {
                **{name: value for name, value in os.environ.items() if not name.startswith(("TF1MEM", "PYTHON"))},
                "HOME": str(home), "CUDA_VISIBLE_DEVICES": "-1", "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3",
                "NO_PROXY": "", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
            }  # fmt: skip
            where, arguments, root = _how(copy, path)
            environment["PYTHONPATH"] = os.pathsep.join(map(str, dict.fromkeys([where, root, copy, folder])))
            if _TESTS.search(path):
                report = Path(folder) / "report.xml"
                tests = ["-m", "pytest", "-q", "--assert=plain", "-p", "no:cacheprovider", f"--junit-xml={report}"]
                _run([*command, *tests, str(copy / path)], where, environment, 5 * seconds)
                outcome_of[path] = _passed(report)
            else:
                outcome_of[path] = judged(*_run([*command, *arguments], where, environment, seconds), copy)
    return outcome_of


def programs(repository: Path) -> Iterator[str]:
    """Yields a repository's entry scripts and test files that use TensorFlow, by their paths in it."""
    texts = {
        path.relative_to(repository).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(repository.rglob("*.py"))
    }
    imported = set().union(*(re.findall(r"^\s*(?:from|import)\s+([\w.]+)", text, re.M) for text in texts.values()))
    stems = {name.split(".")[-1] for name in imported}
    uses = {path for path, text in texts.items() if _TENSORFLOW.search(text)}
    local = {Path(path).stem for path in uses}
    for path, text in texts.items():
        if _NOT_PROGRAMS.search(path):
            continue
        reaches = path in uses or any(
            name.split(".")[-1] in local for name in re.findall(r"^(?:from|import)\s+([\w.]+)", text, re.M)
        )
        if reaches and (
            _TESTS.search(path) or _MAIN.search(text) or (path in uses and Path(path).stem not in stems and _acts(text))
        ):
            yield path


def _acts(text: str) -> bool:
    """Returns True if a file's top level does more than define names: a script without a test of `__name__`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return "print " in text
    return any(
        isinstance(statement, (ast.Expr, ast.For, ast.With, ast.While)) and not _is_text(statement)
        for statement in tree.body
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _how(copy: Path, path: str) -> tuple[Path, list[str], Path]:
    """Returns a script's working folder, its arguments there (-m for a package's module), and a folder for the path."""
    script = copy / path
    root = script.parent
    while (root / "__init__.py").exists() and root != copy:
        root = root.parent
    if root != script.parent and re.search(r"^\s*from\s+\.", script.read_text("utf-8", "replace"), re.MULTILINE):
        return root, ["-m", ".".join(script.relative_to(root).with_suffix("").parts)], root
    return script.parent, [script.name], root


def _large(folder: str, names: list[str]) -> list[str]:
    return [
        name
        for name in names
        if name == ".git" or (Path(folder, name).is_file() and Path(folder, name).stat().st_size > _TOO_LARGE)
    ]


def _run(command: list[str], where: Path, environment: dict[str, str], seconds: float) -> tuple[int | None, str]:
    """Returns the exit status, None if the script was still running, and its output on stderr."""
    with ended_by_signals(), tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
            start_new_session=True,
        )  # fmt: skip
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        stderr.seek(0)
        return status, stderr.read()[-20_000:].decode("utf-8", "replace")


def judged(status: int | None, stderr: str, copy: Path) -> tuple[str, str]:
    """Returns a script's outcome, and the line of its stderr that shows it."""
    if status is None:
        return RUNNING, ""
    if status == 0:
        return ENDED, ""
    lines = [line.strip() for line in stderr.replace(str(copy), ".").splitlines() if line.strip()]
    raised = next((line for line in reversed(lines) if _RAISED.match(line)), lines[-1] if lines else f"status {status}")
    if (
        status == 2
        and re.search(r"^(usage|.*: error)", stderr, re.MULTILINE | re.IGNORECASE)
        and not raised.startswith("tf1mem")
    ):
        return ARGUMENTS, raised
    raised = re.sub(r" \(/[^)]*\)$", "", raised)  # the path in "cannot import name 'x' from 'y' (/…)"
    missing = re.match(r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)", raised)
    if missing:
        name = missing[1].split(".")[0]
        is_own = any(copy.rglob(name + ".py")) or any(path.is_dir() for path in copy.rglob(name))
        return (STOPPED if is_own or name in ("tensorflow", "keras") else PACKAGE), raised
    for kind, sign in _SIGNS:
        if sign.search(raised):
            return kind, raised
    return STOPPED, raised


def _passed(report: Path) -> list[str]:
    if not report.exists():
        return []
    cases = ElementTree.parse(report).iter("testcase")
    failed = ("failure", "error", "skipped")
    return sorted(
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if not any(case.find(tag) is not None for tag in failed)
    )


def counted(kept: dict[str, Any]) -> dict[str, Counter[str]]:
    """Returns the numbers of each repository, and of all."""
    rows: dict[str, Counter[str]] = {}
    for name, repository in sorted(kept.items()):
        row = rows[name] = Counter()
        for path, before in repository["before"].items():
            after = repository["after"][path]
            if _TESTS.search(path):
                row["tests"] += len(before)
                row["tests here"] += len(set(before) & set(after))
                continue
            row["scripts"] += 1
            row["start"] += before[0] in STARTED
            row["start here"] += before[0] in STARTED and after[0] in STARTED
            row["here alone"] += before[0] not in STARTED and after[0] in STARTED
    rows["all"] = sum(rows.values(), Counter())
    return rows


def stopped(kept: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the scripts that start on TensorFlow 1.15 and not here, each with the error that stops it."""
    for name, repository in sorted(kept.items()):
        for path, before in repository["before"].items():
            after = repository["after"][path]
            if not _TESTS.search(path) and before[0] in STARTED and after[0] not in STARTED:
                yield f"{name.replace('+', '/')}: {path}", f"{after[0]}: {after[1]}"


COLUMNS = {
    "scripts": "scripts",
    "start": "start on 1.15",
    "start here": "of these, start here",
    "here alone": "here alone",
    "tests": "tests that pass on 1.15",
    "tests here": "of these, pass here",
}


def show(kept: dict[str, Any]) -> None:
    """Prints a row for each repository, the sum, and what stops scripts that start on TensorFlow 1.15."""
    print("| repository | {} |".format(" | ".join(COLUMNS.values())))
    print("|" + "---|" * (len(COLUMNS) + 1))
    for name, row in counted(kept).items():
        print("| {} | {} |".format(name, " | ".join(str(row[key]) for key in COLUMNS)))
    for script, reason in stopped(kept):
        print(f"{script}: {reason[:150]}")


if __name__ == "__main__":
    main()
