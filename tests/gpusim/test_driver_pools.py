"""Memory pools: memory that is allocated and freed in the order of a stream, and that pools keep for later."""

from __future__ import annotations

from driver_programs import run

POOLS = """
class Properties(ctypes.Structure):
    _fields_ = [("allocType", c_int), ("handleTypes", c_int), ("locationType", c_int), ("locationId", c_int),
                ("security", c_void_p), ("maxSize", c_size_t), ("reserved", c_char * 56)]
class Access(ctypes.Structure):
    _fields_ = [("type", c_int), ("id", c_int), ("flags", c_int)]
THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH = 4, 5, 6, 7, 8
def pool(**changed):
    handle = c_void_p()
    fields = dict(dict(allocType=1, locationType=1, locationId=0), **changed)
    result = cu.cuMemPoolCreate(byref(handle), byref(Properties(**fields)))
    return handle if result == "SUCCESS" else result
def default(device=0):
    handle = c_void_p()
    ok(cu.cuDeviceGetDefaultMemPool(byref(handle), device))
    return handle
def get(of, *attributes):
    values = []
    for attribute in attributes:
        value = c_uint64()
        ok(cu.cuMemPoolGetAttribute(of, attribute, byref(value)))
        values.append(value.value)
    return values
def set(of, attribute, value):
    return cu.cuMemPoolSetAttribute(of, attribute, byref(c_uint64(value)))
def alloc_async(size, of=None, stream=None):
    address = c_uint64()
    result = cu.cuMemAllocFromPoolAsync(byref(address), size, of,
    stream) if of else cu.cuMemAllocAsync(byref(address), size, stream)
    return address.value if result == "SUCCESS" else result
"""


def test_a_pool_keeps_freed_memory_until_the_program_waits(tmp_path):
    done = run(
        POOLS
        + """
start()
s, p = stream(), default()
a, b = alloc_async(1000, stream=s), alloc_async(500, stream=s)
ok(cu.cuMemcpyHtoDAsync_v2(a, b"bytes", 5, s))
out(read(a, 5).decode(), get(p, RESERVED, USED), info()[0])
ok(cu.cuMemFreeAsync(a, s))
out(get(p, RESERVED, USED), info()[0])
c = alloc_async(700, stream=s)
out(get(p, RESERVED, USED))
d = alloc_async(400, stream=s)
out(get(p, RESERVED, USED), info()[0])
ok(cu.cuMemFreeAsync(c, s))
ok(cu.cuStreamSynchronize(s))
out(get(p, RESERVED, RESERVED_HIGH, USED, USED_HIGH), info()[0])
""",
        tmp_path,
        gpus=("10000B",),
    )
    assert done.printed == [
        ["bytes", [1500, 1500], 8500],
        [[1500, 500], 8500],
        [1500, 1200],
        [[1600, 1600], 8400],
        [[900, 1600, 900, 1600], 9100],
    ]
    assert [(line["event"], line["bytes"], line["total"],
        line["api"]) for line in done.trace if line.get("kind") == "pool"] == [
        ("reserve", 1000, 1000, "cuMemAllocAsync"), ("reserve", 500, 1500, "cuMemAllocAsync"),
        ("reserve", 100, 1600, "cuMemAllocAsync"), ("free", 700, 900, "cuStreamSynchronize"),
    ]  # fmt: skip


def test_trimming_ignores_the_release_threshold(tmp_path):
    done = run(
        POOLS
        + """
start()
p = default()
out(get(p, THRESHOLD), set(p, THRESHOLD, 800), get(p, THRESHOLD))
a, b = alloc_async(600), alloc_async(600)
ok(cu.cuMemFreeAsync(a, None)); ok(cu.cuMemFreeAsync(b, None))
for wait in (cu.cuCtxSynchronize, lambda: cu.cuStreamSynchronize(None)):
    ok(wait())
    out(get(p, RESERVED, USED))
out(cu.cuMemPoolTrimTo(p, 300), get(p, RESERVED), cu.cuMemPoolTrimTo(p, 5000), get(p, RESERVED),
    cu.cuMemPoolTrimTo(p, 0), get(p, RESERVED))
""",
        tmp_path,
        gpus=("10000B",),
    )
    assert done.printed == [
        [[0], "SUCCESS", [800]],
        [800, 0],
        [800, 0],
        ["SUCCESS", [300], "SUCCESS", [300], "SUCCESS", [0]],
    ]


def test_pools_release_unused_memory_before_a_refusal(tmp_path):
    done = run(
        POOLS
        + """
start()
p, q = default(), pool()
for each in (p, q):
    ok(set(each, THRESHOLD, 2**40))
    a = alloc_async(400, each)
    ok(cu.cuMemFreeAsync(a, None))
    ok(cu.cuCtxSynchronize())
out(get(p, RESERVED), get(q, RESERVED), info()[0])
b = alloc_async(500, q)
out(get(p, RESERVED), get(q, RESERVED), info()[0])
out(type(alloc(500)).__name__, info()[0], alloc(1), alloc_async(1, q), alloc_async(1))
""",
        tmp_path,
        gpus=("1000B",),
    )
    assert done.printed == [
        [[400], [400], 200],
        [[400], [500], 100],
        ["int", 0, "OUT_OF_MEMORY", "OUT_OF_MEMORY", "OUT_OF_MEMORY"],
    ]
    assert len(done.events("refuse")) == done.events("exit")[0]["refused"] == 3


