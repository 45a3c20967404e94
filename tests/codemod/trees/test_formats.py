"""Each output format of the codemod (text, json, github, sarif) reports the outcomes of files."""

from __future__ import annotations

import io
import json
import re
import subprocess
from dataclasses import replace

import pytest

from tests.codemod.trees import NEW, OLD, OLD_PYTHON2, build, codemod
from tests.processes.schemas import valid
from tf1mem.codemod.results import Change, Remark
from tf1mem.codemod.trees.formats import Output, writer
from tf1mem.codemod.trees.outcomes import Outcome, Tally

CHANGE = Change("TFM101", 1, 8, "imports from tf1mem.v1")
REMARK = Remark("TFM005", 7, 3, "tf comes from another module", "Rewrite helpers.py first.")
IN_CELL = Remark("TFM004", 2, 1, "a star import", "Name what is imported.", cell=3)
DIFF = b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-\xe9\r\n+\xe8\r\n"
OUTCOMES = (
    Outcome("a.py", changes=(CHANGE,), remarks=(REMARK,), diff=DIFF),
    Outcome("b.py"),
    Outcome("c d/n.ipynb", "notebook", remarks=(IN_CELL,)),
    Outcome("e.py", passed_over="binary"),
    Outcome("f.py", changes=(CHANGE,), problem="can't be written: No space left on device", remedy="Make room"),
)
AWKWARD = "we,ird:%\n\udcff/ä.py"


def reported(form: str, outcomes=OUTCOMES, mode: str = "show") -> str:
    stream, tally = io.BytesIO(), Tally()
    report = writer(form, Output("shim", mode, stream))
    for outcome in outcomes:
        tally.add(outcome)
        report.add(outcome)
    report.end(tally)
    return stream.getvalue().decode("utf-8", "surrogateescape")


def test_text_is_a_patch_with_remarks(capsys):
    assert reported("text").encode("utf-8", "surrogateescape") == DIFF + (
        b"a.py:7:3: TFM005 tf comes from another module\n"
        b"    Rewrite helpers.py first.\n"
        b"c d/n.ipynb:cell 3:2:1: TFM004 a star import\n"
        b"    Name what is imported.\n"
        b"f.py: would change (1 construct)\n"
    )
    assert capsys.readouterr().err == (
        "e.py: skipped: binary\n"
        "f.py: error: can't be written: No space left on device. Make room\n"
        "4 files looked at, 2 would change (2 constructs), 2 places need a decision by hand.\n"
        "1 file skipped, 1 file could not be read or written.\n"
        "--write writes this; --report FILE keeps the places for a decision by hand.\n"
    )


@pytest.mark.parametrize(
    ("mode", "written", "lines"),
    [
        ("check", False, ["a.py: would change (1 construct)"]),
        ("write", True, ["a.py: rewritten (1 construct)"]),
        ("write", False, []),
    ],
)
def test_text_without_diffs(capsys, mode, written, lines):
    outcome = Outcome("a.py", changes=(CHANGE,), written=written, problem="" if lines else "is read-only")
    assert reported("text", [outcome], mode).splitlines() == lines


@pytest.mark.parametrize(
    ("outcomes", "ending"),
    [
        ([Outcome("a"), *[Outcome(path, "file", left_out="named in .gitignore") for path in "bc"],
          Outcome("d", "folder", left_out="named in .gitignore"),
          Outcome(".e", "folder", left_out="with a name that begins with a dot")],
         "1 file looked at, nothing to change.\n"
         "Left out: 2 files and 1 folder named in .gitignore, 1 folder with a name that begins with a dot."),
        ([], "0 files looked at, nothing to change."),
        ([Outcome("a")], "1 file looked at, nothing to change."),
        ([Outcome("a", supplied=("contrib.rnn.LSTMCell",)),
          Outcome("b", supplied=("contrib.crf.x", "contrib.rnn.LSTMCell"), remarks=(replace(REMARK, code="TFM103"),))],
         "2 files looked at, nothing to change, 1 place needs a decision by hand.\n"
         "tf1mem.v1 supplies 2 names that TensorFlow 2 lacks, and lacks 1 name itself (TFM103)."),
        ([Outcome(str(number)) for number in range(1234)], "1,234 files looked at, nothing to change."),
        ([Outcome("a", problem="No such file or directory")],
         "0 files looked at.\n1 file could not be read or written."),
    ],
)  # fmt: skip
def test_summary(capsys, outcomes, ending):
    reported("text", outcomes)
    assert capsys.readouterr().err.endswith(ending + "\n")


