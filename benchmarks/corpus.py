"""Runs the codemod on a folder of repositories: counts what it handles and damages, and measures its time and memory.

    python benchmarks/corpus.py DIR [--to TARGET …] [--docs] [--list] [--json FILE] [--no-command]
                                [--sample N --tensorflow PYTHON]

Nothing is written into DIR, and nothing in it is run.

A **hit** is a file whose code builds a ConfigProto or GPUOptions; of files with the same bytes only one counts.
Python's own `ast` recognizes hits, after a rough conversion of Python 2, and without the codemod's code. Where a file
imports TensorFlow's names from another module of its repository, that module is read as the codemod rewrites it. The
source after the rewrite decides the outcome of a hit, not the codemod's own report:

* **fully handled**: `corpus_checks/handled.py` defines it for each target. For apply, for example, every config is
  passed through `tf1mem.apply`, and the name that builds it exists on TensorFlow 2. A config that is passed to nothing
  and doesn't leave the file is dead: for apply and native it is handled if the codemod reports it.
* **left with a remark**: the hit isn't fully handled, and the codemod says why. The remarks TFM003 and TFM4xx, which
  are about something else, don't count.
* **missed**: the hit is neither.

`--list` names the hits that are left or missed, each with the reason why it isn't fully handled.

`damaged` must be 0. It counts files that `ast.parse` accepts before the rewrite and not after it; files that it never
accepts and that have more errors for tree-sitter after the rewrite; notebooks in which anything but the source of a
cell has changed; files whose line ends have changed; and files that changed though the codemod reports no change.

Times in the table are CPU times. `command` is `tf1mem codemod DIR` itself, with all its processes; `again` is its
second run, which has the first run's cache. Where ruff is installed, the first run's time is also divided by that of
ruff's pyupgrade rules. `--sample N` compares the times of the codemod and of TensorFlow's tf_upgrade_v2 on N hits.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from corpus_checks import damage, handled, reading, speed, upgrading  # noqa: E402
from corpus_checks.names import Names  # noqa: E402

from tf1mem.codemod import Result, rewrite  # noqa: E402

TARGETS = ("shim", "apply", "native")
_OFF_TOPIC = ("TFM003", "TFM4")  # Python 2; mistakes of TensorFlow 2 programs
_SECONDS_A_FILE = 120  # the time limit of tf_upgrade_v2
_SLOWEST = 10  # the number of slow files to record; the report shows three of them


@dataclass
class Figures:
    """The figures of one target on a corpus.

    `files` and `bytes` are about the whole corpus. `fully`, `remark` and `missed` count hits by their outcome; `dead`
    counts hits whose config is passed to nothing. Holders are files that build no config, but set a field of one, or
    pass one to TensorFlow.

    `changed` and `remarked` count files. `by_code` and `changes_by_code` count the files with a remark's code and with
    a change's code; `left_by_code` counts the codes of the remarks on hits that are left. The times are those of
    `rewrite`, of all files and of the hits. `command` has the figures of the function `command`.

    The lists have paths of files. `missed_files` and `left_files` add the reason, `crashes` the traceback, `damaged`
    the damage, `slowest` the seconds before the path; `unstable` has the files that a second run changes again.
    """

    to: str
    files: int = 0
    bytes: int = 0
    hits: int = 0
    hit_bytes: int = 0
    hit_repositories: int = 0
    fully: int = 0
    remark: int = 0
    missed: int = 0
    dead: int = 0
    holders: int = 0
    holders_fully: int = 0
    holders_remark: int = 0
    changed: int = 0
    remarked: int = 0
    cpu_seconds: float = 0.0
    hit_cpu_seconds: float = 0.0
    by_code: Counter[str] = field(default_factory=Counter)
    left_by_code: Counter[str] = field(default_factory=Counter)
    changes_by_code: Counter[str] = field(default_factory=Counter)
    missed_files: list[tuple[str, str]] = field(default_factory=list)
    left_files: list[tuple[str, str]] = field(default_factory=list)
    crashes: list[tuple[str, str]] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    command: dict[str, Any] = field(default_factory=dict)


class Corpus:
    """The files of a folder.

    Args:
        folder: The folder.
        docs: True to include Markdown and reST.
    """

    def __init__(self, folder: Path, *, docs: bool) -> None:
        self.folder = folder
        self.files = list(reading.files(folder, docs=docs))
        self.repositories = {file.repository for file in self.files}
        self._known: dict[Path, handled.Settings] = {}

    def settings(self, file: reading.File, source: bytes) -> handled.Settings:
        """Returns the settings of a file before the codemod."""
        if file.path not in self._known:
            self._known[file.path] = handled.settings(reading.tree(source, file.kind))
        return self._known[file.path]


class Program:
    """The other modules of a file's repository, as the codemod rewrites them.

    Args:
        corpus: The corpus.
        to: The target.
    """

    def __init__(self, corpus: Corpus, to: str) -> None:
        self._corpus, self._to = corpus, to
        self._known: dict[Path, Names | None] = {}

    def elsewhere(self, file: reading.File) -> handled.Elsewhere:
        """Returns a function that looks up the names that a file of the program imports from its other modules."""
        top = self._corpus.folder / file.repository

        # For "utils.tf": the paths of `tf` in utils.py, such as {"tensorflow"}; none if there is no such module. Where
        # that module imports the name in turn, at most four further modules are read, since they may form a circle.
        def paths(dotted: str, depth: int = 0) -> set[str]:
            relative = len(dotted) - len(dotted.lstrip("."))
            parts = dotted.lstrip(".").split(".")
            folders = [file.path.parent, *file.path.parent.parents]
            folders = [folder for folder in folders if folder == top or top in folder.parents]
            if relative:
                folders = folders[relative - 1 : relative]
            for cut in range(len(parts) - 1, 0, -1):
                for folder in folders:
                    names = self._names(folder.joinpath(*parts[:cut]))
                    if names is None:
                        continue
                    paths_of_name: set[str] = set()
                    for base in names.exported(parts[cut]):
                        path = ".".join([base, *parts[cut + 1 :]])
                        known = path.split(".")[0] in ("tensorflow", "tf1mem", "keras") or path[:1] == "?"
                        paths_of_name |= {path} if known or depth > 3 else paths(path, depth + 1) or {path}
                    return paths_of_name
            return set()

        return paths

    def _names(self, module: Path) -> Names | None:
        """Returns the names of a module, by its path without suffix; None if there is no such module."""
        candidates = (module.with_name(module.name + ".py"), module / "__init__.py")
        path = next((candidate for candidate in candidates if candidate.is_file()), None)
        if path is None:
            return None
        if path not in self._known:
            tree = reading.tree(rewrite(path.read_bytes(), to=self._to).source, "python")
            self._known[path] = None if tree.module is None else Names(tree.module)
        return self._known[path]


def measure(corpus: Corpus, to: str) -> Figures:
    """Rewrites every file of a corpus, one after another; returns the figures of the results."""
    figures = Figures(to)
    seen: set[bytes] = set()
    repositories: set[str] = set()
    program = Program(corpus, to)
    for file in corpus.files:
        source = file.path.read_bytes()
        name = str(file.path.relative_to(corpus.folder))
        figures.files += 1
        figures.bytes += len(source)
        started = time.process_time()
        try:
            result = rewrite(source, to=to, kind=file.kind)
        except Exception:
            figures.crashes.append((name, traceback.format_exc(limit=-3)))
            continue
        seconds = time.process_time() - started
        figures.cpu_seconds += seconds
        figures.slowest = sorted([*figures.slowest, (seconds, name)], reverse=True)[:_SLOWEST]
        figures.changed += result.changed
        figures.remarked += bool(result.remarks)
        figures.by_code.update({remark.code for remark in result.remarks})
        figures.changes_by_code.update({change.code for change in result.changes})
        _check(figures, name, file.kind, source, result)
        digest = blake2b(source).digest()
        if digest in seen or file.kind not in ("python", "notebook") or not _may_have_settings(source):
            continue
        seen.add(digest)
        before = corpus.settings(file, source)
        if not before.builds and not before.holds:
            continue
        after = handled.settings(reading.tree(result.source, file.kind), program.elsewhere(file))
        if before.builds:
            repositories.add(file.repository)
            figures.hit_bytes += len(source)
            figures.hit_cpu_seconds += seconds
            _judge(figures, name, before, after, result)
        elif before.holds:
            figures.holders += 1
            figures.holders_fully += _is_handled(to, before, after, result)
            figures.holders_remark += not _is_handled(to, before, after, result) and bool(_reasons(result))
    figures.hit_repositories = len(repositories)
    return figures


def _may_have_settings(source: bytes) -> bool:
    return any(word in source for word in (b"ConfigProto", b"GPUOptions", b"gpu_options", b"config="))


def _check(figures: Figures, name: str, kind: str, source: bytes, result: Result) -> None:
    if not result.changed:
        if result.source != source:
            figures.damaged.append((name, "changed, and reported as unchanged"))
        return
    worse = damage.damage(source, result.source, kind)
    if worse:
        figures.damaged.append((name, worse))
    try:
        again = rewrite(result.source, to=figures.to, kind=kind)
    except Exception:
        figures.crashes.append((name + " (second run)", traceback.format_exc(limit=-3)))
        return
    if again.changed:
        figures.unstable.append(name)


def _reasons(result: Result) -> set[str]:
    """Returns the codes of the remarks that are about settings."""
    return {remark.code for remark in result.remarks if not remark.code.startswith(_OFF_TOPIC)}


def _is_handled(to: str, before: handled.Settings, after: handled.Settings, result: Result) -> bool:
    if to != "shim" and before.dead and _reasons(result):
        return True
    return {"shim": after.shim, "apply": after.apply, "native": after.native}[to]


def _judge(figures: Figures, name: str, before: handled.Settings, after: handled.Settings, result: Result) -> None:
    figures.hits += 1
    figures.dead += before.dead
    reasons = _reasons(result)
    why = after.why.get(figures.to, "")
    if _is_handled(figures.to, before, after, result):
        figures.fully += 1
    elif reasons:
        figures.remark += 1
        figures.left_by_code.update(reasons)
        figures.left_files.append((name, "{}: {}".format(", ".join(sorted(reasons)), why)))
    else:
        figures.missed += 1
        figures.missed_files.append((name, why))


def command(corpus: Corpus, to: str, *, docs: bool) -> dict[str, Any]:
    """Runs `tf1mem codemod --check` on the whole folder, without a cache and then with the first run's cache.

    Where ruff is installed, its pyupgrade rules run on the same folder, without a cache.

    Returns:
        The fields of the first run's `speed.Cost`; "again_cpu_seconds" of the second run; and "ruff_cpu_seconds", if
            ruff is installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        arguments = ["codemod", "--to", to, "--check", *(["--docs"] if docs else []), str(corpus.folder)]
        codemod = [sys.executable, "-m", "tf1mem", *arguments]
        first, again = (speed.cost(codemod, out=out, XDG_CACHE_HOME=folder) for _ in range(2))
        figures = {**first._asdict(), "again_cpu_seconds": again.cpu_seconds}
        if find_spec("ruff"):
            rules = ["--no-cache", "--isolated", "--select", "UP", "--exit-zero", "--quiet"]
            ruff = speed.cost([sys.executable, "-m", "ruff", "check", *rules, str(corpus.folder)], out=out)
            figures["ruff_cpu_seconds"] = ruff.cpu_seconds
    return figures


