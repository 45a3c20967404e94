"""Every file of a tree is rewritten with the same outcome, by any number of worker processes."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time

import pytest

from tests.codemod.trees import (
    NEW,
    NOTHING,
    OLD,
    OLD_PYTHON2,
    ROOT,
    build,
    codemod,
    command,
    many,
    new,
    obey_permissions,
    old,
    processes_of,
    temporaries,
    variables,
)  # fmt: skip
from tests.matrix.proof import in_ci_or_proof
from tests.processes.environment import LIMIT_S
from tf1mem.codemod.trees.outcomes import Outcome, Tally
from tf1mem.codemod.trees.walk import walk
from tf1mem.codemod.trees.work import Options, work


def outcomes(*paths, jobs=2, **options) -> list[Outcome]:
    return list(work(walk(map(str, paths)), Options(**options), jobs=jobs))


def test_the_outcome_of_each_file(tmp_path):
    build(tmp_path, {"a.py": OLD, "b.py": NOTHING, "c.py": OLD_PYTHON2, "d.py": b"\0" + OLD, "e/f.py": OLD})
    a, b, c, d, f = outcomes(tmp_path, diff=True)
    assert (a.path, a.kind, len(a.changes), a.remarks) == (str(tmp_path / "a.py"), "python", 1, ())
    assert b"\n-import tensorflow as tf\n+import tf1mem.v1 as tf\n \n config =" in a.diff
    assert (b, b.changes, b.remarks, b.diff) == (Outcome(str(tmp_path / "b.py")), (), (), b"")
    assert [remark.code for remark in c.remarks] == ["TFM003"]
    assert d.passed_over == "binary"
    assert f.diff[f.diff.index(b"@@") :] == a.diff[a.diff.index(b"@@") :]
    assert (tmp_path / "a.py").read_bytes() == OLD


def test_a_second_run_writes_nothing(tmp_path):
    build(tmp_path, {"a.py": OLD, "b.py": NOTHING, "c/d.py": OLD})
    assert [outcome.written for outcome in outcomes(tmp_path, write=True)] == [True, False, True]
    assert [path.read_bytes() for path in (tmp_path / "a.py", tmp_path / "b.py", tmp_path / "c/d.py")] == [
        NEW, NOTHING, NEW,
    ]  # fmt: skip
    assert [outcome.changes for outcome in outcomes(tmp_path, write=True)] == [(), (), ()]


def test_files_too_deep_or_too_slow_get_a_remark(tmp_path, monkeypatch):
    from tf1mem.codemod.source import limits

    allowed = (0.5, limits.SECONDS)
    monkeypatch.setattr(limits, "SECONDS", allowed[0])
    head = b"import tensorflow as tf\nx = "
    build(tmp_path, {
        "a.py": OLD,
        "brackets.py": head + b"tf.ConfigProto(" + b"[" * 100_000 + b"\n",
        "calls.py": head + b"tf.ConfigProto(gpu_options=" * 1500 + b")" * 1500 + b"\n",
        "pairs.py": head + b"[" * 900 + b"]" * 900 + b"\ntf.Session()\n",
        "sum.py": head + b" + ".join([b"tf.ConfigProto()"] * 5000) + b"\ntf.Session(config=x)\n",
        "z.py": OLD,
    })  # fmt: skip
    outcome_of = {os.path.basename(outcome.path): outcome for outcome in outcomes(tmp_path, to="apply")}
    assert [bool(outcome_of[name].changes) for name in ("a.py", "z.py")] == [True, True]
    for name in ("brackets.py", "calls.py", "pairs.py"):
        assert [(remark.code, remark.message) for remark in outcome_of[name].remarks] == [("TFM001", limits.TOO_DEEP)]
    # If this process has threads, the worker is a new Python instead of a fork, with the module's own time limit.
    (slow,) = outcome_of["sum.py"].remarks
    assert slow.message in [limits.TOO_SLOW.format(seconds) for seconds in allowed]
    for name in ("brackets.py", "sum.py"):
        (result,) = outcomes(tmp_path / name, to="python3")
        assert result.problem == ""


def test_brackets_in_strings_and_comments_do_not_nest():
    from tf1mem.codemod.source.limits import is_too_deep

    text = b"x = ['((((((', '[[[[', \"{{{{\"]  # (((((([[[[\n'''(((((('''\n" * 1000
    assert not is_too_deep(text)
    assert not is_too_deep(b"x = f(a[1], {2: (3,)})\n" * 10_000)
    assert not is_too_deep(b"[" * 200 + b"]" * 200)
    assert is_too_deep(text + b"[" * 300 + text)


def _varied(folder, count=400):
    """Creates files of many sizes, with copies, hard links, links, binaries and notebooks among them."""
    rng = random.Random(0)
    for number in range(count):
        source = rng.choice([OLD, OLD_PYTHON2, NOTHING, old(number), b"\0", b"", old(number % 7), NOTHING * number])
        build(folder, {f"p{rng.randrange(9)}/m{number}.py": source})
    os.link(next(folder.glob("p1/*.py")), folder / "linked.py")
    os.link(next(folder.glob("p2/*.py")), folder.parent / "outside.py")
    (folder / "link.py").symlink_to("linked.py")
    (folder / "out.py").symlink_to("../outside.py")


def test_results_do_not_depend_on_the_number_of_workers(tmp_path):
    _varied(tmp_path / "tree")
    expected = outcomes(tmp_path / "tree", jobs=1, diff=True)
    assert len(expected) == 402
    for jobs in (2, 3, 7):
        assert outcomes(tmp_path / "tree", jobs=jobs, diff=True) == expected
    by_one, by_five = (codemod("--format", "json", "--jobs", jobs, ".", cwd=tmp_path / "tree") for jobs in (1, 5))
    assert by_one.stdout == by_five.stdout
    assert by_one.returncode == by_five.returncode == 1


def test_hard_links_are_rewritten_once_and_stay(tmp_path):
    build(tmp_path, {"a.py": OLD, "z.py": NOTHING})
    (tmp_path / "below").mkdir()
    os.link(tmp_path / "a.py", tmp_path / "below" / "b.py")
    os.link(tmp_path / "z.py", tmp_path / "below" / "y.py")
    a, b, y, z = outcomes(tmp_path, write=True)
    assert a.written
    assert b.passed_over == "the same file as {}: a hard link".format(tmp_path / "a.py")
    assert (y.passed_over, z.passed_over) == ("", "")
    assert os.path.samefile(tmp_path / "a.py", tmp_path / "below" / "b.py")
    assert (tmp_path / "below" / "b.py").read_bytes() == NEW


def test_files_with_hard_links_outside_the_tree_stay(tmp_path):
    build(tmp_path, {"tree/a.py": OLD})
    os.link(tmp_path / "tree" / "a.py", tmp_path / "backup.py")
    (outcome,) = outcomes(tmp_path / "tree", write=True)
    assert outcome.problem == "has 1 more hard link, from which writing would separate it"
    assert not outcome.written
    assert (tmp_path / "backup.py").read_bytes() == OLD


def test_progress(tmp_path):
    many(tmp_path, 600)
    progress = []
    entries = walk([str(tmp_path)])
    assert len(list(work(entries, Options(), jobs=2, progress=lambda *counts: progress.append(counts)))) == 600
    assert progress[-1] == (600, 600)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)


def test_wrong_options():
    with pytest.raises(ValueError, match="TFM999"):
        list(work([], Options(only=("TFM999",))))


def test_closed_in_the_middle(tmp_path):
    many(tmp_path, 600)
    running = work(walk([str(tmp_path)]), Options(write=True), jobs=2)
    next(running)
    running.close()
    assert temporaries(tmp_path) == []
    assert all(path.read_bytes()[7:9] in (b"te", b"tf") for path in tmp_path.rglob("*.py"))


def test_tally():
    tally = Tally()
    assert (tally.status(write=False), tally.status(write=True)) == (0, 0)


# Faults: real processes, real signals, real file systems.


def _start(folder, *args, **options) -> subprocess.Popen:
    return subprocess.Popen(
        command("--write", *args, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env=variables(), **options,
    )  # fmt: skip


def _wait_for_the_first(paths) -> None:
    deadline = time.monotonic() + LIMIT_S
    sizes = [path.stat().st_size for path in paths[:40]]
    while [path.stat().st_size for path in paths[:40]] == sizes:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def _wait_for_the_last(group: int) -> None:
    deadline = time.monotonic() + LIMIT_S
    while list(processes_of(group)):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _old_or_new(paths) -> int:
    """Returns how many files have the new text; each of the others must have the old one."""
    count = 0
    for path in paths:
        number = int(path.stem[len("module") :])
        source = path.read_bytes()
        assert source in (old(number), new(number)), (path, source)
        count += source == new(number)
    return count


_KILLED = [("all", 0), ("all", 1), ("all", 2), ("parent", 0), ("parent", 1), ("worker", 0), ("worker", 1)]


@pytest.mark.parametrize("killed", in_ci_or_proof(_KILLED, [("all", 0), ("parent", 0), ("worker", 0)]))
def test_killed_at_any_moment(tmp_path, killed):
    whom, seed = killed
    paths = many(tmp_path, 1000)
    process = _start(tmp_path)
    _wait_for_the_first(paths)
    time.sleep(random.Random(seed).random() * 0.4)
    if whom == "all":
        os.killpg(process.pid, signal.SIGKILL)
    elif whom == "parent":
        process.kill()
    else:
        workers = [number for number in processes_of(process.pid) if number != process.pid]
        if workers:
            os.kill(workers[0], signal.SIGKILL)
    _, err = process.communicate(timeout=LIMIT_S)
    _wait_for_the_last(process.pid)
    written = _old_or_new(paths)
    if whom == "worker":  # another worker is started in its place
        assert (process.returncode, written, temporaries(tmp_path)) == (0, 1000, []), err
    else:
        assert process.returncode == -signal.SIGKILL or written == 1000
        done = codemod("--write", tmp_path)
        assert (done.returncode, _old_or_new(paths), temporaries(tmp_path)) == (0, 1000, [])


@pytest.mark.parametrize("seed", range(3))
def test_interrupted(tmp_path, seed):
    paths = many(tmp_path, 1000)
    process = _start(tmp_path)
    _wait_for_the_first(paths)
    time.sleep(random.Random(seed).random() * 0.2)
    os.killpg(process.pid, signal.SIGINT)  # to all processes, as a terminal sends it
    _, err = process.communicate(timeout=LIMIT_S)
    assert list(processes_of(process.pid)) == []
    assert temporaries(tmp_path) == []
    written = _old_or_new(paths)
    assert (process.returncode, err.strip()) == (130, b"") or written == 1000


def test_interrupted_before_it_has_begun(tmp_path):
    """Even at its very start, no process of an interrupted run prints a traceback or survives."""
    many(tmp_path, 300)
    for delay in (0.2, 0.35, 0.5, 0.65):
        process = _start(tmp_path)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=LIMIT_S)
        assert list(processes_of(process.pid)) == []
        assert b"workers.py" not in err
    assert temporaries(tmp_path) == []


def test_only_an_abandoned_temporary_file_is_removed(tmp_path):
    build(tmp_path, {"a.py": OLD, ".tf1mem-1-0.tmp": b"", "b/.tf1mem-2-5.tmp": b"x"})
    assert codemod("--check", tmp_path).returncode == 1
    assert len(temporaries(tmp_path)) == 2  # looking changes nothing
    assert codemod("--write", tmp_path).returncode == 0
    assert temporaries(tmp_path) == []


def _namespaces() -> str:
    done = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    return done.stderr.decode() if done.returncode else ""


def test_disk_full(tmp_path):
    """On a nearly full file system some files are written; the others are reported and unchanged."""
    refused = _namespaces()
    if refused:
        pytest.skip("no mounts of one's own here, so no small file system: " + refused)
    program = """
