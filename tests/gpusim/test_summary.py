"""The table of `tf1mem sim --summary`, plain and coloured."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from tf1mem.gpusim.gpus import lineup
from tf1mem.gpusim.histories import Histories, History, OpHistory, ProcessHistory, Refusal
from tf1mem.gpusim.machine import ENDED, KILLED, RUNNING
from tf1mem.gpusim.summary import as_text, show

GIB, MIB = 2**30, 2**20


def history(pid=7, gpu=0, state=ENDED, command="python train.py", **fields):
    return History(ProcessHistory(pid, 0.0, command, state), gpu, **{"launches": 12, **fields})


def histories_of(*shares, unsupported=()):
    return Histories(tuple(share.process for share in shares), shares, unsupported)


def as_plain(gpus, histories, width=80):
    return as_text(gpus, histories, width)


def as_rich(gpus, histories, width=80):
    out = io.StringIO()
    show(Console(file=out, width=width, force_terminal=True, color_system=None, highlight=False), gpus, histories)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


@pytest.fixture(params=[as_plain, as_rich], ids=["plain", "rich"])
def summary(request):
    return request.param


def words(text):
    return " ".join(text.split())


def test_a_process_has_its_line_and_the_place_that_started_the_gpu(summary):
    share = history(
        where="train.py:12", call="constant", regions=3, reserved=MIB, peak=429496576, refused=1,
        refusals=[Refusal(1.0, 100 * MIB, 5, "train.py:30")],
    )  # fmt: skip
    text = words(summary(lineup("8GiB", "6GiB"), histories_of(share)))
    assert "1 simulated GPU, 1 process on it" in text
    assert "GPU 0: Simulated GPU, 8 GiB (8,589,934,592 bytes), 6 GiB (6,442,450,944 bytes) of it used by others" in text
    assert "7 3 1 MiB 409.6 MiB 429,496,576 1 12" in text
    assert "python train.py" in text
    assert "the GPU was started by train.py:12 (constant)" in text
    assert "refused 100 MiB (104,857,600 bytes) with 5 B left, at train.py:30" in text
    assert "12 kernel launches computed nothing." in text
    assert "Values that come from kernels on these GPUs are not real." in text


def test_without_a_process_the_summary_says_how_tensorflow_may_be_built(summary):
    text = words(summary(lineup(2), histories_of()))
    assert "2 simulated GPUs, 0 processes on them" in text
    assert text.count("no process used it") == 2
    assert "tensorflow-cpu) never does; tf1mem doctor shows how yours is built." in text


def test_computed_ops_are_counted(summary):
    ops = {f"Op{place}": OpHistory(place + 1, place + 1) for place in range(10)}
    share = history(launches=60, computed=55)
    text = words(
        summary(lineup(1), replace(histories_of(share), ops={**ops, "Hue": OpHistory(5, 0)}, not_computed=("Hue",)))
    )
    assert "Not computed, so their values are not real: Hue (5 launches)" in text
    assert "computed the ops of 55 of 60 kernel launches" in text
    assert "Computed: Op9 (10 launches), Op8 (9 launches)" in text
    assert "Op2 (3 launches) and 2 more kinds of op" in text


def test_no_kernel_was_launched(summary):
    assert "No kernel was launched" in summary(lineup(1), histories_of(history(launches=0)))


def test_a_process_that_still_runs_or_was_killed(summary):
    shares = [history(7, state=RUNNING, launches=None), history(8, state=KILLED), history(9)]
    text = words(summary(lineup(1), histories_of(*shares)))
    assert text.count("still running") == 1
    assert text.count("it ended without closing the driver: it was killed, or called os._exit") == 1
    assert "24 kernel launches" in text


def test_the_starting_line_is_unknown(summary):
    text = summary(lineup(1), histories_of(history(command="", call="constant"), history(8)))
    assert "None" not in text
    assert "the GPU was started by constant" in words(text)


def test_paths_below_the_current_folder_are_relative(summary, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    share = history(
        where=f"{tmp_path}/train.py:12", refused=1, refusals=[Refusal(1.0, GIB, 5, "/elsewhere/train.py:3")]
    )
    text = words(summary(lineup(1), histories_of(share)))
    assert "the GPU was started by train.py:12 " in text
    assert "at /elsewhere/train.py:3" in text


def test_more_than_three_refusals_are_counted(summary):
    refusals = [Refusal(float(n), GIB, n, None) for n in range(10)]
    text = words(summary(lineup(1), histories_of(history(refused=10, refusals=refusals))))
    assert text.count("refused 1 GiB") == 3
    assert "and 7 more allocations refused" in text


def test_managed_memory(summary):
    text = words(summary(lineup(1), histories_of(history(managed_peak=12 * GIB))))
    assert "managed memory, which is not on the GPU: 12 GiB (12,884,901,888 bytes) at most" in text


def test_unsupported_functions_are_listed(summary):
    text = words(summary(lineup(1), histories_of(unsupported=(("driver", "cuFoo"), ("nvml", "nvmlBar")))))
    assert 'The simulator lacks these functions, and answered "not supported": cuFoo (driver), nvmlBar (nvml)' in text


def test_control_characters_are_escaped(summary):
    text = summary(lineup(1), histories_of(history(command="\x1b[2J[red]x\n")))
    assert r"\x1b[2J[red]x\n" in text
    assert "\x1b" not in text.replace("\x1b[0m", "").replace("\x1b[1m", "")


def test_fits_80_columns(summary):
    share = history(
        pid=4194304, regions=1_234_567, reserved=GIB * 1000, peak=80 * GIB - 1, refused=12345, launches=1_234_567_890,
        command="python " + 60 * "long ", where="/a/folder/" + 8 * "deeper/" + "train.py:1234", call="constant",
        refusals=[Refusal(0.0, 79 * GIB + 1, 78 * GIB + 1, "/a/" + 9 * "folder/" + "train.py:12")],
    )  # fmt: skip
    text = summary(
        lineup(["80GiB,name=" + 63 * "n"], "70GiB"), histories_of(share, unsupported=(("driver", 90 * "c"),))
    )
    assert max(len(line) for line in text.splitlines()) <= 80
    for figure in ("1,234,567,890", "85,899,345,919", "12,345", "4194304"):
        assert figure in text


def test_a_narrow_terminal_cuts_no_figure(summary):
    share = history(regions=1_234_567, reserved=3 * MIB, peak=80 * GIB - 1, refused=12345)
    text = summary(lineup(1), histories_of(share), 50)
    for word in ("process", "launches", "1,234,567", "3 MiB", "85,899,345,919", "12,345"):
        assert word in text


def test_a_row_fits_60_columns(summary):
    share = history(pid=29784, regions=1, reserved=2 * GIB, peak=3 * GIB)
    text = summary(lineup(1), histories_of(share), 60)
    assert max(map(len, text.splitlines())) <= 60
    assert "3,221,225,472" in text
