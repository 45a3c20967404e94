"""Virtual memory management: addresses, physical memory, and mappings."""

from __future__ import annotations

from driver_programs import MIB, run

VIRTUAL = """
M = 2**20
class Properties(ctypes.Structure):
    _fields_ = [("type", c_int), ("handles", c_int), ("locationType", c_int), ("locationId", c_int), ("meta",
    c_void_p),
                ("flags", c_char * 8)]
class Access(ctypes.Structure):
    _fields_ = [("type", c_int), ("id", c_int), ("flags", c_int)]
def create(size, **changed):
    handle = c_uint64()
    fields = dict(dict(type=1, locationType=1, locationId=0), **changed)
    result = cu.cuMemCreate(byref(handle), size, byref(Properties(**fields)), 0)
    return handle.value if result == "SUCCESS" else result
def reserve(size, alignment=0):
    address = c_uint64()
    result = cu.cuMemAddressReserve(byref(address), size, alignment, 0, 0)
    return address.value if result == "SUCCESS" else result
def access(address, size, device=0, flags=3):
    return cu.cuMemSetAccess(address, size, byref(Access(1, device, flags)), 1)
"""


def test_physical_memory_keeps_its_bytes_between_mappings(tmp_path):
    done = run(
        VIRTUAL
        + """
start()
granularity = c_size_t()
ok(cu.cuMemGetAllocationGranularity(byref(granularity), byref(Properties(1, 0, 1, 0)), 0))
a = reserve(16 * M)
out(granularity.value, a % (2 * M), info()[0])
h = create(4 * M)
out(info()[0], create(3 * 4 * M + 2 * M), create(2 * M) > 0)
ok(cu.cuMemMap(a, 4 * M, 0, h, 0))
out(cu.cuMemcpyHtoD_v2(a, b"no access", 9), access(a, 4 * M), cu.cuMemcpyHtoD_v2(a + M, b"bytes", 5))
ok(cu.cuMemUnmap(a, 4 * M))
out(cu.cuMemcpyDtoH_v2(ctypes.create_string_buffer(5), a + M, 5))
ok(cu.cuMemMap(a + 8 * M, 4 * M, 0, h, 0)); ok(access(a + 8 * M, 4 * M))
out(read(a + 9 * M, 5).decode())
ok(cu.cuMemRelease(h))
out(info()[0])
ok(cu.cuMemUnmap(a + 8 * M, 4 * M))
out(info()[0], cu.cuMemAddressFree(a, 16 * M))
""",
        tmp_path,
        gpus=("16MiB",),
    )
    assert done.printed == [
        [2 * MIB, 0, 16 * MIB],
        [12 * MIB, "OUT_OF_MEMORY", True],
        ["INVALID_VALUE", "SUCCESS", "SUCCESS"],
        "INVALID_VALUE",
        "bytes",
        10 * MIB,
        [14 * MIB, "SUCCESS"],
    ]
    assert [(line["event"], line["bytes"], line["total"],
        line["api"]) for line in done.trace if line.get("kind") == "virtual"] == [
        ("reserve", 4 * MIB, 4 * MIB, "cuMemCreate"), ("refuse", 14 * MIB, 4 * MIB, "cuMemCreate"),
        ("reserve", 2 * MIB, 6 * MIB, "cuMemCreate"), ("free", 4 * MIB, 2 * MIB, "cuMemUnmap"),
    ]  # fmt: skip