def test_text_of_an_awkward_path():
    text = reported("text", [Outcome(AWKWARD, remarks=(REMARK,))])
    assert text.splitlines()[0] == "we,ird:%\\n\\xff/ä.py:7:3: TFM005 tf comes from another module"


def test_json():
    document = valid("codemod", json.loads(reported("json")))
    assert {key: document[key] for key in ("schema", "to", "mode")} == {"schema": 2, "to": "shim", "mode": "show"}
    assert [file["path"] for file in document["files"]] == ["a.py", "c d/n.ipynb", "e.py", "f.py"]
    first, notebook, passed_over, problem = document["files"]
    assert first["changes"] == [
        {"code": "TFM101", "line": 1, "column": 8, "cell": None, "message": "imports from tf1mem.v1"}
    ]
    assert first["diff"].startswith("--- a/a.py\n")
    assert notebook["remarks"][0]["cell"] == 3
    assert notebook["remarks"][0]["remedy"] == "Name what is imported."
    assert passed_over["passed_over"] == "binary"
    assert (problem["problem"], problem["remedy"]) == ("can't be written: No space left on device", "Make room")
    assert document["summary"] == {
        "files": 4, "changed": 2, "written": 0, "changes": 2, "remarks": 2, "tf1_names": 0, "passed_over": 1,
        "problems": 1, "supplied": {}, "by_code": {"TFM101": 2, "TFM005": 1, "TFM004": 1}, "left_out": {},
    }  # fmt: skip


@pytest.mark.parametrize("outcomes", [[], [Outcome("a.py")], [OUTCOMES[0]] * 3])
def test_json_of_no_or_one_file(outcomes):
    files = json.loads(reported("json", outcomes, "check"))["files"]
    assert len(files) == sum(bool(outcome.changes) for outcome in outcomes)


def test_json_is_ascii():
    text = reported("json", [Outcome(AWKWARD, remarks=(REMARK,))])
    assert text.isascii()
    assert json.loads(text)["files"][0]["path"] == "we,ird:%\\n\\xff/ä.py"


def test_github():
    assert reported("github").splitlines() == [
        "::warning file=a.py,line=1,col=8,title=TFM101::imports from tf1mem.v1",
        "::warning file=a.py,line=7,col=3,title=TFM005::tf comes from another module. Rewrite helpers.py first.",
        "::warning file=c d/n.ipynb,title=TFM004::Cell 3, line 2: a star import. Name what is imported.",
        "::notice file=e.py::Skipped: binary",
        "::error file=f.py::can't be written: No space left on device. Make room",
        "::warning file=f.py,line=1,col=8,title=TFM101::imports from tf1mem.v1",
        "4 files looked at, 2 would change (2 constructs), 2 places need a decision by hand.",
        "1 file skipped, 1 file could not be read or written.",
        "--write writes this; --report FILE keeps the places for a decision by hand.",
    ]


def test_github_notices_for_written_changes():
    text = reported("github", [Outcome("a.py", changes=(CHANGE,), written=True)], "write")
    assert text.startswith("::notice file=a.py,line=1,")


def test_github_escapes():
    """Escapes as actions/toolkit does: "%" first; ":" and "," in properties only."""
    remark = Remark("TFM005", 1, 1, "100%: a,\nb\r", "::error::no")
    text = reported("github", [Outcome("a%,b:c.py", remarks=(remark,))])
    assert text.splitlines()[0] == (
        "::warning file=a%25%2Cb%3Ac.py,line=1,col=1,title=TFM005::100%25: a,%0Ab%0D. ::error::no"
    )


# File names from real trees, or made up: some look like commands, contain line ends, or reverse the text's direction.
HOSTILE = (
    "##[error]pwn.py", "::error::pwn.py", "a,b.py", "a:b.py", "a%b.py", "a%2Cb.py", "a\nb.py", "a\rb.py", "a\r\nb.py",
    "a\tb.py", "a\x0bb.py", "a\x0cb.py", "a\x1b[31mb.py", "a\x7fb.py", "a\x85b.py", "a\u2028b.py", "a\u2029b.py",
    "a\u202eyp.b.py", "a\u200bb.py", "a\ufeffb.py", 'a"b.py', "a\\b.py", "a b.py", " a.py", "\xe4.py", "a\udcffb.py",
    "line=9,title=x.py", "a;b]c.py",
)  # fmt: skip


