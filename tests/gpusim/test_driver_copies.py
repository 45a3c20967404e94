"""Copies and memsets of the simulated driver, in every direction and shape."""

from __future__ import annotations

from driver_programs import run

SHAPES = """
class Memcpy2D(ctypes.Structure):
    _fields_ = [("srcXInBytes", c_size_t), ("srcY", c_size_t), ("srcMemoryType", c_int), ("srcHost", c_void_p),
                ("srcDevice", c_uint64), ("srcArray", c_void_p), ("srcPitch", c_size_t),
                ("dstXInBytes", c_size_t), ("dstY", c_size_t), ("dstMemoryType", c_int), ("dstHost", c_void_p),
                ("dstDevice", c_uint64), ("dstArray", c_void_p), ("dstPitch", c_size_t),
                ("WidthInBytes", c_size_t), ("Height", c_size_t)]
class Memcpy3D(ctypes.Structure):
    _fields_ = [("srcXInBytes", c_size_t), ("srcY", c_size_t), ("srcZ", c_size_t), ("srcLOD", c_size_t),
                ("srcMemoryType", c_int), ("srcHost", c_void_p), ("srcDevice", c_uint64), ("srcArray", c_void_p),
                ("srcContext", c_void_p), ("srcPitch", c_size_t), ("srcHeight", c_size_t),
                ("dstXInBytes", c_size_t), ("dstY", c_size_t), ("dstZ", c_size_t), ("dstLOD", c_size_t),
                ("dstMemoryType", c_int), ("dstHost", c_void_p), ("dstDevice", c_uint64), ("dstArray", c_void_p),
                ("dstContext", c_void_p), ("dstPitch", c_size_t), ("dstHeight", c_size_t),
                ("WidthInBytes", c_size_t), ("Height", c_size_t), ("Depth", c_size_t)]
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
"""


