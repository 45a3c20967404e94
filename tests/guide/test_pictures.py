"""The guide's pictures show the kept traces, and the traces are those of the installed TensorFlow."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from migration_guide.pictures import drawing, recording  # noqa: E402


def test_every_picture_is_what_the_traces_give():
    drawn = dict(drawing.pictures())
    assert len(drawn) == 2 * len(drawing.PICTURES), "a TensorFlow 1 and a newest one"
    stale = [path.name for path, text in drawn.items() if path.read_text("utf-8") != text]
    assert not stale, "run migration_guide/pictures/drawing.py"


def test_a_stale_picture_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(drawing, "HERE", tmp_path)
    assert drawing.main(["--check"]) == 1
    assert "settings_tf1.svg differs from the traces" in capsys.readouterr().out
    assert drawing.main([]) == 0
    assert drawing.main(["--check"]) == 0
    (tmp_path / "settings_tf1.svg").write_text("<svg/>", encoding="utf-8")
    assert drawing.main(["--check"]) == 1


def test_every_run_has_its_trace():
    versions = drawing.versions()
    assert len(versions) == 2
    assert versions[0].startswith("1.15")
    expected = {recording.path_of(run, version).name for run in recording.recordings() for version in versions}
    assert {path.name for path in drawing.TRACES.iterdir()} == expected


@pytest.mark.parametrize("path", sorted(drawing.HERE.glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_fits_a_telephone_and_has_words(path):
    root = ElementTree.parse(str(path)).getroot()
    assert float(root.get("width")) <= 340
    words = " ".join(root.itertext())
    assert "prefers-color-scheme: dark" in words
    assert root.find("{http://www.w3.org/2000/svg}title").text


def test_the_pages_name_the_figures_of_the_pictures():
    memory, two = ((drawing.HERE.parent / name).read_text("utf-8") for name in ("memory.md", "two_processes.md"))
    for version in drawing.versions():
        assert version in memory
        for name in ("alone_nothing", "alone_fraction", "alone_growth_and_fraction"):
            (peak,) = drawing.read(drawing.TRACES / f"{name}_{version}.jsonl").peaks.values()
            assert f"{peak:,} bytes" in memory
        second = drawing.read(drawing.TRACES / f"shared_nothing_{version}.jsonl").peaks[1]
        assert f"{second / 2**30:.2f} GiB ({version})" in two


def test_no_trace_says_whose_machine_it_was():
    for path in drawing.TRACES.iterdir():
        assert "/" not in path.read_text("utf-8")


@pytest.mark.proof
@pytest.mark.parametrize("name", ["alone_growth", "alone_nothing"])
def test_the_trace_is_what_tensorflow_does(name, tensorflow_version):
    """Runs the programs again on the installed TensorFlow, except those with a refusal, which takes 10 s."""
    version = str(tensorflow_version)
    if version not in drawing.versions():
        pytest.skip("the pictures show {}, not {}".format(" and ".join(drawing.versions()), version))
    (run,) = [run for run in recording.recordings() if run.name == name]
    command = [sys.executable] if tensorflow_version.major == 1 else [sys.executable, "-m", "tf1mem", "run"]
    ran_on, lines = recording.record(run, command)
    records = [json.loads(line) for line in recording.path_of(run, version).read_text("utf-8").splitlines()]
    assert ran_on == version
    assert _without_times(lines) == _without_times(records)


def _without_times(lines):
    return [{name: value for name, value in line.items() if name != "time"} for line in lines]
