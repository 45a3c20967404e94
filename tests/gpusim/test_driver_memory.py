"""Memory is counted to the byte, mapped lazily, and freed only by the process that holds it."""

from __future__ import annotations

from driver_programs import GIB, run

MANAGED = """
def managed(size, flags=1):
    address = c_uint64()
    result = cu.cuMemAllocManaged(byref(address), size, flags)
    return address.value if result == "SUCCESS" else result
"""


def test_out_of_memory_at_the_right_byte(tmp_path):
    done = run(
        """
start()
out(info())
first = alloc(600000)
out(info(), alloc(400002), type(alloc(400001)).__name__, info()[0], alloc(1))
ok(cu.cuMemFree_v2(first))
out(info()[0], alloc(600001), type(alloc(600000)).__name__)
""",
        tmp_path,
        gpus=("1000001B",),
    )
    assert done.printed == [
        [1000001, 1000001],
        [[400001, 1000001], "OUT_OF_MEMORY", "int", 0, "OUT_OF_MEMORY"],
        [600000, "OUT_OF_MEMORY", "int"],
    ]
    assert [(line["bytes"], line["free"], line["total"]) for line in done.events("refuse")] == [
        (400002, 400001, 600000), (1, 0, 1000001), (600001, 600000, 400001),
    ]  # fmt: skip
    (end,) = done.events("exit")
    assert (end["reserved"], end["peak"], end["regions"], end["refused"]) == (1000001, 1000001, 3, 3)


def test_memory_used_by_others_is_not_available(tmp_path):
    done = run(
        "start(); out(info(), alloc(2 * 2**30 + 1), type(alloc(2 * 2**30)).__name__)",
        tmp_path,
        gpus=("8GiB",),
        used="6GiB",
    )
    assert done.printed == [[[2 * GIB, 8 * GIB], "OUT_OF_MEMORY", "int"]]
    assert done.events("refuse")[0]["in_use"] == 6 * GIB


def test_each_context_takes_its_memory_of_the_gpu(tmp_path):
    done = run(
        """
start(); out(info(), alloc(701), type(alloc(100)).__name__)
second = ctypes.c_void_p()
out(cu.cuCtxCreate_v2(ctypes.byref(second), 0, 0), info()[0])
ok(cu.cuCtxDestroy_v2(second)); out(info()[0], cu.cuCtxCreate_v2(ctypes.byref(second), 0, 0))
alloc(1); out(cu.cuCtxCreate_v2(ctypes.byref(second), 0, 0))
ok(cu.cuDevicePrimaryCtxReset_v2(0))
""",
        tmp_path,
        gpus=("1000B,context=300B",),
    )
    assert done.printed == [
        [[700, 1000], "OUT_OF_MEMORY", "int"], ["SUCCESS", 300], [600, "SUCCESS"], "OUT_OF_MEMORY",
    ]  # fmt: skip
    contexts = [line for line in done.trace if line.get("kind") == "context"]
    assert [(line["event"], line["bytes"], line["total"], line["api"]) for line in contexts] == [
        ("reserve", 300, 300, "cuDevicePrimaryCtxRetain"),
        ("reserve", 300, 700, "cuCtxCreate"),
        ("free", 300, 400, "cuCtxDestroy"),
        ("reserve", 300, 700, "cuCtxCreate"),
        ("refuse", 300, 701, "cuCtxCreate"),
        ("free", 300, 301, "cuDevicePrimaryCtxReset"),
    ]
    (end,) = done.events("exit")
    assert (end["reserved"], end["peak"], end["regions"], end["refused"]) == (301, 701, 2, 2)


def test_each_gpu_has_its_own_memory(tmp_path):
    done = run(
        """
contexts = [start(device) for device in range(2)]
for context in contexts:
    ok(cu.cuCtxSetCurrent(context))
    out(type(alloc(1000)).__name__, alloc(1001))
""",
        tmp_path,
        gpus=("1000B", "2000B"),
        CUDA_VISIBLE_DEVICES="1,0",
    )
    assert done.printed == [["int", "OUT_OF_MEMORY"], ["int", "OUT_OF_MEMORY"]]
    assert [(line["gpu"], line["bytes"]) for line in done.events("reserve")] == [(1, 1000), (0, 1000)]


def test_eight_gpus_of_80_gib_take_no_memory_of_this_machine(tmp_path):
    done = run(
        """
for device in range(8):
    start(device)
    address = alloc(80 * 2**30)
    ok(cu.cuMemcpyHtoD_v2(address + 79 * 2**30, b"the end", 7))
    assert read(address + 79 * 2**30, 7) == b"the end"
    assert read(address, 7) == bytes(7)
    ok(cu.cuMemsetD8_v2(address, 0, 80 * 2**30))  # zeroes take none either
    assert info() == (0, 80 * 2**30) and alloc(1) == "OUT_OF_MEMORY"
# The most of this program itself, in KiB: ru_maxrss would begin with what its parent had at the fork.
out(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")))
""",
        tmp_path,
        gpus=["80GiB"] * 8,
    )
    assert done.printed[0] < 200 * 1024


