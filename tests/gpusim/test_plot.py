"""The plot of `tf1mem sim --plot` is written in each file format, and stays small for a long trace."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from tests.processes.environment import clean
from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import lineup
from tf1mem.gpusim.histories import Histories, History, ProcessHistory, Refusal
from tf1mem.gpusim.plot import draw
from tf1mem.gpusim.timeline import worth_drawing

GIB = 2**30


def sample_histories(count=2, steps=3):
    shares = []
    for pid in range(count):
        share = History(ProcessHistory(pid, 1000.0 + pid, "python $HOME/train_$i.py"), 0)
        share.steps = [(1000.0 + pid + step, step * GIB // 8) for step in range(steps)]
        share.peak = max((total for _, total in share.steps), default=0)
        share.refusals = [Refusal(1001.5, 9 * GIB, 7 * GIB, "train.py:3")]
        share.managed_steps = [(1001.0, 3 * GIB)]
        shares.append(share)
    return Histories(tuple(share.process for share in shares), tuple(shares), ())


@pytest.mark.parametrize("count", [0, 1, 2, 6, 7, 40])
def test_an_svg(tmp_path, count):
    path = tmp_path / "plot.svg"
    draw(str(path), lineup(["8GiB", "80GiB,name=$A_1"], ["1GiB", 0]), sample_histories(count))
    root = ElementTree.parse(str(path)).getroot()
    assert root.tag.endswith("svg")
    svg = path.read_text(encoding="utf-8")
    for text in ("GPU 0: Simulated GPU, 8 GiB", "GPU 1: $A_1, 80 GiB", "GiB", "used by others"):
        assert f"<!-- {text} -->" in svg
    assert ("<!-- refused -->" in svg) == (count > 0)
    assert ("34 smaller processes" in svg or "35 smaller processes" in svg) == (count == 40)


def test_the_legend_names_the_scripts(tmp_path):
    path = tmp_path / "plot.svg"
    share = History(ProcessHistory(7, 0.0, "/home/somebody/environments/new/bin/python train.py rank=1"), 0)
    share.steps = [(0.0, GIB)]
    draw(str(path), lineup(1), Histories((share.process,), (share,), ()))
    assert "<!-- 7: python train.py rank=1 -->" in path.read_text("utf-8")


def test_equal_histories_give_equal_files(tmp_path):
    for name in ("a.svg", "b.svg"):
        draw(str(tmp_path / name), lineup(2), sample_histories())
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_other_file_formats(tmp_path, name, start):
    draw(str(tmp_path / name), lineup(1), sample_histories())
    assert (tmp_path / name).read_bytes().startswith(start)


def test_a_long_trace_gives_a_small_file(tmp_path):
    path = tmp_path / "plot.svg"
    draw(str(path), lineup(1), sample_histories(2, 200_000))
    assert path.stat().st_size < 3_000_000


def test_the_extremes_of_a_long_trace_are_drawn():
    total = [0] * 100_000
    total[54_321], total[-1] = 9, 3
    indices = worth_drawing(total, 6000)
    assert len(indices) <= 6001
    assert {0, 54_321, 99_999} <= set(indices)


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(SimulationError, match="can't be written"):
        draw(str(tmp_path / "nowhere" / "plot.svg"), lineup(1), sample_histories())


def test_without_matplotlib(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import importlib.util\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'matplotlib' else find(name)\n"
        "from tf1mem.__main__ import main\n"
        "sys.exit(main(['sim', '--plot', {!r}, '--', 'touch', 'started']))\n".format(str(tmp_path / "plot.svg"))
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=str(tmp_path), stderr=subprocess.PIPE, encoding="utf-8", check=False,
        env=clean(),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        "tf1mem: error: --plot needs matplotlib, which isn't installed. pip install 'tf1mem[plot]'\n"
    )
    assert list(tmp_path.iterdir()) == []
