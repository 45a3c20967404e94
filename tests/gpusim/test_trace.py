"""A trace file is read into a history for each process and GPU, and damage in it is reported."""

from __future__ import annotations

import json

import pytest

from tf1mem.errors import TraceError
from tf1mem.gpusim.histories import Refusal, histories
from tf1mem.gpusim.machine import ENDED, KILLED, RUNNING, State, Usage
from tf1mem.gpusim.trace import Event, events, read

MIB = 2**20


def line(time, pid, event, **fields):
    return dict(time=time, pid=pid, event=event, **fields)


def memory(time, pid, event, size, total, gpu=0, **fields):
    return line(
        time, pid, event, gpu=gpu, bytes=size, total=total, in_use=total, kind="device", api="cuMemAlloc_v2", **fields
    )


def end(time, pid, event="exit", gpu=0, **fields):
    counts = dict.fromkeys(("reserved", "peak", "regions", "refused", "launches"), 0)
    return line(time, pid, event, gpu=gpu, **{**counts, **fields})


@pytest.fixture
def written(tmp_path):
    def write(*lines, tail=""):
        path = tmp_path / "trace.jsonl"
        path.write_text("".join(json.dumps(it) + "\n" for it in lines) + tail)
        return path

    return write


def test_a_line_of_the_trace_is_read_as_an_event(written):
    path = written(
        line(1.5, 7, "start", visible=None, gpus=[1, 0], command="python x.py", where="x.py:3", call="constant"),
        memory(2, 7, "reserve", MIB, MIB, where="x.py:4", later="unknown"),
    )
    started, reserved = read(path)
    assert started == Event(
        1.5, 7, "start", visible=None, gpus=(1, 0), command="python x.py", where="x.py:3", call="constant"
    )
    assert (reserved.bytes, reserved.total, reserved.where, reserved.visible) == (MIB, MIB, "x.py:4", None)
    assert tuple(events(str(path))) == (started, reserved)


def test_unknown_fields_and_events_are_left_out(written):
    torn = '{"time": 1, "pid": 7, "event": "rese'
    assert read(written(line(1, 7, "of a later version"), tail=torn)) == ()
    assert read(written()) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no JSON", "line 2 of the trace"),
        ("[]", "it is not a JSON object"),
        ("{}", '"event" is missing'),
        ('{"event": ["start"]}', '"event" is missing'),
        ('{"event": "start", "time": 1}', '"pid" is missing'),
        ('{"event": "reserve", "time": 1, "pid": 1, "gpu": 0, "bytes": 1, "total": 1}', '"in_use" is missing'),
        ('{"event": "start", "time": 1, "pid": "1"}', '"pid" is "1"'),
        ('{"event": "start", "time": 1, "pid": true}', '"pid" is true'),
        ('{"event": "start", "time": 1, "pid": 1, "gpus": [null]}', '"gpus" is [null]'),
        ("\xff", "it is not a JSON object"),
    ],
)
def test_a_damaged_trace_is_refused(written, text, message):
    with pytest.raises(TraceError) as caught:
        read(written(line(1, 7, "start"), tail=text + "\n"))
    assert message in str(caught.value)


def test_no_such_file(tmp_path):
    with pytest.raises(TraceError, match="No such file"):
        read(tmp_path / "nowhere")


def histories_of(*lines, accounts=(), cut=False):
    return histories((Event(**it) for it in lines), State((), tuple(accounts), (), cut))