def test_a_free_takes_effect_in_the_order_of_the_stream(tmp_path):
    done = run(
        POOLS
        + """
start()
s, p, gate = stream(), default(), threading.Event()
wait = HOST_FUNCTION(lambda _: gate.wait())
a = alloc_async(1000, stream=s)
ok(cu.cuLaunchHostFunc(s, wait, None))
ok(cu.cuMemsetD8Async(a, 1, 1000, s))
out(cu.cuMemFreeAsync(a, s), cu.cuMemFreeAsync(a, s), cu.cuMemFree_v2(a), get(p, USED))
gate.set()
ok(cu.cuStreamSynchronize(s))
out(get(p, RESERVED, USED))
""",
        tmp_path,
    )
    assert done.printed == [["SUCCESS", "INVALID_VALUE", "INVALID_VALUE", [1000]], [0, 0]]


def test_cumemfree_frees_memory_of_a_pool(tmp_path):
    done = run(
        POOLS
        + """
start()
a = alloc_async(1000)
out(cu.cuMemFree_v2(a), cu.cuMemFree_v2(a), get(default(), USED))
""",
        tmp_path,
    )
    assert done.printed == [["SUCCESS", "INVALID_VALUE", [0]]]


def test_pools_that_the_program_creates(tmp_path):
    done = run(
        POOLS
        + """
start()
p, q, current = default(), pool(), c_void_p()
ok(cu.cuDeviceGetMemPool(byref(current), 0))
out(current.value == p.value, cu.cuDeviceSetMemPool(0, q), cu.cuDeviceGetMemPool(byref(current), 0),
    current.value == q.value)
a = alloc_async(100)
out(get(q, USED), get(p, USED))
value = c_void_p()
ok(cu.cuPointerGetAttribute(byref(value), 17, a))
out(value.value == q.value, cu.cuMemPoolDestroy(q), cu.cuMemPoolDestroy(q), alloc_async(1, q), info()[0])
ok(cu.cuDeviceGetMemPool(byref(current), 0))
out(current.value == p.value, cu.cuMemFreeAsync(a, None), info()[0], cu.cuMemPoolDestroy(p))
small = pool(maxSize=1000)
out(type(alloc_async(900, small)).__name__, alloc_async(101, small), type(alloc_async(100, small)).__name__)
other = pool(locationId=1)
out(cu.cuDeviceSetMemPool(0, other), type(alloc_async(10, other)).__name__, info()[0])
""",
        tmp_path,
        gpus=["10000B"] * 2,
    )
    assert done.printed == [
        [True, "SUCCESS", "SUCCESS", True],
        [[100], [0]],
        [True, "SUCCESS", "INVALID_VALUE", "INVALID_VALUE", 9900],
        [True, "SUCCESS", 10000, "INVALID_VALUE"],
        ["int", "OUT_OF_MEMORY", "int"],
        ["INVALID_VALUE", "int", 9000],
    ]
    assert [(line["gpu"], line["bytes"]) for line in done.events("refuse")] == [(0, 101)]


def test_bad_arguments_of_pools_are_refused(tmp_path):
    done = run(
        POOLS
        + """
start()
p, value, access = default(), c_uint64(), Access
out(pool(allocType=0), pool(locationType=0), pool(locationId=7), cu.cuMemPoolCreate(None, byref(Properties())),
    cu.cuMemPoolCreate(byref(c_void_p()), None))
out(pool(handleTypes=1), pool(locationType=2))
out(alloc_async(0), alloc_async(0, p), alloc_async(1, c_void_p(777)), cu.cuMemAllocAsync(None, 1, None),
    cu.cuMemFreeAsync(777, None), cu.cuMemFreeAsync(alloc(10), None), cu.cuMemPoolDestroy(None))
out(alloc_async(1, p, c_void_p(777)), cu.cuMemFreeAsync(0, c_void_p(777)), cu.cuMemFreeAsync(0, None))
out([cu.cuMemPoolGetAttribute(p, attribute, byref(value)) for attribute in (0, 9, -1)], cu.cuMemPoolGetAttribute(p,
    4, None),
    cu.cuMemPoolGetAttribute(None, 4, byref(value)), [set(p, attribute, 5) for attribute in (5, 6, 7, 8, 9)], set(p,
    8, 0), set(p, 1, 0), get(p, 1))
def accesses(*several):
    return cu.cuMemPoolSetAccess(p, (Access * len(several))(*several), len(several))
out(accesses(Access(1, 0, 3)), accesses(Access(1, 1, 3)), accesses(Access(1, 0, 0)), accesses(Access(1, 1, 0)),
    accesses(Access(0, 0, 3)),
    accesses(Access(1, 9, 3)), cu.cuMemPoolSetAccess(p, None, 1))
flags = c_int(7)
out(cu.cuMemPoolGetAccess(byref(flags), p, byref(Access(1, 0))), flags.value, cu.cuMemPoolGetAccess(byref(flags), p,
    byref(Access(1, 1))),
    flags.value, cu.cuMemPoolGetAccess(byref(flags), p, byref(Access(1, 9))))
""",
        tmp_path,
        gpus=2,
    )
    bad = "INVALID_VALUE"
    assert done.printed == [
        [bad, bad, "INVALID_DEVICE", bad, bad],
        ["NOT_SUPPORTED", "NOT_SUPPORTED"],
        [bad] * 7,
        ["INVALID_HANDLE", "INVALID_HANDLE", "SUCCESS"],
        [[bad] * 3, bad, bad, [bad] * 5, "SUCCESS", "SUCCESS", [0]],
        ["SUCCESS", "INVALID_DEVICE", "INVALID_DEVICE", "SUCCESS", bad, "INVALID_DEVICE", bad],
        ["SUCCESS", 3, "SUCCESS", 0, bad],
    ]
    assert done.unsupported == [
        ("driver", "cuMemPoolCreate (shareable handles)"), ("driver", "cuMemPoolCreate (host memory)"),
    ]  # fmt: skip