def test_two_mappings_of_one_memory_and_copies_across_mappings(tmp_path):
    done = run(
        VIRTUAL
        + """
start()
a, one, two = reserve(8 * M, 16 * M), create(2 * M), create(2 * M)
for at, handle in ((0, one), (2, two), (4, one)):
    ok(cu.cuMemMap(a + at * M, 2 * M, 0, handle, 0))
ok(access(a, 6 * M))
data = os.urandom(3 * M)
out(a % (16 * M), cu.cuMemcpyHtoD_v2(a, data, 3 * M), read(a + 4 * M, 2 * M) == data[:2 * M], read(a, 3 * M) == data)
out(cu.cuMemcpyHtoD_v2(a + 5 * M, data, 2 * M))
again, properties = c_uint64(), Properties()
out(cu.cuMemRetainAllocationHandle(byref(again), c_void_p(a + 4 * M + 5)), again.value == one,
    cu.cuMemGetAllocationPropertiesFromHandle(byref(properties), again), properties.locationType)
ok(cu.cuMemRelease(one)); ok(cu.cuMemRelease(one))
out(cu.cuMemRelease(one))
ok(cu.cuMemUnmap(a, 6 * M)); ok(cu.cuMemRelease(two))
out(info()[0] == info()[1])
""",
        tmp_path,
    )
    assert done.printed == [
        [0, "SUCCESS", True, True],
        "INVALID_VALUE",
        ["SUCCESS", True, "SUCCESS", 1],
        "INVALID_VALUE",
        True,
    ]


def test_bad_arguments_of_virtual_memory_are_refused(tmp_path):
    done = run(
        VIRTUAL
        + """
start()
a, h, handle, flags = reserve(8 * M), create(4 * M), c_uint64(), c_uint64(9)
out(create(0), create(M), create(2 * M, type=0), create(2 * M, locationId=9), cu.cuMemCreate(None, 2 * M,
    byref(Properties(1, 0, 1, 0)), 0),
    cu.cuMemCreate(byref(handle), 2 * M, byref(Properties(1, 0, 1, 0)), 1), create(2 * M, handles=1), create(2 * M,
    locationType=2))
out(reserve(0), reserve(M), reserve(2 * M, 3), cu.cuMemAddressFree(a, 4 * M), cu.cuMemAddressFree(a + 2 * M, 6 * M),
    cu.cuMemAddressFree(12345, 2 * M))
out(cu.cuMemMap(a, 6 * M, 0, h, 0), cu.cuMemMap(a, 4 * M, 2 * M, h, 0), cu.cuMemMap(a + M, 2 * M, 0, h, 0),
    cu.cuMemMap(a + 6 * M, 4 * M, 0, h, 0),
    cu.cuMemMap(a, 4 * M, 0, 777, 0), cu.cuMemMap(2 * M, 2 * M, 0, h, 0), cu.cuMemMap(a, 0, 0, h, 0), cu.cuMemMap(a,
    4 * M, 0, h, 1))
ok(cu.cuMemMap(a, 4 * M, 0, h, 0))
out(cu.cuMemMap(a + 2 * M, 2 * M, 0, h, 0), cu.cuMemAddressFree(a, 8 * M), cu.cuMemUnmap(a, 2 * M), cu.cuMemUnmap(a,
    8 * M), cu.cuMemFree_v2(a),
    access(a + 4 * M, 2 * M), access(a, 2 * M), access(a, 4 * M, flags=7), cu.cuMemSetAccess(a, 4 * M, None, 1))
out(access(a, 4 * M, device=1), access(a, 4 * M, device=9))
out(cu.cuMemGetAccess(byref(flags), byref(Access(1, 0)), a), flags.value, access(a, 4 * M),
    cu.cuMemGetAccess(byref(flags), byref(Access(1, 0)), a),
    flags.value, cu.cuMemGetAccess(byref(flags), byref(Access(1, 1)), a), flags.value,
    cu.cuMemGetAccess(byref(flags), byref(Access(1, 0)), 12345))
out(cu.cuMemRetainAllocationHandle(byref(handle), c_void_p(12345)),
    cu.cuMemGetAllocationPropertiesFromHandle(byref(Properties()), 777))
""",
        tmp_path,
        gpus=2,
    )
    bad = "INVALID_VALUE"
    assert done.printed == [
        [bad, bad, bad, "INVALID_DEVICE", bad, bad, "NOT_SUPPORTED", "NOT_SUPPORTED"],
        [bad] * 6,
        [bad] * 8,
        [bad] * 9,
        ["INVALID_DEVICE"] * 2,
        ["SUCCESS", 0, "SUCCESS", "SUCCESS", 3, "SUCCESS", 0, bad],
        [bad, bad],
    ]