def test_bytes_are_copied_in_every_direction(tmp_path):
    done = run(
        """
contexts = [start(device) for device in range(2)]
size = 100001
data = os.urandom(size)
there = alloc(size)
ok(cu.cuCtxSetCurrent(contexts[0]))
here, again, s = alloc(size), alloc(size), stream()
managed, pinned, back = c_uint64(), c_void_p(), ctypes.create_string_buffer(size)
ok(cu.cuMemAllocManaged(byref(managed), size, 1))
ok(cu.cuMemHostAlloc(byref(pinned), size, 0))
hops = [
    lambda: cu.cuMemcpyHtoD_v2(here, data, size),
    lambda: cu.cuMemcpyDtoD_v2(again, here, size),
    lambda: cu.cuMemcpyPeer(there, contexts[1], again, contexts[0], size),
    lambda: cu.cuMemcpy(managed.value, there, size),
    lambda: cu.cuMemcpyDtoH_v2(pinned, managed.value, size),
    lambda: cu.cuMemsetD8_v2(here, 0, size),
    lambda: cu.cuMemcpyHtoDAsync_v2(here, pinned, size, s),
    lambda: cu.cuMemcpyDtoDAsync_v2(again, here, size, s),
    lambda: cu.cuMemsetD8Async(there, 1, size, s),
    lambda: cu.cuMemcpyPeerAsync(there, contexts[1], again, contexts[0], size, s),
    lambda: cu.cuMemcpyAsync(here, there, size, s),
    lambda: cu.cuMemcpyDtoHAsync_v2(back, here, size, s),
    lambda: cu.cuStreamSynchronize(s),
]
out([hop() for hop in hops], back.raw == data)
own = ctypes.create_string_buffer(size)
out(cu.cuMemcpy(ctypes.addressof(own), here, size), own.raw == data, cu.cuMemcpy(again, ctypes.addressof(own), size))
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed == [[["SUCCESS"] * 13, True], ["SUCCESS", True, "SUCCESS"]]


def test_a_copy_out_of_bounds_is_refused(tmp_path):
    done = run(
        """
context = start()
a, b, own = alloc(1000), alloc(1000), ctypes.create_string_buffer(2000)
freed = alloc(1000)
ok(cu.cuMemFree_v2(freed))
out(cu.cuMemcpyHtoD_v2(a, own, 1001), cu.cuMemcpyHtoD_v2(a + 1, own, 1000), cu.cuMemcpyDtoH_v2(own, a + 1000, 1),
    cu.cuMemcpyDtoD_v2(a, b, 1001), cu.cuMemcpyDtoD_v2(b + 500, a, 501), cu.cuMemcpyHtoD_v2(freed, own, 10),
    cu.cuMemcpyHtoD_v2(ctypes.addressof(own), own, 10), cu.cuMemcpyDtoH_v2(own, 12345, 10), cu.cuMemcpyHtoD_v2(a,
    None, 10),
    cu.cuMemcpyDtoH_v2(None, a, 10), cu.cuMemcpyHtoD_v2(a, own, 2**64 - 1), cu.cuMemcpy(a, b, 1001),
    cu.cuMemcpyHtoDAsync_v2(a, own, 1001, None), cu.cuMemsetD8_v2(a, 1, 1001), cu.cuMemsetD32_v2(a + 2, 1, 1),
    cu.cuMemsetD16_v2(a + 1, 1, 1), cu.cuMemsetD32_v2(a, 1, 251), cu.cuMemsetD32_v2(a, 1, 2**63))
out(cu.cuMemcpyHtoD_v2(a, own, 0), cu.cuMemcpyDtoH_v2(None, 0, 0), cu.cuMemsetD8_v2(a, 1, 0), cu.cuMemsetD32_v2(a, 1,
    250))
out(cu.cuMemcpyHtoDAsync_v2(a, own, 10, c_void_p(777)), cu.cuMemcpyPeer(a, None, b, context, 10),
    cu.cuMemcpyPeer(a, context, b, c_void_p(777), 10))
""",
        tmp_path,
    )
    assert done.printed == [
        ["INVALID_VALUE"] * 18,
        ["SUCCESS"] * 4,
        ["INVALID_HANDLE", "INVALID_CONTEXT", "INVALID_CONTEXT"],
    ]


def test_memsets(tmp_path):
    done = run(
        """
start()
s = stream()
a = alloc(64)
def after(*results):
    assert results == ("SUCCESS",) * len(results), results
    return read(a, 64).hex()
cu.cuMemsetD8_v2(a, 0x11, 64)
out(after(cu.cuMemsetD16_v2(a + 2, 0x2222, 3), cu.cuMemsetD32_v2(a + 8, 0x33333333, 2)))
out(after(cu.cuMemsetD8Async(a, 0x44, 1, s), cu.cuMemsetD16Async(a + 2, 0x5555, 1, s), cu.cuMemsetD32Async(a + 4,
    0x66, 1, s)))
cu.cuMemsetD8_v2(a, 0, 64)
out(after(cu.cuMemsetD2D8_v2(a, 16, 0xAA, 2, 4), cu.cuMemsetD2D16_v2(a + 4, 16, 0xBBBB, 1, 4),
          cu.cuMemsetD2D32_v2(a + 8, 16, 0xCCCCCCCC, 1, 3), cu.cuMemsetD2D32Async(a + 56, 16, 0xDDDDDDDD, 2, 1, s)))
out(cu.cuMemsetD2D8_v2(a, 1, 1, 2, 2), cu.cuMemsetD2D8_v2(a, 17, 1, 2, 5), cu.cuMemsetD2D32_v2(a, 6, 1, 1, 2))
out(cu.cuMemsetD2D8_v2(a, 0, 1, 2, 1))
""",
        tmp_path,
    )
    first, second, third, refused, single = done.printed
    assert first == "1111" + "2222" * 3 + "33" * 8 + "11" * 48
    assert second == "44115555" + "66000000" + "33" * 8 + "11" * 48
    rows = ["aaaa0000bbbb0000" + "c" * 8 + "0" * 8] * 3 + ["aaaa0000bbbb0000" + "d" * 16]
    assert third == "".join(rows)
    assert refused == ["INVALID_VALUE"] * 3
    assert single == "SUCCESS"


def test_large_zeroes_are_zero_to_the_byte(tmp_path):
    done = run(
        """
start()
size = 2**23 + 12345
a = alloc(size + 200)
ok(cu.cuMemsetD8_v2(a, 0xFF, size + 200))
ok(cu.cuMemsetD8_v2(a + 100, 0, size))
bytes_ = read(a, size + 200)
out(bytes_[:100] == b"\\xff" * 100, bytes_[100:-100].count(0) == size, bytes_[-100:] == b"\\xff" * 100)
""",
        tmp_path,
    )
    assert done.printed == [[True, True, True]]


def test_without_values_large_sets_take_no_memory(tmp_path):
    done = run(
        """
start()
size = 2**27
a = alloc(size)

def mib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

before = mib()
ok(cu.cuMemsetD32_v2(a, 0xFFFFFFFF, size // 4))
ok(cu.cuMemsetD32_v2(a, 0x01020304, 2))
out(mib() - before < 64, list(read(a, 12)))
""",
        tmp_path,
        TF1MEM_SIM_NO_VALUES="1",
    )
    assert done.printed == [[True, [4, 3, 2, 1] * 2 + [0] * 4]]


def test_rows_and_planes(tmp_path):
    done = run(
        SHAPES
        + """
context = start()
data = bytes(range(240))
own = ctypes.create_string_buffer(data, 240)
a, back = alloc(1000), ctypes.create_string_buffer(240)
# 4 rows of 6 bytes: from column 3 and row 2, counted from 0, of rows of 20 bytes; to column 1 of rows of 100 bytes
two = Memcpy2D(srcMemoryType=HOST, srcHost=ctypes.addressof(own), srcXInBytes=3, srcY=2, srcPitch=20,
               dstMemoryType=DEVICE, dstDevice=a, dstXInBytes=1, dstPitch=100, WidthInBytes=6, Height=4)
ok(cu.cuMemcpy2D_v2(byref(two)))
out([read(a + row * 100 + 1, 6) == data[(2 + row) * 20 + 3:(2 + row) * 20 + 9] for row in range(4)], read(a,
    1) == b"\\0")
ok(cu.cuMemsetD8_v2(a, 0, 1000)); s = stream()
ok(cu.cuMemcpy2DAsync_v2(byref(two), s)); ok(cu.cuStreamSynchronize(s))
out(read(a + 301, 6) == data[103:109])
# 3 planes of 2 rows of 10 bytes, out of planes of 4 rows of 20
three = Memcpy3D(srcMemoryType=HOST, srcHost=ctypes.addressof(own), srcPitch=20, srcHeight=4, srcY=1,
                 dstMemoryType=UNIFIED, dstDevice=a, dstPitch=16, dstHeight=2, WidthInBytes=10, Height=2, Depth=3)
ok(cu.cuMemcpy3D_v2(byref(three)))
out([read(a + plane * 32 + row * 16, 10) == data[plane * 80 + (row + 1) * 20:][:10]
     for plane in range(3) for row in range(2)])
three.srcContext = three.dstContext = context.value
three.srcMemoryType, three.srcDevice = UNIFIED, ctypes.addressof(own)
out(cu.cuMemcpy3DPeer(byref(three)))
three.dstContext = None
out(cu.cuMemcpy3DPeer(byref(three)))
""",
        tmp_path,
    )
    assert done.printed == [[[True] * 4, True], True, [True] * 6, "SUCCESS", "INVALID_CONTEXT"]


def test_a_shape_that_does_not_fit_is_refused(tmp_path):
    done = run(
        SHAPES
        + """
start()
own, a = ctypes.create_string_buffer(1000), alloc(1000)
def two(**changed):
    fields = dict(srcMemoryType=HOST, srcHost=ctypes.addressof(own), srcPitch=20, dstMemoryType=DEVICE, dstDevice=a,
                  dstPitch=100, WidthInBytes=20, Height=10)
    return cu.cuMemcpy2D_v2(byref(Memcpy2D(**dict(fields, **changed))))
out(two(), two(WidthInBytes=0), two(Height=0))
out(two(Height=11), two(dstXInBytes=81), two(dstY=1), two(dstPitch=109), two(dstPitch=10), two(srcMemoryType=0),
    two(dstMemoryType=9), two(srcHost=None), two(dstDevice=a + 81), two(dstPitch=2**63, Height=3), two(dstY=2**63),
    two(WidthInBytes=2**64 - 1), cu.cuMemcpy2D_v2(None), cu.cuMemcpy3D_v2(None))
out(two(dstMemoryType=ARRAY), two(srcMemoryType=ARRAY))
""",
        tmp_path,
    )
    assert done.printed == [["SUCCESS"] * 3, ["INVALID_VALUE"] * 14, ["NOT_SUPPORTED"] * 2]
    assert done.unsupported == [("driver", "cuMemcpy2D, cuMemcpy3D (arrays)")]
