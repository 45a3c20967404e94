"""The benchmark of migration tasks, on tasks in its form; both sides run on TensorFlow 1.15.5 and on 2.21."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.processes.environment import LIMIT_S, ROOT, clean
from tf1mem.machine.tensorflow import installed_version

IS_OLD = installed_version().release[0] == 1
needs_old = pytest.mark.skipif(not IS_OLD, reason="make proof has it, on TensorFlow 1.15.5")
NEW = ROOT / ".venv" / "bin" / "python"

HEAD = "import tensorflow as tf\n\n"
SESSION = "    with tf.Session() as sess:\n        return sess.run(y)\n"
INPUTS = """
# Input data
for x in [tf.constant([2.5, 4.0]), tf.constant([-1.5, 0.1])]:
    try:
        print(f(x))
    except Exception as e:
        print("error:", e)
"""
FUNCTIONS = {
    "ceil": "def f(x):\n    y = tf.ceil(x) / 3.0\n" + SESSION,
    "draws": "def f(x):\n    y = x + tf.random_normal([2])\n" + SESSION,
    "raises": "def f(x):\n    y = tf.no_such_name(x)\n" + SESSION,
}
NEWER = "def f(x):\n    return tf.math.ceil(x).numpy()\n"
ANSWERS = {"right": "def f(x):\n    return tf.math.ceil(x).numpy() / 3.0\n", "wrong": NEWER}


def row(name, function, package="tensorflow", version="1.15.0"):
    script = f"```python\n{HEAD}{function}{INPUTS}```"
    message = "[1.        1.3333334]\n[-0.33333334  0.33333334]\n"
    return {"code_id": name, "package": package, "origin_version": version, "solution_function_script": script,
            "message": message}  # fmt: skip


def build(folder):
    easy = [row(name, function) for name, function in FUNCTIONS.items()]
    hard = [row("newer", NEWER, version="tensorflow2.0"), row("array", NEWER, "numpy")]
    for file, rows in {"eval_data/easy_code": easy, "eval_data/hard_code": hard}.items():
        write(folder / f"{file}.jsonl", rows)
    for model, answer in ANSWERS.items():
        code = f"Here:\n```python\n{HEAD}{answer}```"
        rows = [{"code_id": name, "code_fixed": code} for name in ("ceil", "array")]
        write(folder / "output" / model / "easy_eval.jsonl", rows)
    return folder


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")


def run(*arguments):
    command = [str(NEW), "-m", "benchmarks.migrations", *map(str, arguments)]
    return subprocess.run(
        command, cwd=str(ROOT), env=clean(), capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=False
    )


@needs_old
def test_each_way_is_judged_by_the_old_output(tmp_path):
    certificate = tmp_path / "kept.json"
    arguments = [build(tmp_path / "tasks"), "--old-python", sys.executable, "--seconds", 200, "--json", certificate]
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("3 of 3 tasks\n")
    result = json.loads(certificate.read_text(encoding="utf-8"))
    assert (result["unfit"], result["answers"]) == (1, 2)
    assert {name: task["before"][0] for name, task in result["tasks"].items()} == {
        "ceil": "runs", "draws": "varies", "raises": "reports an error"
    }  # fmt: skip
    ceil = result["tasks"]["ceil"]
    assert ceil["recorded"] is True
    assert {way: outcome for way, (outcome, _) in ceil["ways"].items()} == {
        **dict.fromkeys(("plain", "apply", "native", "upgrade"), "reports an error"),
        **dict.fromkeys(("run", "shim", "switched", "answers of right"), "same"),
        "answers of wrong": "differs",
    }
    assert ceil["ways"]["plain"][1] == "error: module 'tensorflow' has no attribute 'ceil'"
    assert "| `tf1mem run`, untouched | 1 | 0 | 0 | 0 | 0 |" in done.stdout

    again = run(*arguments)
    assert (again.returncode, again.stderr) == (0, "")  # nothing is left to run
    assert again.stdout == done.stdout


@needs_old
def test_nothing_stays_behind_after_ctrl_c(tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    write(tmp_path / "eval_data" / "easy_code.jsonl", [row("waits", "import time\ntime.sleep(3600)\n")])
    write(tmp_path / "eval_data" / "hard_code.jsonl", [])
    process = subprocess.Popen(
        [str(NEW), "-m", "benchmarks.migrations", str(tmp_path), "--old-python", sys.executable],
        cwd=str(ROOT), env=clean(TMPDIR=str(temporary)), stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    end = time.monotonic() + 400
    while not list(temporary.glob("migrations-*/program-*/err")):  # the program has started
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130, complaint
    assert "Traceback" not in complaint
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(IS_OLD, reason="on the development environment's TensorFlow")
@pytest.mark.parametrize(
    ("change", "arguments", "complaint"),
    [
        (None, (), "isn't a folder: DIR is a checkout of xdshen-ai/Benchmark-of-Code-Migration"),
        ("hard_code", (), "has no eval_data/hard_code.jsonl: DIR is a checkout of"),
        ("text", (), "easy_code.jsonl, line 2: "),
        ("field", (), "easy_code.jsonl, line 1: no 'message'"),
        ("", ("--only", "newer"), "has no task newer from TensorFlow 1 to 2"),
        ("", ("--old-python", sys.executable), "has TensorFlow 2."),
    ],
)
def test_bad_input(change, arguments, complaint, tmp_path):
    folder = tmp_path / "tasks"
    if change is not None:
        build(folder)
    if change == "hard_code":
        (folder / "eval_data" / "hard_code.jsonl").unlink()
    if change == "text":
        write(folder / "eval_data" / "easy_code.jsonl", [row("a", NEWER)])
        with open(folder / "eval_data" / "easy_code.jsonl", "a", encoding="utf-8") as file:
            file.write("no JSON\n")
    if change == "field":
        write(folder / "eval_data" / "easy_code.jsonl", [{**row("a", NEWER), "message": None}])
        text = (folder / "eval_data" / "easy_code.jsonl").read_text(encoding="utf-8")
        (folder / "eval_data" / "easy_code.jsonl").write_text(text.replace('"message"', '"other"'), encoding="utf-8")
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(IS_OLD, reason="benchmarks need Python 3.10")
@pytest.mark.parametrize(
    ("before", "here", "apart"),
    [
        ("[1.  2.]\n", "[1. 2.]\n", None),
        ("0.33333334\n", "0.3333333\n", None),
        ("-0.0\n", "0.0\n", None),
        ("<f at 0x7f00>\n", "<f at 0x7e11>\n", None),
        ("1.5\n", "np.float32(1.5)\n", None),
        ("0.3335\n", "0.3333\n", "0.3335 on 1.15.5, 0.3333 here"),
        ("3\n", "4\n", "3 on 1.15.5, 4 here"),
        ("a 1\nb 2\n", "a 1\n", "only on 1.15.5: b 2"),
        ("a 1\n", "a 1\na 1\n", "only here: a 1"),
        ("<a object at 0x7f00>\n", "a()\n", "<a object at 0x…> on 1.15.5, a() here"),
        ("a 1\nb 2\n", "b 2\na 1\n", "the same lines in another order"),
    ],
)
def test_outputs_are_compared_as_verify_compares(before, here, apart):
    from benchmarks.migrations import difference

    assert difference(before, here) == apart


@pytest.mark.skipif(IS_OLD, reason="benchmarks need Python 3.10")
def test_ends_of_programs():
    from benchmarks.migrations import Output, judged, judged_before

    good, other = Output(0, "1\n", ""), Output(0, "2\n", "")
    assert judged_before(good, good) == ("runs", "")
    assert judged_before(good, other) == ("varies", "1 on 1.15.5, 2 here")
    assert judged(good, Output(None, "1\n", "")) == ("still runs", "")
    assert judged(good, Output(1, "1\n", "ValueError: x")) == ("stops", "ValueError: x")
    assert judged(good, Output(0, "1\nerror: no\n", "")) == ("reports an error", "error: no")
    assert judged(Output(0, "\n", ""), Output(0, "\n", "")) == ("stops", "it prints nothing")
