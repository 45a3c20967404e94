"""Judges the training of flagship repositories by `tf1mem verify`: TensorFlow 1.15.5 beside `tf1mem run` here.

    python -m benchmarks.flagships DIR [NAME …] --old-python PATH [--work FOLDER] [--json FILE]

DIR has git clones of the repositories that flagships_table.py lists, bare or not, each as `owner+name`:

    git clone https://github.com/google-research/bert 'DIR/google-research+bert'

Each is taken at its commit, gets small seeded data, and is judged untouched. Its row is written into flagships.json at
once, so that an interrupted run continues: rows of the same commit, command and TensorFlow are kept unless their NAME
is given.
"""

from __future__ import annotations

import argparse
import datetime
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Sequence

from benchmarks.flagships_table import FLAGSHIPS, GOLD, PLATINUM, SILVER, STOPS, Flagship

HERE = Path(__file__).resolve().parent
ROWS = HERE / "flagships.json"
# The tier of a training that differs for a reason that nobody knows yet.
UNKNOWN = "unknown"
_TIERS = {"same": PLATINUM, "different": UNKNOWN, "not compared": STOPS}


def main(arguments: Sequence[str]) -> int:
    """Judges flagships; returns 1 if one isn't in the tier that the table expects."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flagships", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with clones, each as owner+name")
    parser.add_argument("names", nargs="*", metavar="NAME", help="owner/name, or a part of it; by default all")
    parser.add_argument("--old-python", metavar="PATH", required=True, help="a Python with TensorFlow 1.15.5")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="keep the repositories and certificates here")
    parser.add_argument(
        "--json", type=Path, default=ROWS, metavar="FILE", help="the file of rows (default: benchmarks/flagships.json)"
    )
    options = parser.parse_intermixed_args(arguments)  # names may come after options
    chosen = select(options.names, FLAGSHIPS)
    check_clones(options.folder, chosen)
    rows = read(options.json)
    here = _version()
    wrong = 0
    for flagship in chosen:
        kept = rows.get(flagship.repository)
        if kept and not options.names and _is_current(kept, flagship, here):
            row = kept
        else:
            row = _judged_in(options.work, options.folder, flagship, options.old_python)
            rows = {**read(options.json), flagship.repository: row}  # another run may have added some
            write(options.json, rows, FLAGSHIPS)
        is_expected = row["tier"] == flagship.expected
        wrong += not is_expected
        note = "" if is_expected else f" (expected: {flagship.expected})"
        why = row["reason"] or (f"to be looked into: {row['says']}" if not is_expected and row["says"] else "")
        print(f"{flagship.repository}: {row['tier']}{note}{': ' * bool(why)}{why}", flush=True)
    return int(bool(wrong))


def _is_current(row: dict[str, Any], flagship: Flagship, tensorflow: str) -> bool:
    """Returns True if a row was judged on a version of TensorFlow, as the table has the flagship now."""
    now = (flagship.commit, list(flagship.command), flagship.steps, flagship.program, flagship.needs)
    names = ("commit", "command", "steps", "program", "needs")
    return tuple(row[name] for name in names) == now and row["new"].get("tensorflow") == tensorflow


def select(names: Sequence[str], table: Sequence[Any]) -> list[Any]:
    """Returns the rows of a table whose repository has a name or a part of one; all of them if there are no names.

    Raises:
        SystemExit: No row has such a name.
    """
    wrong = [name for name in names if not any(name.lower() in each.repository.lower() for each in table)]
    if wrong:
        right = "\n  ".join(each.repository for each in table)
        raise SystemExit(f"flagships: {', '.join(wrong)}: there is no such flagship. There are:\n  {right}")
    return [each for each in table if not names or any(name.lower() in each.repository.lower() for name in names)]


def check_clones(folder: Path, flagships: Sequence[Flagship]) -> None:
    """Checks that a folder has a clone of each repository, with the commit.

    Raises:
        SystemExit: A clone or its commit is missing; the message has the commands that get it.
    """
    needed = {(each.repository, each.commit) for each in flagships}
    needed |= {pair for each in flagships for pair in each.beside}
    missing = [pair for pair in sorted(needed) if _git(clone_of(folder, pair[0]), "cat-file", "-e", pair[1]) is None]
    if missing:
        commands = "\n  ".join(
            f"git clone https://github.com/{repository} '{clone_of(folder, repository)}'  # with {commit[:12]}"
            for repository, commit in missing
        )
        raise SystemExit(f"flagships: {folder} lacks clones, or their commits. Get them by\n  {commands}")


def clone_of(folder: Path, repository: str) -> Path:
    """Returns the path of a repository's clone."""
    return folder / repository.replace("/", "+")


