"""The files and commands named in CONTRIBUTING and in how_it_works.md exist."""

from __future__ import annotations

import re

import pytest

from migration_guide.generating.house import HOUSE, ROOMS

from .imports import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TOP = "tf1mem|tests|migration_guide|benchmarks|examples"
# Ten common changes, as CONTRIBUTING's table names them.
TEN = (
    "a TensorFlow, such as 2.23",
    "a field of ConfigProto",
    "a rule of the codemod",
    "a finding of the doctor",
    "a way of setting something in TensorFlow (a route)",
    "a CUDA function that TensorFlow calls",
    "an example",
    "an environment variable",
    "a message with a wrong text",
    "a form of output of the codemod",
)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "migration_guide/how_it_works.md"])
def test_every_path_of_the_page_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = re.findall(rf"`((?:{TOP})/[\w./-]*)`", text)
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [path for path in paths if path.endswith("/") != (ROOT / path).is_dir()] == [], "folders end in a slash"


def test_files_define_the_names_that_the_page_places_in_them():
    named = re.findall(rf"`(\w+)` in `((?:{TOP})/[\w./-]*)`", CONTRIBUTING)
    assert len(named) > 5
    for name, path in named:
        if not (ROOT / path).is_dir():
            source = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"^ *(class |def )?{name}\b", source, re.MULTILINE), (name, path)


@pytest.mark.parametrize("change", TEN)
def test_each_of_the_ten_changes_has_a_row_with_a_path(change):
    (row,) = [line for line in CONTRIBUTING.splitlines() if line.startswith(f"| {change} |")]
    assert re.search(rf"`(?:{TOP})/", row)


def test_the_rooms_are_listed_in_their_order():
    block = CONTRIBUTING.split("## The rooms")[1].split("## Where")[0]
    lines = [re.split(r"\s{2,}", line.strip()) for line in block.splitlines() if line.startswith("    ")]
    assert [cell for line in lines for cell in line[:-1]] == list(ROOMS)
    assert [line[:-1] for line in lines] == [[room.name for room in rooms] for rooms in HOUSE.values()]


def test_every_make_command_of_the_page_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", CONTRIBUTING)) <= targets