def test_only_what_was_allocated_can_be_freed_and_only_once(tmp_path):
    done = run(
        """
start()
address = alloc(4096)
own = ctypes.create_string_buffer(4096)
out(cu.cuMemFree_v2(address + 1), cu.cuMemFree_v2(address + 4096), cu.cuMemFree_v2(ctypes.addressof(own)),
    cu.cuMemFree_v2(12345), cu.cuMemFreeHost(address), cu.cuMemFreeAsync(address, None),
    cu.cuMemHostUnregister(address))
out(cu.cuMemFree_v2(address), cu.cuMemFree_v2(address), cu.cuMemFree_v2(0), info())
""",
        tmp_path,
        gpus=("5000B",),
    )
    assert done.printed == [
        ["INVALID_VALUE"] * 6 + ["HOST_MEMORY_NOT_REGISTERED"],
        ["SUCCESS", "INVALID_VALUE", "SUCCESS", [5000, 5000]],
    ]


def test_only_one_of_several_threads_can_free_the_same_memory(tmp_path):
    done = run(
        """
context = start()
addresses = [alloc(100) for _ in range(50)]
barrier, results = threading.Barrier(4), []
def work():
    ok(cu.cuCtxSetCurrent(context))
    barrier.wait()
    results.extend(cu.cuMemFree_v2(address) for address in addresses)
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
out(results.count("SUCCESS"), results.count("INVALID_VALUE"), info()[0])
""",
        tmp_path,
        gpus=("5000B",),
    )
    assert done.printed == [[50, 150, 5000]]


def test_bad_arguments(tmp_path):
    done = run(
        MANAGED
        + """
start()
pitch, address = c_size_t(), c_uint64()
out(alloc(0), cu.cuMemAlloc_v2(None, 1), managed(0), managed(1, 0), managed(1, 3), cu.cuMemAllocManaged(None, 1, 1),
    cu.cuMemGetInfo_v2(None, None), cu.cuMemHostAlloc(None, 1, 0), cu.cuMemHostAlloc(byref(c_void_p()), 0, 0),
    cu.cuMemAllocPitch_v2(byref(address), byref(pitch), 100, 10, 3), cu.cuMemAllocPitch_v2(byref(address), None, 100,
    10, 4),
    cu.cuMemAllocPitch_v2(byref(address), byref(pitch), 2**63, 2**63, 4))
out(alloc(2**64 - 1), alloc(2**63))
ok(cu.cuMemAllocPitch_v2(byref(address), byref(pitch), 600, 10, 4))
out(pitch.value, info()[0])
""",
        tmp_path,
        gpus=("1000000B",),
    )
    assert done.printed == [["INVALID_VALUE"] * 12, ["OUT_OF_MEMORY"] * 2, [1024, 1000000 - 10240]]


def test_managed_memory_may_exceed_the_gpu_and_takes_none_of_its_memory(tmp_path):
    done = run(
        MANAGED
        + """
start()
address = managed(10 * 2**30)
out(info(), managed(5) > 0)
ok(cu.cuMemcpyHtoD_v2(address + 2**33, b"here", 4))
value = c_int()
ok(cu.cuPointerGetAttribute(byref(value), 8, address))
out(value.value, read(address + 2**33, 4).decode(), ctypes.string_at(address + 2**33, 4).decode())
out(cu.cuMemAdvise(address, 4096, 1, 0), cu.cuMemAdvise(address, 4096, 9, 0), cu.cuMemPrefetchAsync(address, 4096, 0,
    None),
    cu.cuMemPrefetchAsync(address, 2**40, 0, None), cu.cuMemPrefetchAsync(alloc(100), 100, 0, None))
out(cu.cuMemFree_v2(address), cu.cuMemFree_v2(address))
""",
        tmp_path,
        gpus=("1GiB",),
    )
    assert done.printed == [
        [[GIB, GIB], True],
        [1, "here", "here"],
        ["SUCCESS", "INVALID_VALUE", "SUCCESS", "INVALID_VALUE", "INVALID_VALUE"],
        ["SUCCESS", "INVALID_VALUE"],
    ]
    lines = [line for line in done.trace if line.get("kind") == "managed"]
    assert [(line["event"], line["bytes"], line["managed"], line["total"]) for line in lines] == [
        ("reserve", 10 * GIB, 10 * GIB, 0), ("reserve", 5, 10 * GIB + 5, 0), ("free", 10 * GIB, 5, 100),
    ]  # fmt: skip
    assert done.events("exit")[0]["managed"] == 5