def _git(clone: Path, *arguments: str) -> bytes | None:
    """Returns the output of a git command in a clone; None if it fails."""
    if not clone.is_dir():
        return None
    ended = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)
    return None if ended.returncode else ended.stdout


def read(file: Path) -> dict[str, dict[str, Any]]:
    """Returns the rows of a file by repository; {} if there is no such file."""
    if not file.exists():
        return {}
    return {row["repository"]: row for row in json.loads(file.read_text("utf-8"))}


def write(file: Path, rows: dict[str, dict[str, Any]], table: Sequence[Any]) -> None:
    """Writes rows in the order of their table, in one go, so that an interrupted run leaves a whole file."""
    order = {each.repository: number for number, each in enumerate(table)}
    ordered = sorted(rows.values(), key=lambda row: order.get(row["repository"], len(order)))
    partial = file.with_name(file.name + ".partial")
    partial.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
    partial.replace(file)


def _version() -> str:
    from importlib.metadata import version

    return version("tensorflow")


def _judged_in(work: Path | None, folder: Path, flagship: Flagship, old_python: str) -> dict[str, Any]:
    if work is None:
        with tempfile.TemporaryDirectory(prefix="flagships-") as temporary:
            return judged(Path(temporary), folder, flagship, old_python)
    own = work / flagship.repository.replace("/", "+")
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    return judged(own, folder, flagship, old_python)


