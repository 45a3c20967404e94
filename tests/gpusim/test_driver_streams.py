"""Streams, events and host functions: enqueued work runs in order, and host functions run in another thread."""

from __future__ import annotations

from driver_programs import run


def test_host_functions_run_in_order_in_another_thread(tmp_path):
    done = run(
        """
start()
s, seen, lock = stream(), [], threading.Lock()
caller = threading.get_ident()
@HOST_FUNCTION
def note(number):
    with lock:  # the caller holds it while it enqueues this function
        seen.append((number, threading.get_ident() == caller))
with lock:
    for number in range(1, 101):
        ok(cu.cuLaunchHostFunc(s, note, number))
    before = len(seen)
ok(cu.cuStreamSynchronize(s))
out(before, [number for number, _ in seen] == list(range(1, 101)), any(same for _, same in seen))
""",
        tmp_path,
    )
    assert done.printed == [[0, True, False]]


def test_later_work_waits_for_a_host_function(tmp_path):
    done = run(
        """
start()
s, e, other = stream(), event(), stream()
a, pinned = alloc(8), c_void_p()
ok(cu.cuMemHostAlloc(byref(pinned), 8, 0))
ctypes.memmove(pinned, b"earlier!", 8)
ok(cu.cuMemcpyHtoD_v2(a, b"nothing.", 8))
go = threading.Event()
wait = HOST_FUNCTION(lambda _: go.wait())
ok(cu.cuLaunchHostFunc(s, wait, None))
ok(cu.cuMemcpyHtoDAsync_v2(a, pinned, 8, s))
pageable = ctypes.create_string_buffer(b"pageable", 8)
ok(cu.cuMemsetD8Async(a, 33, 1, s))
ok(cu.cuEventRecord(e, s))
out(cu.cuStreamQuery(s), cu.cuEventQuery(e), cu.cuStreamQuery(other))
b = alloc(8)
ok(cu.cuMemcpyHtoDAsync_v2(b, pageable, 8, s))
pageable.raw = b"too late"  # the bytes were taken when the copy was enqueued
ok(cu.cuStreamWaitEvent(other, e, 0))
back = c_void_p()
ok(cu.cuMemHostAlloc(byref(back), 8, 0))
ok(cu.cuMemcpyDtoHAsync_v2(back, a, 8, other))
out(cu.cuStreamQuery(other), ctypes.string_at(back, 8) == bytes(8), ctypes.string_at(a, 8).decode())
go.set()
ok(cu.cuStreamSynchronize(other))
out(ctypes.string_at(back, 8).decode(), cu.cuEventQuery(e))
ok(cu.cuStreamSynchronize(s))
out(read(b, 8).decode(), cu.cuStreamQuery(s))
""",
        tmp_path,
    )
    assert done.printed == [
        ["NOT_READY", "NOT_READY", "SUCCESS"],
        ["NOT_READY", True, "nothing."],
        ["!arlier!", "SUCCESS"],
        ["pageable", "SUCCESS"],
    ]


def test_the_default_stream_and_blocking_streams_wait_for_each_other(tmp_path):
    done = run(
        """
start()
blocking, free, seen = stream(0), stream(1), []
gates = [threading.Event() for _ in range(2)]
notes = [HOST_FUNCTION(lambda _, gate=gate: gate.wait()) for gate in gates]
mark = HOST_FUNCTION(lambda number: seen.append(number))
ok(cu.cuLaunchHostFunc(blocking, notes[0], None))
ok(cu.cuLaunchHostFunc(None, mark, 1))
ok(cu.cuLaunchHostFunc(blocking, mark, 2))
ok(cu.cuLaunchHostFunc(free, mark, 3))
ok(cu.cuStreamSynchronize(free))
out(seen, cu.cuStreamQuery(None), cu.cuStreamQuery(c_void_p(1)), cu.cuStreamQuery(blocking), cu.cuStreamQuery(free))
gates[0].set()
ok(cu.cuCtxSynchronize())
out(seen, cu.cuStreamQuery(None))
# Synchronous copies are of the default stream.
a = alloc(1)
ok(cu.cuLaunchHostFunc(blocking, notes[1], None))
ok(cu.cuMemsetD8Async(a, 65, 1, blocking))
threading.Timer(0.05, gates[1].set).start()
out(read(a, 1).decode())
""",
        tmp_path,
    )
    assert done.printed == [
        [[3], "NOT_READY", "NOT_READY", "NOT_READY", "SUCCESS"],
        [[3, 1, 2], "SUCCESS"],
        "A",
    ]


def test_streams_that_wait_for_each_other_take_turns(tmp_path):
    done = run(
        """
start()
pair, e, seen = [stream(), stream()], event(2), []
mark = HOST_FUNCTION(lambda number: seen.append(number))
for number in range(1, 201):
    ok(cu.cuLaunchHostFunc(pair[number % 2], mark, number))
    ok(cu.cuEventRecord(e, pair[number % 2]))  # recorded again: earlier waits are for the earlier record
    ok(cu.cuStreamWaitEvent(pair[(number + 1) % 2], e, 0))
ok(cu.cuEventDestroy_v2(e))
[ok(cu.cuStreamDestroy_v2(s)) for s in pair]  # enqueued work is done nevertheless
ok(cu.cuCtxSynchronize())
out(seen == list(range(1, 201)))
""",
        tmp_path,
    )
    assert done.printed == [True]