def _times_ruff(figures: Figures) -> str:
    """Returns how many times as much CPU time as ruff's rules the command took; "" if ruff didn't run."""
    ruff = figures.command.get("ruff_cpu_seconds")
    return "" if not ruff else "{:.1f}".format(figures.command["cpu_seconds"] / ruff)


def beside_tf_upgrade_v2(corpus: Corpus, python: str, count: int) -> dict[str, Any]:
    """Compares the times of tf_upgrade_v2 and of the codemod on the same hits, drawn with a fixed seed.

    Args:
        corpus: The corpus.
        python: A Python with a TensorFlow, which has tf_upgrade_v2.
        count: The number of hits to draw; all hits if there are fewer.

    Returns:
        The result of `upgrading.upgrade` as "tf_upgrade_v2", and for each target its CPU seconds and how many times as
            fast it is; or only "error" if tf_upgrade_v2 doesn't start.
    """
    hits = []
    seen: set[bytes] = set()
    for file in corpus.files:
        source = file.path.read_bytes()
        if (
            file.kind == "python"
            and source not in seen
            and _may_have_settings(source)
            and corpus.settings(file, source).builds
        ):
            seen.add(source)
            hits.append(file)
    chosen = random.Random(4).sample(hits, min(count, len(hits)))
    theirs = upgrading.upgrade(python, [file.path for file in chosen], _SECONDS_A_FILE)
    if "error" in theirs:
        return theirs
    figures: dict[str, Any] = {"tf_upgrade_v2": theirs}
    for to in TARGETS:
        sources = [(file.path.read_bytes(), file.kind) for file in chosen]
        started = time.process_time()
        for source, kind in sources:
            rewrite(source, to=to, kind=kind)
        seconds = time.process_time() - started
        by_command = theirs["cpu_seconds"] + theirs["files"] * theirs["start_cpu_seconds"]
        figures[to] = {
            "cpu_seconds": seconds,
            "times as fast": theirs["cpu_seconds"] / seconds,
            "times as fast as its command, file by file": by_command / seconds,
        }
    return figures