def judged(work: Path, folder: Path, flagship: Flagship, old_python: str) -> dict[str, Any]:
    """Trains a flagship on both sides, and returns its row.

    Args:
        work: An empty folder, into which the repository and the certificate are written.
        folder: The folder of the clones.
        flagship: The flagship.
        old_python: A Python with TensorFlow 1.15.5.

    Raises:
        SystemExit: `tf1mem verify` fails, or the old Python lacks a package.
    """
    copy, environment = prepared(work, folder, flagship, old_python)
    verify = [sys.executable, "-m", "tf1mem", "verify", "--steps", str(flagship.steps), "--old-python", old_python]
    ended = subprocess.run(
        [*verify, "--format", "json", *flagship.command],
        cwd=copy / flagship.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    (work / "certificate.json").write_text(ended.stdout, "utf-8")
    (work / "stderr.txt").write_text(ended.stderr, "utf-8")
    if not ended.stdout.startswith("{"):
        raise SystemExit(f"flagships: {flagship.repository}: tf1mem verify failed: {ended.stderr[-2000:]}")
    certificate = json.loads(ended.stdout)
    # No result of the flagship: a row would be kept when the package is there.
    if certificate["reason"].startswith("the old side") and "No module named" in certificate["reason"]:
        packages = f"; it needs {', '.join(flagship.packages)}" if flagship.packages else ""
        raise SystemExit(f"flagships: {flagship.repository}: {certificate['reason']}{packages}")
    return row_of(flagship, certificate)


def prepared(work: Path, folder: Path, flagship: Flagship, old_python: str) -> tuple[Path, dict[str, str]]:
    """Writes a flagship's repository, data and program into a folder; returns its path and the environment to run in.

    Args:
        work: The folder, which has no repository yet.
        folder: The folder of the clones.
        flagship: The flagship.
        old_python: A Python with TensorFlow 1.15.5.

    Raises:
        SystemExit: The clone lacks the commit, or the old Python lacks a package.
    """
    work = work.resolve()  # the program's processes have other current folders
    copy = work / flagship.repository.rpartition("/")[2]
    extract(folder, flagship.repository, flagship.commit, copy, flagship.paths)
    paths = []
    for repository, commit in flagship.beside:
        beside = work / "beside" / repository.rpartition("/")[2]
        extract(folder, repository, commit, beside, ())
        paths.append(beside / "src" if (beside / "src").is_dir() else beside)
    if flagship.program:
        shutil.copy(HERE / "flagships_programs" / flagship.program, copy / flagship.command[0])
    if flagship.make is not None:
        _make(flagship, copy, old_python)
    subprocess.run(["git", "init", "--quiet", str(copy)], check=True)  # verify copies the script's repository
    environment = {**os.environ, "MPLBACKEND": "Agg", **dict(flagship.environment)}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    return copy, environment


def _make(flagship: Flagship, copy: Path, old_python: str) -> None:
    assert flagship.make is not None
    try:
        flagship.make(copy, old_python)
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise SystemExit(f"flagships: {flagship.repository}: no weights could be made: {''.join(last)}") from None


def extract(folder: Path, repository: str, commit: str, to: Path, paths: Sequence[str]) -> None:
    """Writes the files of a clone's commit into a new folder.

    Raises:
        SystemExit: The clone lacks the commit, or a file of it.
    """
    archive = _git(clone_of(folder, repository), "archive", "--format=tar", commit, *paths)
    if archive is None:
        raise SystemExit(f"flagships: {clone_of(folder, repository)} lacks {commit}, or files of it: clone it again")
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        opened.extractall(to, filter="data")


def row_of(flagship: Flagship, certificate: dict[str, Any]) -> dict[str, Any]:
    """Returns a flagship's row.

    Args:
        flagship: The flagship.
        certificate: The certificate of `tf1mem verify`, as JSON.
    """
    difference = certificate["first_difference"] or {}
    tier = _TIERS[certificate["verdict"]]
    if tier == PLATINUM and flagship.needs:
        tier = GOLD
    if tier == UNKNOWN and flagship.differs is not None:
        kind, part = flagship.differs
        if difference.get("kind") == kind and part in difference.get("message", ""):
            tier = SILVER
    says = certificate["reason"] or difference.get("message", "")
    compared = certificate["compared"] or {}
    return {
        "repository": flagship.repository,
        "release": flagship.release,
        "commit": flagship.commit,
        "folder": flagship.folder,
        "command": list(flagship.command),
        "trains": flagship.trains,
        "program": flagship.program,
        "packages": list(flagship.packages),
        "beside": [f"{repository}@{commit[:12]}" for repository, commit in flagship.beside],
        "steps": flagship.steps,
        "verdict": certificate["verdict"],
        "tier": tier,
        "needs": flagship.needs,
        "reason": flagship.reason if tier in (SILVER, STOPS) and tier == flagship.expected else "",
        "says": says,
        "values": compared.get("values"),
        "largest_multiple": compared.get("largest_multiple"),
        "notes": certificate["notes"],
        "thresholds": certificate["thresholds"],
        "losses": losses(certificate["curves"], flagship.loss),
        "old": _side(certificate["old"]),
        "new": _side(certificate["new"]),
        "date": datetime.date.today().isoformat(),
        "tf1mem": certificate["tf1mem"],
    }


def losses(curves: Sequence[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """Returns the first and the last loss of both sides, of the longest curve of a loss; None without such curves.

    Args:
        curves: The curves of a certificate.
        name: The curve's name; "" for one with "loss" in its name, or else any but the global step.
    """
    named = [curve for curve in curves if curve["name"] == name]
    named = named or [curve for curve in curves if "loss" in curve["name"].lower()]
    named = named or [curve for curve in curves if curve["name"] != "global_step:0"]
    if not named:
        return None
    curve = max(named, key=lambda each: len(each["steps"]))
    return {
        "name": curve["name"],
        "first": [curve["old"][0], curve["new"][0]],
        "last": [curve["old"][-1], curve["new"][-1]],
    }


def _side(side: dict[str, Any] | None) -> dict[str, Any]:
    """Returns a side's versions, steps, seconds and peak of memory in bytes."""
    versions = (side or {}).get("versions", {})
    return {
        **versions,
        "steps": side and side["steps"],
        "seconds": side and side["seconds"],
        "peak_bytes": side and side["peak_bytes"],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