def _file_of(line: str) -> str:
    """Returns the file of an annotation as GitHub's runner does: `TryParseV2` in ActionCommand.cs of actions/runner."""
    properties = dict(item.split("=", 1) for item in line[2 : line.index("::", 2)].partition(" ")[2].split(","))
    file = properties["file"]
    for escape, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        file = file.replace(escape, sign)
    return file


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_an_annotation_is_attached_to_its_file_whatever_that_is_called(name):
    lines = reported("github", [Outcome("of/" + name, changes=(CHANGE,), problem="is read-only")]).split("\n")
    assert [_file_of(line) for line in lines[:2]] == ["of/" + name] * 2
    assert not any("\r" in line for line in lines)


def test_a_diff_with_a_hostile_file_name_is_escaped_and_can_be_applied(tmp_path):
    build(tmp_path, dict.fromkeys(HOSTILE, OLD))
    shown = codemod(".", cwd=tmp_path)
    assert shown.returncode == 1
    heads = [line for line in shown.stdout.split(b"\n") if line.startswith((b"--- ", b"+++ "))]
    assert len(heads) == 2 * len(HOSTILE)
    assert all(head.decode("utf-8").isprintable() for head in heads)
    assert not any(b"##[" in head or b"::error" in head for head in heads)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=shown.stdout, check=True)
    assert all((tmp_path / name).read_bytes() == NEW for name in HOSTILE)


def test_control_characters_of_a_diff_are_escaped_on_a_terminal():
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-\u202e\u2028\x85\r\x0c\x1b\n+x\n".encode()
    out = io.StringIO()
    report = writer("text", Output("shim", "show", io.BytesIO(), terminal=True))
    report.console.file = out
    report.add(Outcome("a\u202e.py", changes=(CHANGE,), diff=diff))
    report.end(Tally())
    assert r"-\u202e\u2028\x85\r\x0c\x1b" in out.getvalue()
    assert not set("\u202e\u2028\x85\r\x0c\x1b") & set(out.getvalue())


# For the used parts of SARIF 2.1.0's schema: the allowed keys, and the required ones.
SARIF = {
    "": ({"$schema", "version", "runs"}, {"version", "runs"}),
    "runs": ({"tool", "invocations", "results", "columnKind"}, {"tool"}),
    "tool": ({"driver"}, {"driver"}),
    "driver": ({"name", "semanticVersion", "rules"}, {"name"}),
    "rules": ({"id", "name", "shortDescription"}, {"id"}),
    "shortDescription": ({"text"}, {"text"}),
    "invocations": (
        {"executionSuccessful", "exitCode", "toolExecutionNotifications"}, {"executionSuccessful"},
    ),
    "toolExecutionNotifications": ({"level", "message", "locations"}, {"message"}),
    "results": ({"ruleId", "level", "message", "locations"}, {"message"}),
    "message": ({"text"}, {"text"}),
    "locations": ({"physicalLocation", "logicalLocations"}, set()),
    "logicalLocations": ({"name", "kind"}, set()),
    "physicalLocation": ({"artifactLocation", "region"}, {"artifactLocation"}),
    "artifactLocation": ({"uri"}, set()),
    "region": ({"startLine", "startColumn"}, set()),
}  # fmt: skip
LISTS = {"runs", "rules", "invocations", "toolExecutionNotifications", "results", "locations", "logicalLocations"}


