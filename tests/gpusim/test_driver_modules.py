"""Modules, functions and launches: kernels are counted, and don't run."""

from __future__ import annotations

from driver_programs import run

MODULES = """
context = start()
module, function = c_void_p(), c_void_p()
ok(cu.cuModuleLoadData(byref(module), b"image"))
ok(cu.cuModuleGetFunction(byref(function), module, b"kernel"))
def launch(grid=(1, 1, 1), block=(32, 1, 1), shared=0, stream=None, of=None, parameters=None, extra=None):
    return cu.cuLaunchKernel(of or function, *grid, *block, shared, stream, parameters, extra)
"""


def test_launches_are_counted_for_each_gpu(tmp_path):
    done = run(
        MODULES
        + """
[ok(launch()) for _ in range(5)]
ok(cu.cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, stream(), None))
class Config(ctypes.Structure):
    _fields_ = [("sizes", c_uint * 7), ("stream", c_void_p), ("attributes", c_void_p), ("count", c_uint)]
config = Config((c_uint * 7)(2, 2, 2, 8, 8, 8, 1024))
ok(cu.cuLaunchKernelEx(byref(config), function, None, None))
config.count = 1
out(cu.cuLaunchKernelEx(byref(config), function, None, None), cu.cuLaunchKernelEx(None, function, None, None))
start(1)
second = c_void_p()
ok(cu.cuModuleLoadData(byref(second), b"image"))
ok(cu.cuModuleGetFunction(byref(second), second, b"other"))
[ok(launch(of=second)) for _ in range(3)]
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed == [["INVALID_VALUE"] * 2]
    assert [(line["gpu"], line["launches"]) for line in done.events("exit")] == [(0, 7), (1, 3)]


def test_a_launch_that_no_gpu_could_run_is_refused(tmp_path):
    done = run(
        MODULES
        + """
out([launch(grid=grid) for grid in ((0, 1, 1), (1, 65536, 1), (1, 1, 65536), (2**31, 1, 1))],
    [launch(block=block) for block in ((0, 1, 1), (1025, 1, 1), (1, 1, 65), (32, 33, 1), (1024, 1024, 64))],
    launch(shared=98305), launch(parameters=byref(c_void_p()), extra=byref(c_void_p())))
out(launch(shared=98304), launch(block=(1024, 1, 1)), launch(grid=(2**31 - 1, 65535, 65535)))
out(launch(stream=c_void_p(777)), launch(of=c_void_p(777)), launch(of=module))
""",
        tmp_path,
    )
    bad = "INVALID_VALUE"
    assert done.printed == [[[bad] * 4, [bad] * 5, bad, bad], ["SUCCESS"] * 3, ["INVALID_HANDLE"] * 3]
    assert done.events("exit")[0]["launches"] == 3


def test_modules_and_their_functions(tmp_path):
    done = run(
        MODULES
        + """
again, other, name = c_void_p(), c_void_p(), c_char_p()
ok(cu.cuModuleGetFunction(byref(again), module, b"kernel")); ok(cu.cuModuleGetFunction(byref(other), module, b"other"))
out(again.value == function.value, other.value == function.value, cu.cuFuncGetName(byref(name), other),
    name.value.decode())
out(cu.cuModuleLoadData(None, b"x"), cu.cuModuleLoadData(byref(again), None), cu.cuModuleGetFunction(None, module,
    b"x"),
    cu.cuModuleGetFunction(byref(again), module, None))
out(cu.cuModuleGetFunction(byref(again), module, b""), cu.cuModuleLoad(byref(again), b"/no/such/file"),
    cu.cuModuleGetFunction(byref(again), c_void_p(777), b"x"), cu.cuModuleGetGlobal_v2(None, None, module,
    b"variable"))
out(cu.cuModuleUnload(module), cu.cuModuleUnload(module), launch(), launch(of=other))
library, kernel = c_void_p(), c_void_p()
ok(cu.cuLibraryLoadData(byref(library), b"code", None, None, 0, None, None, 0))
ok(cu.cuLibraryGetKernel(byref(kernel), library, b"kernel"))
out(launch(of=kernel), cu.cuKernelGetFunction(byref(again), kernel), launch(of=again), cu.cuModuleUnload(library),
    cu.cuLibraryUnload(library),
    launch(of=kernel))
""",
        tmp_path,
    )
    assert done.printed == [
        [True, False, "SUCCESS", "other"],
        ["INVALID_VALUE"] * 4,
        ["NOT_FOUND", "FILE_NOT_FOUND", "INVALID_HANDLE", "NOT_FOUND"],
        ["SUCCESS", "INVALID_HANDLE", "INVALID_HANDLE", "INVALID_HANDLE"],
        ["SUCCESS", "SUCCESS", "SUCCESS", "INVALID_HANDLE", "SUCCESS", "INVALID_HANDLE"],
    ]
    assert done.unsupported == [("driver", "cuModuleGetGlobal")]


def test_a_fatbin_without_code_for_the_gpu_is_refused(tmp_path):
    done = run(
        MODULES
        + """
import struct
PTX, SASS = 1, 2
def fatbin(*entries):
    code = b"".join(struct.pack("<HHIQ12xI", kind, 0, 64, 8, number) + bytes(40) for kind, number in entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(code)) + code
def load(*entries):
    return cu.cuModuleLoadData(byref(module), fatbin(*entries))
out([load((SASS, number)) for number in (60, 70, 72, 75, 80)], [load((PTX, number)) for number in (52, 70, 75)])
out(load((SASS, 80), (SASS, 70)), load((SASS, 80), (PTX, 80)), load((SASS, 60), (PTX, 60)), load())
def library(*entries):
    loaded, kernel, of_gpu = c_void_p(), c_void_p(), c_void_p()
    ok(cu.cuLibraryLoadData(byref(loaded), fatbin(*entries), None, None, 0, None, None, 0))
    ok(cu.cuLibraryGetKernel(byref(kernel), loaded, b"kernel"))
    return cu.cuKernelGetFunction(byref(of_gpu), kernel)
out(library((SASS, 60)), library((SASS, 70)))
""",
        tmp_path,
    )
    no, yes = "NO_BINARY_FOR_GPU", "SUCCESS"
    assert done.printed == [[[no, yes, no, no, no], [yes, yes, no]], [yes, no, yes, yes], [no, yes]]


def test_function_attributes_and_occupancy(tmp_path):
    done = run(
        MODULES
        + """
def get(attribute):
    value = c_int()
    result = cu.cuFuncGetAttribute(byref(value), attribute, function)
    return value.value if result == "SUCCESS" else result
out([get(attribute) for attribute in (0, 1, 4, 5, 6, 8, 9, 99)])
out(cu.cuFuncSetAttribute(function, 8, 90000), get(8), cu.cuFuncSetAttribute(function, 8, 98305),
    cu.cuFuncSetAttribute(function, 0, 1),
    cu.cuFuncSetAttribute(function, 9, 50), get(9))
blocks, grid, block, size = c_int(), c_int(), c_int(), c_size_t()
def fit(threads, shared=0):
    result = cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(byref(blocks), function, threads, shared)
    return blocks.value if result == "SUCCESS" else result
out([fit(threads) for threads in (1, 32, 64, 100, 1024, 1025)], [fit(128, shared) for shared in (98304, 49152, 40000,
    98305)], fit(0), fit(-5))
out(cu.cuOccupancyMaxPotentialBlockSize(byref(grid), byref(block), function, None, 0, 0), grid.value, block.value)
out(cu.cuOccupancyMaxPotentialBlockSize(byref(grid), byref(block), function, None, 0, 100), grid.value, block.value)
out(cu.cuOccupancyAvailableDynamicSMemPerBlock(byref(size), function, 4, 512), size.value,
    cu.cuOccupancyAvailableDynamicSMemPerBlock(byref(size), function, 5, 512))
""",
        tmp_path,
    )
    bad = "INVALID_VALUE"
    assert done.printed == [
        [1024, 0, 32, 70, 70, 49152, -1, bad],
        ["SUCCESS", 90000, bad, bad, "SUCCESS", 50],
        [[32, 32, 32, 16, 2, 0], [1, 2, 2, 0], bad, bad],
        ["SUCCESS", 160, 1024],
        ["SUCCESS", 80 * 32, 64],
        ["SUCCESS", 24576, bad],
    ]