def shown(corpus: Corpus, all_figures: list[Figures], peer: dict[str, Any] | None, *, lists: bool) -> str:
    """Returns the report as text: a table with a column for each target, and then the details of each target.

    Args:
        corpus: The corpus.
        all_figures: The figures of each target.
        peer: The result of `beside_tf_upgrade_v2`; None if it didn't run.
        lists: True to name the hits that are missed or left.
    """
    lines = []
    first = all_figures[0]
    lines.append(
        f"{first.files:,} files, {first.bytes / 1e6:.1f} MB, {len(corpus.repositories)} repositories; "
        f"{first.hits:,} hits ({first.hit_bytes / 1e6:.1f} MB) in {first.hit_repositories} repositories"
    )  # fmt: skip
    rows = [("", *(figures.to for figures in all_figures))]
    for label, text in _ROWS:
        of_command = label.startswith("command")
        rows.append((label, *(text(figures) if figures.command or not of_command else "" for figures in all_figures)))
    widths = [max(len(row[number]) for row in rows) for number in range(len(rows[0]))]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    for figures in all_figures:
        lines.append(f"\n--to {figures.to}")
        lines.append(f"  changes by rule (files): {_counts(figures.changes_by_code)}")
        lines.append(f"  remarks by code (files): {_counts(figures.by_code)}")
        lines.append(f"  remarks on hits that are left: {_counts(figures.left_by_code)}")
        lines += ["  crash: {}\n{}".format(*crash) for crash in figures.crashes]
        lines += ["  damaged: {}: {}".format(*which) for which in figures.damaged]
        lines += [f"  changed by the second run: {which}" for which in figures.unstable]
        lines += ["  slow: {:.2f} s: {}".format(*which) for which in figures.slowest[:3]]
        if lists:
            lines += ["  missed: {}: {}".format(*which) for which in figures.missed_files]
            lines += ["  left: {}: {}".format(*which) for which in figures.left_files]
    if peer is not None:
        lines.append(f"\nbeside tf_upgrade_v2:\n{json.dumps(peer, indent=2)}")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "0"


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in counter.most_common()) or "none"


