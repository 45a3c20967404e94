"""`tf1mem codemod` on files, folders and standard input: output, exit statuses, options and configuration files."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import textwrap

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
    variables,
)  # fmt: skip
from tests.processes.environment import LIMIT_S


def on_a_terminal(*args: object, cwd=None, columns: int = 80, stderr_only: bool = False, **env: str) -> tuple[int, str]:
    """Runs the command on a terminal; returns its status and all that the terminal got."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        command(*args), cwd=cwd, stdin=subprocess.DEVNULL, stderr=terminal,
        stdout=subprocess.DEVNULL if stderr_only else terminal, env={**variables(), "TERM": "xterm-256color", **env},
    )  # fmt: skip
    os.close(terminal)
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # on Linux, reading fails once the process has closed the terminal
            break
        if not piece:
            break
        output += piece
    os.close(master)
    return process.wait(timeout=LIMIT_S), output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("files", "args", "status"),
    [
        ({"a.py": NOTHING}, [], 0),
        ({"a.py": NOTHING}, ["--check"], 0),
        ({"a.py": NOTHING}, ["--write"], 0),
        ({"a.py": OLD}, [], 1),
        ({"a.py": OLD}, ["--check"], 1),
        ({"a.py": OLD}, ["--write"], 0),
        ({"a.py": OLD_PYTHON2}, ["--write"], 1),
        ({"a.py": NOTHING}, ["nowhere.py"], 2),
        ({"a.py": OLD}, ["--write", "nowhere.py"], 2),
        ({}, [], 0),
    ],
)
def test_exit_status(tmp_path, files, args, status):
    build(tmp_path, files)
    done = codemod(*args, ".", cwd=tmp_path)
    assert done.returncode == status
    after = NEW if args[:1] == ["--write"] and files["a.py"] != NOTHING else files.get("a.py", b"")
    assert not files or (tmp_path / "a.py").read_bytes().startswith(after)


def test_shows_a_diff_and_changes_nothing(tmp_path):
    build(tmp_path, {"a.py": OLD})
    done = codemod("a.py", cwd=tmp_path)
    assert done.stdout == (
        b"--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,4 @@\n-import tensorflow as tf\n+import tf1mem.v1 as tf\n \n"
        b" config = tf.ConfigProto()\n sess = tf.Session(config=config)\n"
    )
    assert done.stderr == b"1 file looked at, 1 would change (1 construct).\n--write writes this.\n"
    assert (tmp_path / "a.py").read_bytes() == OLD


def test_check_prints_no_diff(tmp_path):
    build(tmp_path, {"a.py": OLD})
    assert codemod("--check", "a.py", cwd=tmp_path).stdout == b"a.py: would change (1 construct)\n"


