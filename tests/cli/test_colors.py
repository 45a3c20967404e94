"""Every command has the same options and variables for the colour, width and amount of its output."""

from __future__ import annotations

import json
import re

import pytest

from tf1mem.__main__ import main
from tf1mem.cli import exits
from tf1mem.cli.app import COMMANDS


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def shown(capsys, *args):
    status = main(list(args))
    out, err = capsys.readouterr()
    return status, out, err


def plain(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_in_colour_is_the_same_help(monkeypatch, capsys, command):
    _, without, _ = shown(capsys, command, "--help")
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, coloured, _ = shown(capsys, command, "--help")
    assert "\x1b" not in without
    assert coloured.startswith("\x1b[32m\x1b[1mUsage:")
    assert plain(coloured) == without
    assert shown(capsys, command, "--color", "never", "--help")[1] == without
    monkeypatch.setenv("NO_COLOR", "1")  # NO_COLOR takes precedence
    assert shown(capsys, command, "--help")[1] == without
    assert shown(capsys, command, "--color", "always", "--help")[1] == coloured


@pytest.mark.parametrize("args", [["plan"], ["plan", "nowhere.json"], ["explain", "TFD999"], ["doctor", "--", "-m"]])
def test_an_error_in_colour_is_the_same_error(monkeypatch, capsys, args):
    _, _, without = shown(capsys, *args)
    assert without.startswith("tf1mem: error: ")
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, _, coloured = shown(capsys, *args)
    assert coloured.startswith("tf1mem: \x1b[1;31merror:\x1b[0m ")
    assert plain(coloured) == without
    assert shown(capsys, args[0], "--color", "never", *args[1:])[2].startswith("tf1mem: error: ")


def test_columns_count_where_output_is_piped(monkeypatch, capsys):
    widths = []
    for columns in (None, "60", "100"):
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        lines = shown(capsys, "explain", "TFD204", "TFD201")[1].splitlines()
        widths.append(max(len(line) for line in lines if not line.startswith("    ")))  # indented lines are source
    assert widths[1] <= 60 < widths[0] <= 80 < widths[2] <= 100


def test_a_quiet_plan_has_a_line_for_each_step(capsys, tmp_path):
    (tmp_path / "settings.json").write_text(json.dumps({"gpu_options": {"allow_growth": True}}))
    args = ["plan", "--tensorflow", "2.21", "--gpus", "1", str(tmp_path / "settings.json")]
    status, out, err = shown(capsys, *args, "--quiet")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "gpu_options.allow_growth=True: tf.config"


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"completion"}))
def test_every_command_takes_quiet_or_verbose(capsys, command):
    needed = {"plan": ["x.json"], "estimate": ["x:y"], "codemod": ["x.py"], "run": ["x.py"]}.get(command, [])
    status, out, err = shown(capsys, command, "-q", "-v", *needed)
    assert (status, out) == (2, "")
    assert "--quiet with --verbose: leave one of them out." in err


def test_help_says_every_status_of_a_command(capsys):
    for command, statuses in exits.OWN.items():
        assert exits.sentence(command) in " ".join(shown(capsys, command, "--help")[1].split())
        for numbers in ([each.status for each in statuses], [each.status for each in exits.EVERY]):
            assert len(set(numbers)) == len(numbers)
