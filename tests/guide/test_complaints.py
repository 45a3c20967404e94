"""The errors in complaints.md are TensorFlow 2.21's, and the program above each of them runs by the command below."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from . import blocks
from .site import GUIDE

WARM = ["tensorflow"]
PAGE = GUIDE / "complaints.md"
RUN_HERE = "run by test_complaints.py"


class Answer(NamedTuple):
    """A section's error, its program, and the command that helps."""

    error: str
    name: str
    program: str
    arguments: list[str]
    prints: list[str]


def answers():
    """Returns the sections whose command block is marked for this file; the block before it is the program."""
    headings = {
        number: line[3:].replace("`", "")
        for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1)
        if line.startswith("## ")
    }
    of_page = blocks.read(PAGE)
    for program, block in zip(of_page, of_page[1:]):
        if block.marks.get("not run") == RUN_HERE:
            (command,) = blocks.commands(block)
            name = program.marks["file"]
            match = re.fullmatch(rf"tf1mem run {re.escape(name)}(.*)", command.text)
            error = headings[max(number for number in headings if number < program.line)]
            yield Answer(error, name, program.text, match.group(1).split(), command.prints)


ANSWERS = list(answers())


def test_the_ten_names_that_people_miss_most_are_there():
    missed = "Session placeholder contrib flags app logging estimator dense".split()
    assert [name for name in missed if not any(name in answer.error for answer in ANSWERS)] == []
    assert len(ANSWERS) >= 9


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.error)
def test_a_program_stops_with_the_error_and_runs_by_the_command(answer, warm, tmp_path):
    script, out, err = (tmp_path / name for name in (answer.name, "out.txt", "err.txt"))
    script.write_text(answer.program, encoding="utf-8")
    plain = warm.run(script, *answer.arguments)
    assert plain.returncode == 1
    assert answer.error in plain.stderr.splitlines()[-1].replace("`", "")
    run = warm.submit([str(script), *answer.arguments], folder=tmp_path, out=out, err=err, by_run=True)
    assert run.status() == 0, err.read_text(encoding="utf-8")
    assert blocks.missing(answer.prints, out.read_text("utf-8") + err.read_text("utf-8")) is None
