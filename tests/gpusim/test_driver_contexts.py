"""Contexts: each thread's stack of contexts, and each device's primary context."""

from __future__ import annotations

from driver_programs import run

STATE = """
def state(device=0):
    flags, active = c_uint(9), c_int(9)
    ok(cu.cuDevicePrimaryCtxGetState(device, byref(flags), byref(active)))
    return flags.value, active.value
def retain(device=0):
    context = c_void_p()
    ok(cu.cuDevicePrimaryCtxRetain(byref(context), device))
    return context
def current():
    context = c_void_p(1)
    ok(cu.cuCtxGetCurrent(byref(context)))
    return context.value
def create(device=0, flags=0):
    context = c_void_p()
    result = cu.cuCtxCreate_v2(byref(context), flags, device)
    return context if result == "SUCCESS" else result
"""


def test_the_primary_context_lives_while_it_is_retained(tmp_path):
    done = run(
        STATE
        + """
ok(cu.cuInit(0))
out(state(), cu.cuDevicePrimaryCtxRelease_v2(0))
first, second = retain(), retain()
out(first.value == second.value, retain(1).value != first.value, state())
ok(cu.cuCtxSetCurrent(first))
address = alloc(1000)
ok(cu.cuDevicePrimaryCtxRelease_v2(0))
out(state(), info()[0])
ok(cu.cuDevicePrimaryCtxRelease_v2(0))
out(state(), alloc(1), cu.cuMemGetInfo_v2(byref(c_size_t()), byref(c_size_t())), cu.cuCtxSetCurrent(first))
out(retain().value == first.value, info()[0], cu.cuMemFree_v2(address))
""",
        tmp_path,
        gpus=["1000000B"] * 2,
    )
    assert done.printed[0] == [[0, 0], "INVALID_CONTEXT"]
    assert done.printed[1] == [True, True, [0, 1]]
    assert done.printed[2] == [[0, 1], 999000]
    assert done.printed[3] == [[0, 0], "CONTEXT_IS_DESTROYED", "CONTEXT_IS_DESTROYED", "CONTEXT_IS_DESTROYED"]
    assert done.printed[4] == [True, 1000000, "INVALID_VALUE"]
    assert [line["gpu"] for line in done.events("context")] == [0, 1]
    assert [line["api"] for line in done.events("free")] == ["cuDevicePrimaryCtxRelease"]


def test_reset_ends_the_primary_context_however_often_it_was_retained(tmp_path):
    done = run(
        STATE
        + """
start()
retain(), retain()
a_stream, an_event = stream(), event()
alloc(1000)
out(cu.cuDevicePrimaryCtxReset_v2(0), state(), cu.cuDevicePrimaryCtxReset_v2(0))
ok(cu.cuCtxSetCurrent(retain()))
left, total = info()
out(left == total, cu.cuStreamSynchronize(a_stream), cu.cuEventQuery(an_event), cu.cuStreamDestroy_v2(a_stream),
    cu.cuEventDestroy_v2(an_event))
""",
        tmp_path,
    )
    assert done.printed[0] == ["SUCCESS", [0, 0], "SUCCESS"]
    assert done.printed[1] == [True, "CONTEXT_IS_DESTROYED", "CONTEXT_IS_DESTROYED", "SUCCESS", "SUCCESS"]


def test_flags_are_stored_and_bad_ones_refused(tmp_path):
    done = run(
        STATE
        + """
ok(cu.cuInit(0))
out([cu.cuDevicePrimaryCtxSetFlags_v2(0, flags) for flags in (4, 3, 0x100, 8 | 1)], state())
ok(cu.cuCtxSetCurrent(retain()))
flags = c_uint()
out(cu.cuCtxGetFlags(byref(flags)), flags.value, create(0, 7))
""",
        tmp_path,
    )
    assert done.printed == [
        [["SUCCESS", "INVALID_VALUE", "INVALID_VALUE", "SUCCESS"], [9, 0]],
        ["SUCCESS", 9, "INVALID_VALUE"],
    ]