def test_attributes_of_an_address(tmp_path):
    done = run(
        """
context = start(1)
address, pinned = alloc(1000), c_void_p()
ok(cu.cuMemHostAlloc(byref(pinned), 500, 2))
def ask(attribute, where, kind=c_uint64):
    value = kind(77)
    result = cu.cuPointerGetAttribute(byref(value), attribute, where)
    return value.value if result == "SUCCESS" else result
out(ask(1, address) == context.value, ask(2, address, c_int), ask(3, address + 5) == address + 5, ask(4, address),
    ask(8, address, c_int), ask(9, address, c_int), ask(11, address + 999) == address, ask(12, address), ask(13,
    address, c_int))
out(ask(2, pinned.value, c_int), ask(4, pinned.value + 1) == pinned.value + 1, ask(9, pinned.value, c_int), ask(12,
    pinned.value))
out(ask(7, address) != ask(7, pinned.value), ask(6, address, c_int))
on = c_int(1)
out(cu.cuPointerSetAttribute(byref(on), 6, address), ask(6, address, c_int), cu.cuPointerSetAttribute(byref(on), 2,
    address))
out(ask(2, address + 1000), ask(2, 12345), ask(999, address))
base, size = c_uint64(), c_size_t()
out(cu.cuMemGetAddressRange_v2(byref(base), byref(size), address + 999), base.value == address, size.value,
    cu.cuMemGetAddressRange_v2(byref(base), byref(size), address + 1000))
attributes, kinds = (c_int * 3)(2, 9, 4), [c_int(5), c_int(5), c_uint64(5)]
values = (c_void_p * 3)(*[ctypes.addressof(kind) for kind in kinds])
out(cu.cuPointerGetAttributes(3, attributes, values, 12345), [kind.value for kind in kinds])
out(cu.cuPointerGetAttributes(3, attributes, values, address), [kind.value for kind in kinds])
out(cu.cuPointerGetAttributes(0, attributes, values, address), cu.cuPointerGetAttributes(1, None, values, address))
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed == [
        [True, 2, True, "INVALID_VALUE", 0, 1, True, 1000, 1],
        [1, True, 1, 500],
        [True, 0],
        ["SUCCESS", 1, "INVALID_VALUE"],
        ["INVALID_VALUE"] * 3,
        ["SUCCESS", True, 1000, "NOT_FOUND"],
        ["SUCCESS", [0, -2, 0]],
        ["SUCCESS", [2, 1, 0]],
        ["INVALID_VALUE", "INVALID_VALUE"],
    ]
    assert done.unsupported == [("driver", "cuPointerGetAttribute (attribute 999)")]


def test_host_memory_takes_no_gpu_memory(tmp_path):
    done = run(
        """
start()
pinned, device, flags = c_void_p(), c_uint64(), c_uint()
ok(cu.cuMemHostAlloc(byref(pinned), 2**30, 3))
ok(cu.cuMemHostGetDevicePointer_v2(byref(device), pinned.value + 8, 0))
ok(cu.cuMemHostGetFlags(byref(flags), pinned))
out(device.value == pinned.value + 8, flags.value, info()[0])
ok(cu.cuMemsetD8_v2(device.value, 65, 4))
out(ctypes.string_at(pinned.value + 8, 5).decode())
own = ctypes.create_string_buffer(5000)
out(cu.cuMemHostRegister_v2(own, 5000, 0), cu.cuMemHostRegister_v2(ctypes.addressof(own) + 100, 10, 0),
    cu.cuMemHostRegister_v2(None, 5, 0), cu.cuMemHostRegister_v2(own, 0, 0), cu.cuMemHostRegister_v2(pinned, 5, 0))
out(cu.cuMemFreeHost(own), cu.cuMemHostUnregister(ctypes.addressof(own) + 1), cu.cuMemHostUnregister(own),
    cu.cuMemHostUnregister(own), cu.cuMemHostUnregister(pinned))
out(cu.cuMemFree_v2(pinned.value), cu.cuMemFreeHost(pinned), cu.cuMemFreeHost(pinned), cu.cuMemFreeHost(None),
    cu.cuMemHostGetDevicePointer_v2(byref(device), own, 0))
""",
        tmp_path,
        gpus=("1000B",),
    )
    assert done.printed == [
        [True, 3, 1000],
        "AAAA\0",
        [
            "SUCCESS",
            "HOST_MEMORY_ALREADY_REGISTERED",
            "INVALID_VALUE",
            "INVALID_VALUE",
            "HOST_MEMORY_ALREADY_REGISTERED",
        ],
        [
            "INVALID_VALUE",
            "HOST_MEMORY_NOT_REGISTERED",
            "SUCCESS",
            "HOST_MEMORY_NOT_REGISTERED",
            "HOST_MEMORY_NOT_REGISTERED",
        ],
        ["INVALID_VALUE", "SUCCESS", "INVALID_VALUE", "INVALID_VALUE", "INVALID_VALUE"],
    ]
    assert done.events("reserve") == []


def test_the_time_of_many_allocations_grows_with_their_number(tmp_path):
    done = run(
        """
start()
value = c_int()
def seconds(number):
    began = time.process_time()
    addresses = [alloc(64) for _ in range(number)]
    for address in addresses[::7]:
        ok(cu.cuPointerGetAttribute(byref(value), 2, address + 63))
    for address in addresses:
        ok(cu.cuMemFree_v2(address))
    return time.process_time() - began
out(min(seconds(5000) for _ in range(3)), seconds(100000), info()[0])
""",
        tmp_path,
        gpus=("8GiB",),
        TF1MEM_SIM_TRACE="",
    )
    few, many, left = done.printed[0]
    assert left == 8 * GIB
    assert many < 100 * few  # for 20 times as many; a search through all would take 400 times as long