import os, sys
from pathlib import Path
from tests.codemod.trees import codemod, many, temporaries
from tests.codemod.trees.test_work import _old_or_new
tree = Path(sys.argv[1])
paths = many(tree, 60)
with open(tree / "ballast", "wb") as ballast:
    try:
        while True:
            os.write(ballast.fileno(), bytes(4096))
    except OSError:
        pass
full = codemod("--write", tree)
print(full.returncode, _old_or_new(paths), temporaries(tree), full.stderr.count(b"No space left on device"))
(tree / "ballast").unlink()
again = codemod("--write", tree)
print(again.returncode, _old_or_new(paths), temporaries(tree))
"""
    mount = 'mount -t tmpfs -o size=512k none "$1" && exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, "sh", str(tmp_path), sys.executable, program],
        cwd=ROOT, env=variables(), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["2 0 [] 60", "0 60 []"], done.stdout + done.stderr


def test_files_too_large_for_a_limit(tmp_path):
    """A file that exceeds the process's limit on file sizes fails, and the others are written; this needs no mount."""
    build(tmp_path, {"a.py": OLD, "b.py": OLD + b"#" * 5000 + b"\n", "c.py": OLD})
    done = codemod("--write", tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert done.returncode == 2
    assert b"b.py: error: can't be written: File too large" in done.stderr
    assert [(tmp_path / name).read_bytes()[:9] for name in ("a.py", "b.py", "c.py")] == [NEW[:9], OLD[:9], NEW[:9]]
    assert temporaries(tmp_path) == []


def test_permissions(tmp_path):
    """A read-only file, a file and a folder that can't be read, a read-only folder: reported, the others go on."""
    build(tmp_path, {"a.py": OLD, "b.py": OLD, "c.py": OLD, "d/e.py": OLD, "f/g.py": OLD, "h.py": OLD})
    (tmp_path / "b.py").chmod(0o444)
    (tmp_path / "c.py").chmod(0)
    (tmp_path / "d").chmod(0)
    (tmp_path / "f").chmod(0o555)
    try:
        done = codemod("--write", ".", cwd=tmp_path, preexec_fn=obey_permissions)
    finally:
        for name, mode in (("b.py", 0o644), ("c.py", 0o644), ("d", 0o755), ("f", 0o755)):
            (tmp_path / name).chmod(mode)
    assert done.returncode == 2
    assert [line.split(". ")[0] for line in done.stderr.decode().splitlines()[:4]] == [
        "b.py: error: is read-only",
        "c.py: error: can't be read: Permission denied",
        "d: error: Permission denied",
        "f/g.py: error: can't be written: Permission denied",
    ]
    changed = sorted(path.name for path in tmp_path.rglob("*.py") if path.read_bytes() == NEW)
    assert changed == ["a.py", "h.py"]
    assert temporaries(tmp_path) == []


def test_a_vanished_file(tmp_path):
    build(tmp_path, {"a.py": OLD, "b.py": OLD})
    entries = list(walk([str(tmp_path)]))
    (tmp_path / "a.py").unlink()
    gone, there = work(entries, Options(write=True), jobs=2)
    assert gone.problem == "can't be read: No such file or directory"
    assert there.written