def _check(name: str, part: object) -> None:
    if isinstance(part, list):
        assert name in LISTS, name
        for item in part:
            _check(name, item) if isinstance(item, dict) else pytest.fail(name)
        assert name != "rules" or len({item["id"] for item in part}) == len(part)
    elif isinstance(part, dict):
        allowed, required = SARIF[name]
        assert required <= set(part) <= allowed, name
        for key, value in part.items():
            if isinstance(value, dict):
                assert key not in LISTS, key
            _check(key, value)
    elif name == "level":
        assert part in ("none", "note", "warning", "error")
    elif name in ("startLine", "startColumn"):
        assert isinstance(part, int)
        assert part >= 1
    elif name == "exitCode":
        assert isinstance(part, int)
    elif name == "executionSuccessful":
        assert isinstance(part, bool)
    elif name == "columnKind":
        assert part in ("utf16CodeUnits", "unicodeCodePoints")
    elif name == "uri":
        assert re.fullmatch(r"(?:[A-Za-z0-9\-._~/!$&'()*+,;=@:]|%[0-9A-F]{2})+", part), part  # type: ignore[call-overload]
    else:
        assert isinstance(part, str), name
        assert part, name


def sarif(*args, **options) -> dict:
    document = json.loads(reported("sarif", *args, **options))
    _check("", document)
    assert document["version"] == "2.1.0"
    return document["runs"][0]


def test_sarif():
    run = sarif()
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("TFM101", "warning"), ("TFM005", "warning"), ("TFM004", "warning"), ("TFM101", "warning"),
    ]  # fmt: skip
    assert run["results"][0]["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1, "startColumn": 8}}}
    ]
    notebook = run["results"][2]
    assert notebook["message"]["text"] == "Cell 3, line 2: a star import. Name what is imported."
    assert notebook["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "c%20d/n.ipynb"}}
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert [notification["level"] for notification in invocation["toolExecutionNotifications"]] == ["note", "error"]


def test_sarif_knows_every_rule():
    from tf1mem.codemod.rules import registry

    rules = sarif([], mode="check")["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in registry()]


@pytest.mark.parametrize(
    ("path", "uri"),
    [("a b/%.py", "a%20b/%25.py"), ("/tmp/ä.py", "file:///tmp/%C3%A4.py"), (AWKWARD, "we%2Cird%3A%25%0A%FF/%C3%A4.py")],
)
def test_uris(path, uri):
    (result,) = sarif([Outcome(path, remarks=(REMARK,))])["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_names_that_would_be_commands(tmp_path):
    names = ("::error file=a::b.py", "c\n::error::d.py", 'e\x1b"f.py')
    build(tmp_path, dict.fromkeys(names, OLD_PYTHON2))
    shown = codemod(*names, cwd=tmp_path)
    check = codemod("--check", "--report", "left.txt", *names, "::error::g.py", cwd=tmp_path)
    for output in (shown.stdout, shown.stderr, check.stdout, check.stderr, (tmp_path / "left.txt").read_bytes()):
        assert output
        assert b"\x1b" not in output
        assert not [line for line in output.splitlines() if line.lstrip().startswith(b"::")]
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=shown.stdout, check=True)
    assert all((tmp_path / name).read_bytes().startswith(NEW) for name in names)


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_every_format_of_a_real_tree(tmp_path, form):
    build(tmp_path, {"a.py": OLD, "b/c.py": OLD_PYTHON2, "d.py": b"\0"})
    for mode in ((), ("--check",), ("--write",)):
        done = codemod("--format", form, *mode, ".", cwd=tmp_path)
        assert done.returncode == 1
        assert b"b/c.py" in done.stdout
        assert b"\x1b" not in done.stdout + done.stderr
        if form == "json":
            assert json.loads(done.stdout)["summary"]["remarks"] == 1
        elif form == "sarif":
            _check("", json.loads(done.stdout))


@pytest.mark.parametrize(
    "command", [["patch", "-p1", "--silent"], ["git", "apply", "-"]], ids=lambda command: command[0]
)
def test_piped_output_can_be_applied(tmp_path, command):
    """Remarks stand between the diffs."""
    source = OLD_PYTHON2.replace(b"\n", b"\r\n") + b"# \xe9, no newline at the end"
    build(tmp_path, {"a.py": source, "b/c.py": OLD_PYTHON2, "d.py": OLD})
    shown = codemod(".", cwd=tmp_path)
    assert shown.returncode == 1
    more = ["--binary"] if command[0] == "patch" else []
    subprocess.run([*command, *more], cwd=tmp_path, input=shown.stdout, check=True, capture_output=True)
    assert codemod("--check", ".", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.py").read_bytes() == source.replace(b"import tensorflow as tf", b"import tf1mem.v1 as tf")
