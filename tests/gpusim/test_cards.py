"""Cards are found by the names that people type; each has public sources; other names are refused with near ones."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.processes.schemas import valid
from tf1mem.gpusim.cards import cards
from tf1mem.gpusim.gpus import lineup, parse


def test_every_card_is_found_by_its_name_and_has_sources():
    names = [card.name for card in cards()]
    assert [gpu.name for gpu in map(parse, names)] == names
    assert len(set(names)) == len(names) >= 30
    for card in cards():
        assert [source[:8] for source in card.sources] in (["https://"], ["https://"] * 2, ["https://"] * 3)
        assert parse(card.name).total_bytes > 3 << 30


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3090", "NVIDIA GeForce RTX 3090"),
        ("rtx3090", "NVIDIA GeForce RTX 3090"),
        ("3090ti", "NVIDIA GeForce RTX 3090 Ti"),
        ("GTX 1080", "GeForce GTX 1080"),
        ("A100-80GB", "NVIDIA A100-SXM4-80GB"),
        ("v100-32gb", "Tesla V100-SXM2-32GB"),
        (" T4 ", "Tesla T4"),
        ("titan x", "GeForce GTX TITAN X"),
        ("rtxA6000", "NVIDIA RTX A6000"),
    ],
)
def test_names_as_people_type_them(text, name):
    assert parse(text).name == name


def test_a_card_takes_further_values():
    gpu = parse("T4,name=Mine,cc=8.0")
    assert (gpu.name, gpu.compute_capability) == ("Mine", (8, 0))
    assert (gpu.total_bytes, gpu.multiprocessors) == (15843721216, 40)
    assert lineup(["T4", "8GiB"])[0].total_bytes == 15843721216


def test_the_command_lists_the_cards():
    def listed(*options):
        command = [sys.executable, "-m", "tf1mem", "sim", "--list-cards", *options]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    names = [card.name for card in cards()]
    lines = listed().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line[: len(name)] for line, name in zip(lines[1:], names)] == names
    assert len(lines) == len(names) + 1
    rows = valid("cards", json.loads(listed("--format", "json")))["cards"]
    assert [(row["name"], tuple(row["sources"])) for row in rows] == [(card.name, card.sources) for card in cards()]