def test_the_history_of_one_process():
    story = histories_of(
        line(0, 7, "start", command="python x.py"),
        line(1, 7, "context", gpu=0, where="x.py:3", call="constant"),
        memory(2, 7, "reserve", 4 * MIB, 4 * MIB),
        memory(3, 7, "reserve", MIB, 5 * MIB),
        memory(4, 7, "free", 4 * MIB, MIB),
        memory(5, 7, "refuse", 9 * MIB, MIB, free=3 * MIB, where="x.py:9"),
        line(6, 7, "unsupported", function="cuFoo", library="driver"),
        end(7, 7, reserved=MIB, peak=5 * MIB, regions=2, refused=1, launches=12),
    )
    (share,) = story.shares
    (process,) = story.processes
    assert share.process is process
    assert (process.pid, process.command, process.state, process.started) == (7, "python x.py", ENDED, 0)
    assert (share.gpu, share.where, share.call) == (0, "x.py:3", "constant")
    assert (share.regions, share.reserved, share.peak, share.refused, share.launches) == (2, MIB, 5 * MIB, 1, 12)
    assert share.steps == [(2, 4 * MIB), (3, 5 * MIB), (4, MIB), (7, 0)]
    assert share.refusals == [Refusal(5, 9 * MIB, 3 * MIB, "x.py:9")]
    assert story.unsupported == (("driver", "cuFoo"),)


def test_a_running_process():
    lines = [line(0, 7, "start"), memory(2, 7, "reserve", 4, 4), memory(2, 7, "refuse", 9, 4, free=2)]
    (share,) = histories_of(*lines).shares
    assert (share.process.state, share.regions, share.reserved, share.peak) == (RUNNING, 1, 4, 4)
    assert (share.refused, share.launches, share.steps) == (1, None, [(2, 4)])
    (share,) = histories_of(*lines, accounts=[Usage(7, RUNNING, 0, 4, 4, 0, 1, 1, 33, 30)]).shares
    assert (share.launches, share.computed) == (33, 30)


def test_several_processes_and_gpus():
    story = histories_of(
        line(0, 7, "start"),
        line(0, 8, "start"),
        memory(1, 7, "reserve", 4, 4),
        memory(1, 8, "reserve", 5, 5),
        memory(1, 7, "reserve", 6, 6, gpu=1),
        line(2, 7, "unsupported", function="cuFoo", library="driver"),
        line(2, 8, "unsupported", function="cuFoo", library="driver"),
        end(3, 8, "killed", reserved=5, peak=5, regions=1),
    )
    assert [(share.process.pid, share.gpu, share.peak) for share in story.shares] == [(7, 0, 4), (8, 0, 5), (7, 1, 6)]
    assert [process.state for process in story.processes] == [RUNNING, KILLED]
    assert story.unsupported == (("driver", "cuFoo"),)


def test_a_pid_that_starts_again_is_another_process():
    story = histories_of(
        line(0, 7, "start", command="first"),
        memory(1, 7, "reserve", 4, 4),
        line(2, 7, "start", command="second"),
        memory(3, 7, "reserve", 5, 5),
    )
    assert [(it.command, it.state) for it in story.processes] == [("first", KILLED), ("second", RUNNING)]
    assert [share.steps for share in story.shares] == [[(1, 4), (2, 0)], [(3, 5)]]


def test_after_a_cut_the_accounts_complete_the_histories():
    lines = [line(1, 7, "start", command="python x.py"), line(2, 7, "context", gpu=0, where="x.py:3")]
    lines.append(memory(3, 7, "reserve", MIB, MIB))
    histories = histories_of(
        *lines, cut=True,
        accounts=[
            Usage(7, KILLED, 0, 2 * MIB, 3 * MIB, 0, 5, 1, 9, 0),  # exec has replaced this program by the next one
            Usage(7, ENDED, 0, 0, 1, 0, 1, 0, 2, 0),
            Usage(8, RUNNING, 1, 4, 4, 0, 1, 0, 0, 0),
        ],
    )  # fmt: skip
    assert histories.cut
    assert [(it.process.pid, it.gpu, it.regions, it.peak, it.launches, it.where) for it in histories.shares] == [
        (7, 0, 5, 3 * MIB, 9, "x.py:3"),
        (7, 0, 1, 1, 2, None),
        (8, 1, 1, 4, 0, None),
    ]
    assert [it.process.state for it in histories.shares] == [KILLED, ENDED, RUNNING]
