"""`tf1mem explain` for every code of tf1mem."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import tf1mem
from tests.processes.schemas import valid
from tf1mem.__main__ import main

needs_codemod = pytest.mark.skipif(sys.version_info < (3, 10), reason="needs Python 3.10")


@needs_codemod
def test_every_code_is_explained(capsys):
    files = Path(tf1mem.__file__).parent.rglob("*.py")
    codes = sorted({code for file in files for code in re.findall(r"\bTF[MDC]\d{3}\b", file.read_text("utf-8"))})
    assert main(["explain", *codes]) == 0
    output = capsys.readouterr().out
    pages = re.split(r"^(?=TF[MDC]\d{3}\b)", output, flags=re.MULTILINE)[1:]
    assert [page[:6] for page in pages] == codes
    for page in pages:
        assert "\nWhat to do\n  " in page
        assert max(len(line) for line in page.splitlines() if not line.startswith("    ")) <= 80
    without = {page[:6] for page in pages if page.startswith("TFM") and "\nExample\n" not in page}
    assert without == {"TFM001", "TFM002", "TFM120"}  # codes about source that doesn't parse, and about notebooks
    assert main(["explain", "--list"]) == 0
    listed = [line[:6] for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    assert listed == sorted(codes, key=lambda code: ("TFM TFD TFC".index(code[:3]), code))


@needs_codemod
def test_a_rule_by_its_name(capsys):
    assert main(["explain", "--format", "json", "device-count", "tfd204"]) == 0
    rule, finding = valid("explain", json.loads(capsys.readouterr().out))["codes"]
    assert (rule["code"], rule["name"], rule["severity"]) == ("TFM405", "device-count", None)
    assert "TensorFlow looks devices up by type, in capitals" in rule["why"][0]
    (example,) = rule["examples"]
    assert example["before"].endswith("use(config)\n")
    assert example["remarks"][0].startswith("line 2: device_count counts devices by types such as 'GPU'")
    assert main(["explain", "TFD206"]) == 0  # a mistake that one rule reports, and none corrects
    page = capsys.readouterr().out
    assert "In source `tf1mem codemod` reports it: TFM404." in page
    assert "\n  > line 3: growth for one GPU only" in page
    assert (finding["code"], finding["name"], finding["severity"]) == ("TFD204", None, "error")
    assert "tf1mem codemod --to apply --only TFM402 FILE" in finding["remedy"][1]
    assert "tf1mem.apply(tf1mem.config(" in finding["examples"][0]["after"]


def test_a_finding_without_the_codemod(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert main(["explain", "--color", "always", "TFD204"]) == 0
    assert capsys.readouterr().out.startswith("\x1b[1mTFD204\x1b[0m\n\nGrowth was dropped by a memory limit")
    assert main(["explain", "--list"]) == 0
    missing = "The codemod's rules are missing here: they need Python 3.10 and tf1mem[cli]"
    out, err = capsys.readouterr()
    assert ("\nTFM" in out, err) == (False, missing + "\n")
    assert main(["explain", "growth-and-limit"]) == 2
    assert f"lists them. {missing}. See" in capsys.readouterr().err
    assert main(["explain", "TFM402"]) == 2
    assert capsys.readouterr().err.startswith("tf1mem: error: tf1mem explain of the codemod's rules needs ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Nothing to explain: name a code, such as TFM402, or list them with --list."),
        pytest.param(
            ["TFD2O4"],
            "There is no code 'TFD2O4'. Did you mean TFD224 or TFD214? tf1mem explain --list lists them.",
            marks=needs_codemod,
        ),
        pytest.param(
            ["sesion"],
            "There is no code 'sesion'. Did you mean session or test-sessions? tf1mem explain --list lists them.",
            marks=needs_codemod,
        ),
        pytest.param(["what"], "There is no code 'what'. tf1mem explain --list lists them.", marks=needs_codemod),
    ],
)
def test_bad_usage(capsys, args, message):
    assert main(["explain", *args]) == 2
    assert capsys.readouterr() == ("", f"tf1mem: error: {message} See tf1mem explain --help\n")