def test_a_host_function_must_not_call_the_driver(tmp_path):
    done = run(
        """
context = start()
s, results = stream(), []
@HOST_FUNCTION
def call(_):
    current = c_void_p()
    results.append(cu.cuCtxGetCurrent(byref(current)))
    results.append(cu.cuCtxSetCurrent(context))
    results.extend([alloc(1), cu.cuStreamSynchronize(s), cu.cuCtxSynchronize()])
CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)
called = []
callback = CALLBACK(lambda of, result, data: called.append([of == s.value, result, data]))
ok(cu.cuLaunchHostFunc(s, call, None))
ok(cu.cuStreamAddCallback(s, callback, 5, 0))
ok(cu.cuStreamSynchronize(s))
out(results, called)
out(cu.cuLaunchHostFunc(s, None, None), cu.cuStreamAddCallback(s, None, None, 0), cu.cuStreamAddCallback(s, callback,
    None, 1),
    cu.cuLaunchHostFunc(c_void_p(777), call, None))
""",
        tmp_path,
    )
    assert done.printed == [
        [["SUCCESS", "SUCCESS", "NOT_PERMITTED", "NOT_PERMITTED", "NOT_PERMITTED"], [[True, 0, 5]]],
        ["INVALID_VALUE", "INVALID_VALUE", "INVALID_VALUE", "INVALID_HANDLE"],
    ]


def test_an_event_is_done_when_the_work_before_it_is(tmp_path):
    done = run(
        """
start()
s, first, last, untimed, milliseconds = stream(), event(), event(), event(2), c_float()
out(cu.cuEventQuery(first), cu.cuEventSynchronize(first), cu.cuEventElapsedTime(byref(milliseconds), first, last))
ok(cu.cuEventRecord(first, s))
gate = threading.Event()
wait = HOST_FUNCTION(lambda _: gate.wait())
ok(cu.cuLaunchHostFunc(s, wait, None))
ok(cu.cuEventRecord(last, s))
out(cu.cuEventElapsedTime(byref(milliseconds), first, last))
ok(cu.cuEventSynchronize(first))
time.sleep(0.05)
gate.set()
ok(cu.cuEventSynchronize(last))
out(cu.cuEventElapsedTime(byref(milliseconds), first, last), 50 <= milliseconds.value < 300_000)
ok(cu.cuEventRecord(untimed, s))
out(cu.cuEventElapsedTime(byref(milliseconds), first, untimed), cu.cuEventElapsedTime(None, first, last))
unused = c_void_p()
out(cu.cuEventCreate(byref(unused), 4), cu.cuEventCreate(byref(unused), 8), cu.cuEventCreate(None, 0),
    cu.cuEventRecordWithFlags(first, s, 2), cu.cuStreamWaitEvent(s, first, 2))
out(cu.cuEventDestroy_v2(first), cu.cuEventDestroy_v2(first), cu.cuEventRecord(first, s), cu.cuEventQuery(first),
    cu.cuEventSynchronize(None), cu.cuStreamWaitEvent(s, first, 0), cu.cuEventRecord(last, c_void_p(777)))
other = start(1)
out(cu.cuEventRecord(last, None), cu.cuEventRecord(last, s))
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed == [
        ["SUCCESS", "SUCCESS", "INVALID_HANDLE"],
        "NOT_READY",
        ["SUCCESS", True],
        ["INVALID_HANDLE", "INVALID_VALUE"],
        ["INVALID_VALUE"] * 5,
        ["SUCCESS"] + ["INVALID_HANDLE"] * 6,
        ["INVALID_HANDLE", "SUCCESS"],
    ]


def test_a_stream_keeps_its_flags_and_priority(tmp_path):
    done = run(
        """
context = start()
stream, flags, priority, of, number = c_void_p(), c_uint(), c_int(), c_void_p(), c_uint64()
ok(cu.cuStreamCreateWithPriority(byref(stream), 1, -99))
out(cu.cuStreamGetFlags(stream, byref(flags)), flags.value, cu.cuStreamGetPriority(stream, byref(priority)),
    priority.value)
out(cu.cuStreamGetCtx(stream, byref(of)), of.value == context.value, cu.cuStreamGetId(stream, byref(number)),
    number.value > 1)
out(cu.cuStreamIsCapturing(stream, byref(priority)), priority.value)
mode = c_int(2)
out(cu.cuThreadExchangeStreamCaptureMode(byref(mode)), mode.value, cu.cuThreadExchangeStreamCaptureMode(byref(mode)),
    mode.value)
out(cu.cuStreamCreate(None, 0), cu.cuStreamCreate(byref(stream), 2), cu.cuStreamGetFlags(stream, None))
out([cu.cuStreamDestroy_v2(default) for default in (None, c_void_p(1), c_void_p(2))], cu.cuStreamDestroy_v2(stream),
    cu.cuStreamDestroy_v2(stream), cu.cuStreamSynchronize(stream), cu.cuStreamQuery(c_void_p(777)))
""",
        tmp_path,
    )
    assert done.printed == [
        ["SUCCESS", 1, "SUCCESS", -5],
        ["SUCCESS", True, "SUCCESS", True],
        ["SUCCESS", 0],
        ["SUCCESS", 0, "SUCCESS", 2],
        ["INVALID_VALUE"] * 3,
        [["INVALID_HANDLE"] * 3, "SUCCESS", "INVALID_HANDLE", "INVALID_HANDLE", "INVALID_HANDLE"],
    ]


def test_memory_is_freed_after_the_work_on_it(tmp_path):
    done = run(
        """
start()
s, a, gate = stream(), alloc(1000), threading.Event()
wait = HOST_FUNCTION(lambda _: gate.wait())
ok(cu.cuLaunchHostFunc(s, wait, None))
ok(cu.cuMemsetD8Async(a, 1, 1000, s))
threading.Timer(0.05, gate.set).start()
ok(cu.cuMemFree_v2(a))
out(gate.is_set(), cu.cuStreamQuery(s))
""",
        tmp_path,
    )
    assert done.printed == [[True, "SUCCESS"]]