def test_each_thread_has_its_own_stack(tmp_path):
    done = run(
        STATE
        + """
primary = start()
one, two = create(0), create(1)
def other():
    seen.append(current())
    seen.append(cu.cuCtxGetDevice(byref(c_int())))
    ok(cu.cuCtxPushCurrent_v2(one))
    seen.append(current() == one.value)
seen = []
thread = threading.Thread(target=other)
thread.start(); thread.join()
out(seen)
popped, device = c_void_p(), c_int()
ok(cu.cuCtxGetDevice(byref(device)))
out(current() == two.value, device.value)
out([cu.cuCtxPopCurrent_v2(byref(popped)), popped.value == two.value, current() == one.value])
out([cu.cuCtxPopCurrent_v2(None), current() == primary.value, cu.cuCtxPopCurrent_v2(None), current()])
out(cu.cuCtxPopCurrent_v2(byref(popped)), cu.cuCtxPushCurrent_v2(c_void_p(12345)), cu.cuCtxSetCurrent(c_void_p(12345)),
    cu.cuCtxPushCurrent_v2(None), cu.cuCtxDestroy_v2(None), cu.cuCtxDestroy_v2(primary))
ok(cu.cuCtxSetCurrent(one)); ok(cu.cuCtxSetCurrent(None))
out(current())
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed == [
        [None, "INVALID_CONTEXT", True],
        [True, 1],
        ["SUCCESS", True, True],
        ["SUCCESS", True, "SUCCESS", None],
        ["INVALID_CONTEXT"] * 6,
        None,
    ]


def test_destroying_a_context_frees_only_its_memory(tmp_path):
    done = run(
        STATE
        + """
start()
kept = alloc(100)
own = create(0)
address = alloc(1000); pinned = c_void_p()
ok(cu.cuMemHostAlloc(byref(pinned), 100, 0))
ok(cu.cuCtxPushCurrent_v2(own))
out(info()[0], cu.cuCtxDestroy_v2(own), cu.cuCtxDestroy_v2(own))
out(alloc(1))
ok(cu.cuCtxPopCurrent_v2(None))
out(info()[0], cu.cuMemFree_v2(address), cu.cuMemFreeHost(pinned), cu.cuMemFree_v2(kept))
""",
        tmp_path,
        gpus=("1000000B",),
    )
    assert done.printed == [
        [998900, "SUCCESS", "CONTEXT_IS_DESTROYED"],
        "CONTEXT_IS_DESTROYED",
        [999900, "INVALID_VALUE", "INVALID_VALUE", "SUCCESS"],
    ]


def test_limits_and_cache_settings_of_a_context_are_stored(tmp_path):
    done = run(
        STATE
        + """
context = start()
value, number, version, identity = c_size_t(), c_int(), c_uint(), c_uint64()
out([cu.cuCtxGetLimit(byref(value), 0), value.value, cu.cuCtxSetLimit(0, 4096), cu.cuCtxGetLimit(byref(value), 0),
    value.value])
out(cu.cuCtxGetLimit(byref(value), 77), cu.cuCtxSetLimit(-1, 1), cu.cuCtxSetLimit(5, 1000), cu.cuCtxGetLimit(None, 0))
out(cu.cuCtxSetCacheConfig(2), cu.cuCtxGetCacheConfig(byref(number)), number.value, cu.cuCtxSetCacheConfig(9))
out(cu.cuCtxSetSharedMemConfig(2), cu.cuCtxGetSharedMemConfig(byref(number)), number.value,
    cu.cuCtxSetSharedMemConfig(9))
out(cu.cuCtxGetApiVersion(context, byref(version)), version.value, cu.cuCtxGetId(None, byref(identity)),
    identity.value > 0)
least, greatest = c_int(), c_int()
out(cu.cuCtxGetStreamPriorityRange(byref(least), byref(greatest)), least.value, greatest.value)
other = c_void_p()
ok(cu.cuDevicePrimaryCtxRetain(byref(other), 1))
out(cu.cuCtxEnablePeerAccess(other, 0), cu.cuCtxEnablePeerAccess(other, 1), cu.cuCtxEnablePeerAccess(context, 0),
    cu.cuCtxEnablePeerAccess(None, 0), cu.cuCtxDisablePeerAccess(other))
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed == [
        ["SUCCESS", 1024, "SUCCESS", "SUCCESS", 4096],
        ["UNSUPPORTED_LIMIT", "UNSUPPORTED_LIMIT", "INVALID_VALUE", "INVALID_VALUE"],
        ["SUCCESS", "SUCCESS", 2, "INVALID_VALUE"],
        ["SUCCESS", "SUCCESS", 2, "INVALID_VALUE"],
        ["SUCCESS", 3020, "SUCCESS", True],
        ["SUCCESS", 0, -5],
        ["PEER_ACCESS_UNSUPPORTED", "INVALID_VALUE", "INVALID_DEVICE", "INVALID_CONTEXT", "PEER_ACCESS_NOT_ENABLED"],
    ]
