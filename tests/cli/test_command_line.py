"""The commands of `tf1mem` as a user runs them: help, bad usage, `plan`, and output that a reader closes early."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tf1mem as package
from tests.processes.environment import LIMIT_S
from tests.processes.schemas import valid


def tf1mem(*args: str, **options):
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", *args],
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
        env={**os.environ, **options.pop("env", {})},
        **options,
    )
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"gpu_options": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.4}}))
    return str(path)


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(option):
    done = tf1mem(option)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"tf1mem {package.__version__}\n", "")


@pytest.mark.parametrize("args", [[], ["--help"], ["-h"], ["run", "--help"], ["plan", "-h"]], ids=" ".join)
def test_help_is_printed(args):
    done = tf1mem(*args)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: tf1mem ")
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("columns", [60, 80])
def test_help_fits(columns):
    code = (
        "from tf1mem.__main__ import main\nfrom tf1mem.cli.app import COMMANDS\n"
        "for command in ['--help', *COMMANDS]:\n    assert main([command, '--help']) == 0"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "COLUMNS": str(columns)}
    )
    lines = done.stdout.decode().splitlines()
    assert max(map(len, lines)) <= columns
    assert not [line for line in lines if len(line) - len(line.lstrip()) > 28]  # room for words beside the options


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["paln"], "There is no command 'paln'. Did you mean plan? See tf1mem --help\n"),
        (["train.py"], "There is no command 'train.py'. tf1mem run train.py runs it. See tf1mem --help\n"),
        (["nothing"], "There is no command 'nothing'. See tf1mem --help\n"),
        (["sim", "--sumary", "--", "ls"], "--summary"),
        (["sim"], "Nothing to run: name a command after --. See tf1mem sim --help\n"),
        (["completion"], "Choose from: bash, zsh, fish. See tf1mem completion --help\n"),
        (["--unknown"], "--unknown"),
        (["plan"], "Missing argument 'FILE'. See tf1mem plan --help\n"),
        (["plan", "{}", "more"], "(more). See tf1mem plan --help\n"),
        (["plan", "nowhere.json"], "nowhere.json"),
        (["plan", "{}", "--gpus", "-1"], "-1"),
        (["plan", "{}", "--gpus", "x"], "x"),
        (["plan", "{}", "--gpus", "8GiB"], "'8GiB' is not a number of GPUs. --gpu 8GiB sets the kind"),
        (["plan", "{}", "--gpu", "8GB"], "8GiB"),
        (["plan", "{}", "--gpus", "2", "--gpu", "8GiB", "--gpu", "8GiB"], "--gpus with more than one --gpu"),
        (["plan", "{}", "--tensorflow", "new"], "new"),
        (["plan", "{}", "--tensorflow", "1.12"], "1.13"),
        (["run", "--config"], "--config"),
    ],
)
def test_bad_usage_is_explained_in_one_line(settings, args, message):
    done = tf1mem(*[arg.format(settings) for arg in args])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tf1mem: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_plan_fits_a_terminal(settings):
    done = tf1mem("plan", settings, "--tensorflow", "2.21", "--gpus", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "gpu_options.allow_growth" in done.stdout
    assert "2.21" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("args", "gpus"),
    [
        (["--gpus", "0"], []),
        (["--gpus", "2"], [None, None]),
        (["--gpu", "8GiB", "--gpu", "512MiB"], [8 << 30, 512 << 20]),
        (["--gpus", "2", "--gpu", "8GiB"], [8 << 30] * 2),
    ],
)
def test_plan_for_other_gpus(settings, args, gpus):
    done = tf1mem("plan", "--format=json", "--tensorflow", "2.21", *args, settings)
    assert (json.loads(done.stdout)["gpus"], done.stderr) == (gpus, "")


def test_plan_as_json(settings):
    done = tf1mem("plan", "--format", "json", "--tensorflow", "1.15", "--gpus", "1", settings)
    expected = package.plan(package.read(settings), tensorflow="1.15", gpus=1).as_dict()
    assert valid("plan", json.loads(done.stdout)) == json.loads(json.dumps(expected))
    by_old_name = tf1mem("plan", "--json", "--tensorflow", "1.15", "--gpus", "1", settings)
    assert by_old_name.stdout == done.stdout


def test_a_reader_that_closes_the_pipe_gets_no_traceback(settings):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        command = [sys.executable, "-m", "tf1mem", "plan", "--tensorflow", "2.21", "--gpus", "1", settings]
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert done.stderr == b""
    assert done.returncode != 0


def codemod(args, *values):
    """Returns a test case for `tf1mem codemod`, which needs a newer Python than other commands."""
    is_old = sys.version_info < (3, 10)
    return pytest.param("codemod " + args, *values, marks=pytest.mark.skipif(is_old, reason="needs Python 3.10"))


@pytest.mark.parametrize(
    ("args", "redirected"),
    [
        ("plan --tensorflow 2.21 --gpus 1 {}", ">/dev/full"),
        ("plan --format json --tensorflow 2.21 --gpus 1 {}", ">/dev/full 2>&1"),
        codemod("--write --format json {}", ">/dev/full"),
        codemod("--check {}", "2>/dev/full"),
        ("doctor", ">/dev/full"),
    ],
)
def test_output_that_cannot_be_written(settings, args, redirected):
    if "codemod" in args:
        Path(settings).write_text("import tensorflow as tf\n\nsess = tf.Session(config=tf.ConfigProto())\n")
    command = [sys.executable, "-m", "tf1mem", *args.format(settings).split()]
    shell = ["sh", "-c", f'exec "$@" {redirected}', "sh", *command]
    done = subprocess.run(shell, capture_output=True, check=False, encoding="utf-8")
    message = "tf1mem: error: the output: can't be written: No space left on device. Send it to a place with room\n"
    assert (done.returncode, done.stderr) == (2, "" if "2>" in redirected else message)


@pytest.mark.parametrize(
    ("args", "closed", "status", "stdout", "stderr"),
    [
        ("plan --tensorflow 2.21 --gpus 1 {}", ">&-", 0, "", ""),
        codemod("--check --format json {}", ">&-", 1, "", ""),
        codemod("--list-rules", ">&-", 0, "", ""),
        codemod("--check {}", "2>&-", 1, "{}: would change (1 construct)\n", ""),
        codemod("nowhere.py", "2>&-", 2, "", ""),
        ("run nowhere.py", "2>&-", 2, "", ""),
        codemod(
            "-",
            "<&-",
            2,
            "",
            "tf1mem: error: Standard input (-) is closed: give it the source. See tf1mem codemod --help\n",
        ),
    ],
)
def test_a_stream_that_is_closed(settings, args, closed, status, stdout, stderr):
    if "codemod" in args:
        Path(settings).write_text("import tensorflow as tf\n\nsess = tf.Session(config=tf.ConfigProto())\n")
    command = [sys.executable, "-m", "tf1mem", *args.format(settings).split()]
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *command]
    done = subprocess.run(shell, capture_output=True, check=False, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (status, stdout.format(settings), stderr)


def test_help_and_plan_import_no_tensorflow_numpy_protobuf_or_rich(settings):
    code = (
        "import sys\nfrom tf1mem.__main__ import main\nassert main({!r}) == 0\n"
        "print(sorted({{'tensorflow', 'numpy', 'google.protobuf', 'rich'}} & set(sys.modules)))"
    )
    for args in (["--help"], ["plan", "--tensorflow", "2.21", "--gpus", "1", settings]):
        done = subprocess.run(
            [sys.executable, "-c", code.format(args)], capture_output=True, check=True, env=dict(os.environ)
        )
        assert done.stdout.decode().endswith("[]\n")


@pytest.mark.parametrize(
    ("args", "before", "after"), [([], None, "3"), (["-v"], None, None), ([], "0", "0")], ids=["", "verbose", "set"]
)
def test_plan_leaves_tensorflow_s_log_out(monkeypatch, settings, args, before, after):
    from tf1mem.__main__ import main

    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", before or "")
    if before is None:
        del os.environ["TF_CPP_MIN_LOG_LEVEL"]
    assert main(["plan", *args, "--tensorflow", "2.21", "--gpus", "1", settings]) == 0
    assert os.environ.get("TF_CPP_MIN_LOG_LEVEL") == after


def test_ctrl_c_ends_with_status_130(monkeypatch, capsys, settings):
    from tf1mem.__main__ import main

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("tf1mem.planning.plan.plan", interrupted)
    assert main(["plan", settings]) == 130
    assert capsys.readouterr().err.strip() == ""