# The rows of the table: a label, and a function that returns the text of a target's cell.
_ROWS: tuple[tuple[str, Callable[[Figures], str]], ...] = (
    ("fully handled", lambda figures: _share(figures.fully, figures.hits)),
    ("left with a remark", lambda figures: _share(figures.remark, figures.hits)),
    ("missed", lambda figures: _share(figures.missed, figures.hits)),
    ("(builds a config that nobody takes)", lambda figures: str(figures.dead)),
    ("configs from elsewhere: fully", lambda figures: _share(figures.holders_fully, figures.holders)),
    ("configs from elsewhere: remark", lambda figures: _share(figures.holders_remark, figures.holders)),
    ("files changed", lambda figures: str(figures.changed)),
    ("files with a remark", lambda figures: str(figures.remarked)),
    ("crashes", lambda figures: str(len(figures.crashes))),
    ("damaged", lambda figures: str(len(figures.damaged))),
    ("second run changes", lambda figures: str(len(figures.unstable))),
    ("MB/s, all files, one process", lambda figures: f"{figures.bytes / 1e6 / figures.cpu_seconds:.2f}"),
    ("MB/s, hits, one process", lambda figures: f"{figures.hit_bytes / 1e6 / (figures.hit_cpu_seconds or 1):.2f}"),
    ("command: wall s", lambda figures: "{wall_seconds:.1f}".format(**figures.command)),
    ("command: CPU s", lambda figures: "{cpu_seconds:.1f}".format(**figures.command)),
    ("command, again: CPU s", lambda figures: "{again_cpu_seconds:.1f}".format(**figures.command)),
    ("command: times ruff's rules", _times_ruff),
    ("command: peak MiB", lambda figures: "{peak_mib:.0f}".format(**figures.command)),
)


def main() -> int:
    """Measures and prints; returns 1 if there is a crash, a damaged file, or a second run that changes something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of repositories")
    parser.add_argument("--to", action="append", choices=TARGETS, help="a target; all three if it isn't given")
    parser.add_argument("--docs", action="store_true", help="the code in Markdown and reST too")
    parser.add_argument("--list", action="store_true", help="name the hits that are missed or left")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--no-command", action="store_true", help="don't run `tf1mem codemod` on the whole folder")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="compare with tf_upgrade_v2 on N hits")
    parser.add_argument("--tensorflow", default=sys.executable, metavar="PYTHON", help="a Python with a TensorFlow")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} isn't a folder")
    corpus = Corpus(options.folder, docs=options.docs)
    if not corpus.files:
        parser.error(f"{options.folder} has no Python files and no notebooks")
    all_figures = []
    for to in options.to or TARGETS:
        figures = measure(corpus, to)
        if not options.no_command:
            figures.command = command(corpus, to, docs=options.docs)
        all_figures.append(figures)
    peer = beside_tf_upgrade_v2(corpus, options.tensorflow, options.sample) if options.sample else None
    print(shown(corpus, all_figures, peer, lists=options.list))
    if options.json:
        content = {"targets": [vars(figures) for figures in all_figures], "tf_upgrade_v2": peer}
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return int(any(figures.crashes or figures.damaged or figures.unstable for figures in all_figures))


if __name__ == "__main__":
    sys.exit(main())