def test_a_second_run_changes_nothing(tmp_path):
    build(tmp_path, {"a.py": OLD, "b.py": NOTHING})
    first, second = codemod("--write", ".", cwd=tmp_path), codemod("--write", ".", cwd=tmp_path)
    assert (first.stdout, first.stderr) == (
        b"a.py: rewritten (1 construct)\n", b"2 files looked at, 1 rewritten.\n",
    )  # fmt: skip
    assert (second.stdout, second.stderr) == (b"", b"2 files looked at, nothing to change.\n")
    assert second.returncode == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "name files or folders"),
        (["--write", "--check", "."], "--write with --check"),
        (["-q", "-v", "."], "--quiet with --verbose"),
        (["--color", "yes", "."], "'always'"),
        (["-", "a.py"], "can't be read together"),
        (["--to", "tf2", "."], "tf2"),
        (["--only", "TFM999", "."], "TFM999"),
        (["--only", "TFM4,TFM", "."], "there is no rule 'TFM'"),
        (["--skip", "nonsense", "."], "nonsense"),
        (["--list-rules", "--only", "sesion"], "Did you mean session or test-sessions? tf1mem codemod --list-rules"),
        (["--format", "xml", "."], "xml"),
        (["--jobs", "0", "."], "0"),
        (["--gpu-memory-mib", "-1", "."], "-1"),
        (["--exclude", "!", "."], "--exclude '!'"),
        (["--unknown", "."], "--unknown"),
    ],
)
def test_bad_usage(tmp_path, args, message):
    done = codemod(*args, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"tf1mem: error: ")
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_configuration(tmp_path):
    build(
        tmp_path,
        {"setup.cfg": b"[tf1mem:codemod]\nto = apply\nexclude = made/\n", "src/a.py": OLD, "src/made/b.py": OLD},
    )
    done = codemod("--format", "json", "src", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert document["to"] == "apply"
    assert document["summary"]["files"] == 1
    assert json.loads(codemod("--to", "shim", "--format", "json", "src", cwd=tmp_path).stdout)["to"] == "shim"
    (tmp_path / "setup.cfg").write_bytes(b"[tf1mem:codemod]\nto = tf2\n")
    done = codemod("src", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("tf1mem: error: to in [tf1mem:codemod] of {}".format(tmp_path / "setup.cfg"))


def test_exclude_adds_to_the_configuration(tmp_path):
    build(
        tmp_path,
        {"pyproject.toml": b'[tool.tf1mem.codemod]\nexclude = ["b.py"]\n', "a.py": OLD, "b.py": OLD, "c.py": OLD},
    )
    done = codemod("--check", "--exclude", "c.*", ".", cwd=tmp_path)
    assert done.stdout == b"a.py: would change (1 construct)\n"


def test_only_and_skip(tmp_path):
    build(tmp_path, {"a.py": OLD_PYTHON2})
    assert codemod("--skip", "TFM101", "a.py", cwd=tmp_path).returncode == 0
    assert codemod("--skip", "TFM003,TFM004", "--skip", "TFM101", "a.py", cwd=tmp_path).returncode == 0
    done = codemod("--only", "TFM101", "a.py", cwd=tmp_path)
    assert done.returncode == 1
    assert b"TFM003" not in done.stdout


def test_docs(tmp_path):
    text = b"# Title\n\n```python\n" + OLD + b"```\n"
    build(tmp_path, {"a.md": text, "b.py": NOTHING})
    assert codemod("--check", ".", cwd=tmp_path).returncode == 0
    assert codemod("--check", "--docs", ".", cwd=tmp_path).returncode == 1
    build(tmp_path, {"setup.cfg": b"[tf1mem:codemod]\ndocs = true\n"})
    assert codemod("--check", ".", cwd=tmp_path).returncode == 1
    assert codemod("--check", "--no-docs", ".", cwd=tmp_path).returncode == 0
    assert codemod("--write", ".", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.md").read_bytes() == text.replace(OLD, NEW)


def test_list_rules():
    from tf1mem.codemod.rules import registry

    done = codemod("--list-rules")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert [line.split("  ")[:2] for line in lines if line[0] != " "] == [[it.code, it.name] for it in registry()]
    assert max(map(len, lines)) <= 80


def test_rules_are_chosen_by_code_and_name(tmp_path):
    done = codemod("--list-rules", "--to", "native", "--only", "TFM301,import-tensorflow", "--only", "native-names")
    assert [line[:6] for line in done.stdout.decode().splitlines() if line[0] != " "] == ["TFM301", "TFM303"]
    codes = [line[:6] for line in codemod("--list-rules", "--only", "TFM4").stdout.decode().splitlines()]
    assert len(codes) > 2
    assert {code[:4] for code in codes} == {"TFM4", "    "}
    build(tmp_path, {"a.py": OLD_PYTHON2})
    done = codemod("--check", "--only", "import-tensorflow", "a.py", cwd=tmp_path)
    assert done.stdout == b"a.py: would change (1 construct)\n"
    assert codemod("--check", "--skip", "import-tensorflow", "a.py", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("source", [OLD, NOTHING, b"", b"\xff\xfe\0", OLD.replace(b"\n", b"\r\n") + b"# \xe9"])
def test_standard_input_is_written_to_standard_output(tmp_path, source):
    done = codemod("--write", "-", input=source, cwd=tmp_path)
    assert done.stdout == source.replace(b"import tensorflow as tf", b"import tf1mem.v1 as tf")
    assert done.returncode == 0


def test_standard_input(tmp_path):
    done = codemod("-", input=OLD, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith(b"--- a/-\n+++ b/-\n@@ -1,4 +1,4 @@\n-import tensorflow as tf\n")
    done = codemod("--check", "--stdin-filename", "src/a.py", "-", input=OLD_PYTHON2, cwd=tmp_path)
    assert done.stdout.startswith(b"src/a.py: would change (1 construct)\nsrc/a.py:5:1: TFM003 ")
    done = codemod("--write", "-", input=OLD_PYTHON2, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, NEW + b'print "ready"\n')
    assert b"TFM003" in done.stderr


def test_standard_input_has_the_kind_of_its_file_name(tmp_path):
    build(tmp_path, {"sub/setup.cfg": b"[tf1mem:codemod]\nto = apply\n"})
    notebook = json.dumps(
        {"cells": [{"cell_type": "code", "source": OLD.decode(), "metadata": {}, "outputs": []}],
         "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ).encode()  # fmt: skip
    done = codemod("--write", "--stdin-filename", "n.ipynb", "-", input=notebook, cwd=tmp_path)
    assert done.stdout == notebook.replace(b"import tensorflow as tf", b"import tf1mem.v1 as tf")
    done = codemod("--format", "json", "--stdin-filename", "sub/a.py", "-", input=OLD, cwd=tmp_path)
    assert json.loads(done.stdout)["to"] == "apply"


def test_on_a_terminal(tmp_path):
    build(tmp_path, {"a.py": OLD_PYTHON2 + b"x = '\x1b[31m'\n", "long" * 20 + ".py": OLD, "b.py": b"\0"})
    status, shown = on_a_terminal(".", cwd=tmp_path)
    assert status == 1
    assert "\x1b[31m-import tensorflow as tf\x1b[0m\n\x1b[32m+import tf1mem.v1 as tf\x1b[0m\n" in shown
    assert "\x1b[33mTFM003\x1b[0m" in shown
    assert "b.py: skipped: binary" in shown
    assert "2 files looked at, 2 would change (2 constructs), 1 place needs a decision by hand." in shown.replace(
        "\n", " "
    ).replace("\x1b[0m \x1b[1m", " ")
    # On a busy machine a progress bar has time to appear: it hides the cursor, and is erased at the end.
    shown = re.sub(r"\x1b\[(?:\?25[lh]|2K|1A)|Rewriting \S+ .*", "", shown)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b" not in plain  # escape sequences in a file are not printed as such
    assert max(len(line) for line in plain.splitlines() if "long" not in line) <= 80


@pytest.mark.parametrize(
    ("args", "env"),
    [
        ([], {"NO_COLOR": "1"}),
        ([], {"NO_COLOR": "1", "FORCE_COLOR": "1"}),
        (["--color", "never"], {"FORCE_COLOR": "1"}),
    ],
)
def test_no_color(tmp_path, args, env):
    build(tmp_path, {"a.py": OLD_PYTHON2})
    _, shown = on_a_terminal(*args, ".", cwd=tmp_path, **env)
    assert not re.search(r"\x1b\[[0-9;]*m", shown)
    assert "+import tf1mem.v1 as tf" in shown


@pytest.mark.parametrize(
    ("args", "env"), [(["--color", "always"], {"NO_COLOR": "1", "TERM": "dumb"}), ([], {"FORCE_COLOR": "1"})]
)
def test_color_in_a_pipe(tmp_path, args, env):
    build(tmp_path, {"a.py": OLD})
    done = codemod(*args, "a.py", cwd=tmp_path, env=env)
    assert b"\x1b[32m+import tf1mem.v1 as tf\x1b[0m\n" in done.stdout
    assert b"\x1b[?25" not in done.stdout  # no progress bar, which would hide the cursor
    assert done.stderr == b""
    done = codemod("--write", *args, "-", input=OLD, cwd=tmp_path, env=env)
    assert (done.stdout, b"\x1b" in done.stderr) == (NEW, False)  # source isn't coloured


def test_verbose_and_quiet(tmp_path):
    build(tmp_path, {"a.py": OLD_PYTHON2, "b.py": b"\0", "c.py": OLD, ".gitignore": b"c.py\n"})
    plain, quiet, verbose = (codemod("--check", *args, ".", cwd=tmp_path) for args in ([], ["-q"], ["-v"]))
    assert b"a.py:5:1: TFM003 the file is Python 2" in plain.stdout
    assert (quiet.stdout, quiet.stderr) == (plain.stdout, b"")
    assert verbose.stdout == plain.stdout.replace(b"a.py:5:1:", b"a.py:1:1: TFM101 imports from tf1mem.v1\na.py:5:1:")
    assert b"c.py: left out: file named in .gitignore\n" in verbose.stderr
    assert b"b.py: skipped: binary\n" in verbose.stderr
    done = codemod("-q", "nowhere.py", cwd=tmp_path)
    assert (done.returncode, b"nowhere.py: error: " in done.stderr) == (2, True)  # errors are printed even so
    assert codemod("--write", "-q", "a.py", cwd=tmp_path).stdout == plain.stdout.split(b"\n", 1)[1]


@pytest.mark.parametrize("args", [["--diff"], ["--dry-run"], ["--write", "--dry-run"], ["--diff", "--check"]])
def test_a_dry_run(tmp_path, args):
    build(tmp_path, {"a.py": OLD})
    done, plain = codemod(*args, "a.py", cwd=tmp_path), codemod("a.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert (tmp_path / "a.py").read_bytes() == OLD


@pytest.mark.parametrize("stderr_only", [False, True])
def test_one_bar_on_a_terminal(tmp_path, stderr_only):
    many(tmp_path, 2500)
    # With the cache of an earlier run, this one may end before it shows a bar.
    status, shown = on_a_terminal("--check", "--no-cache", ".", cwd=tmp_path, stderr_only=stderr_only)
    assert status == 1
    assert "/2500" in shown
    assert "\x1b[?25h" in shown  # the cursor is back
    assert shown.count("would change (1 construct)") == (0 if stderr_only else 2500)


def test_no_bar_with_output_for_programs(tmp_path):
    many(tmp_path, 1500)
    _, shown = on_a_terminal("--format", "json", ".", cwd=tmp_path)
    assert len(json.loads(shown)["files"]) == 1500


def test_a_reader_that_goes_away(tmp_path):
    many(tmp_path, 600)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            command("."), cwd=tmp_path, stdout=closed, stderr=subprocess.PIPE, env=variables(), check=False
        )
    assert done.returncode != 0
    assert done.stderr == b""


def test_help_imports_little():
    heavy = {"rich", "tree_sitter", "multiprocessing", "tf1mem.codemod", "tensorflow", "configparser"}
    code = (
        "import sys\nfrom tf1mem.__main__ import main\nassert main(['codemod', '--help']) == 0\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=variables())
    assert done.stdout.decode().splitlines()[-1] == "[]"


@pytest.mark.parametrize(("missing", "package"), [("tree_sitter", "tree-sitter"), ("rich", "rich")])
def test_a_missing_package_is_named(tmp_path, missing, package):
    code = "import sys\nsys.modules[{!r}] = None\nfrom tf1mem.__main__ import main\nsys.exit(main(['codemod', '.']))"
    done = subprocess.run(
        [sys.executable, "-c", code.format(missing)], capture_output=True, check=False, env=variables(), cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"tf1mem: error: tf1mem codemod needs {package}, which isn't installed. pip install 'tf1mem[cli]'\n"
    )


def test_a_missing_package_is_named_on_import():
    code = """
        import sys
        sys.modules["tree_sitter"] = None
        from tf1mem.codemod import Result, TARGETS
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr.splitlines()[-1] == (
        "tf1mem.errors.MissingPackageError: tf1mem.codemod.TARGETS needs tree-sitter, which isn't installed. "
        "pip install 'tf1mem[cli]'"
    )


def test_an_old_python(tmp_path, monkeypatch, capsys):
    from tf1mem import codemod
    from tf1mem.__main__ import main

    monkeypatch.delattr(codemod, "rewrite")
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    with pytest.raises(ImportError, match=r"codemod\.rewrite needs Python 3\.10 or newer, and this is 3\.9\. Install"):
        codemod.rewrite  # noqa: B018
    assert main(["codemod", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(
        "tf1mem: error: tf1mem codemod needs Python 3.10 or newer, and this is 3.9. Install it in a separate"
    )


def test_the_hooks_of_pre_commit():
    import yaml

    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["tf1mem-codemod", "tf1mem-codemod-check"]
    for hook in hooks:
        assert hook["entry"].split()[:2] == ["tf1mem", "codemod"]
        assert hook["language"] == "python"
        assert hook["additional_dependencies"] == [line.strip() for line in _extra("cli") if line.strip()]


def _extra(name: str) -> list[str]:
    from configparser import RawConfigParser

    parser = RawConfigParser()
    parser.read(ROOT / "setup.cfg")
    return parser.get("options.extras_require", name).splitlines()
