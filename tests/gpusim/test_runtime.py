"""libcudart: the CUDA runtime's functions, over the simulated driver."""

from __future__ import annotations

import pytest
from cuda_programs import run

GIB = 1 << 30

LOAD = """
SONAME = os.environ.get("SONAME", "libcudart.so.12")
cuda = ctypes.CDLL(SONAME)
cuda.cudaGetErrorString.restype = cuda.cudaGetErrorName.restype = c_char_p

def malloc(size):
    pointer = c_void_p()
    return cuda.cudaMalloc(byref(pointer), c_size_t(size)), pointer

def info():
    free, total = c_size_t(), c_size_t()
    assert cuda.cudaMemGetInfo(byref(free), byref(total)) == 0
    return free.value, total.value
"""

SONAMES = {
    "libcudart.so.10.0": 10000,
    "libcudart.so.10.1": 10010,
    "libcudart.so.10.2": 10020,
    "libcudart.so.11.0": 11080,
    "libcudart.so.12": 12050,
}


@pytest.fixture
def program(tmp_path):
    return lambda code, **more: run(LOAD + code, tmp_path, **more)


@pytest.mark.parametrize("soname", SONAMES)
def test_each_soname_is_its_own_version(program, soname):
    done = program(
        """
version = c_int()
out(cuda.cudaRuntimeGetVersion(byref(version)), version.value, cuda.cudaRuntimeGetVersion(None))
out(cuda.cudaDriverGetVersion(byref(version)), version.value)
""",
        SONAME=soname,
    )
    assert done.printed == [[0, SONAMES[soname], 11 if soname.endswith("10.0") else 1], [0, 13000]]


# A field at the same offset in cudaDeviceProp of every CUDA, and one that moved, since CUDA 11 inserted a field.
@pytest.mark.parametrize(
    ("soname", "function", "size", "threads_at"),
    [
        ("libcudart.so.10.0", "cudaGetDeviceProperties", 712, 620),
        ("libcudart.so.10.1", "cudaGetDeviceProperties", 712, 620),
        ("libcudart.so.11.0", "cudaGetDeviceProperties", 728, 624),
        ("libcudart.so.12", "cudaGetDeviceProperties", 728, 624),
        ("libcudart.so.12", "cudaGetDeviceProperties_v2", 1032, 624),
    ],
)
def test_the_layout_of_properties_in_each_version(program, soname, function, size, threads_at):
    done = program(
        f"""
properties = (c_char * 2048)(*([b"x"] * 2048))
out(cuda.{function}(properties, 1), properties.raw[:256].split(b"\\0")[0].decode())
at = lambda kind, offset: kind.from_buffer(properties, offset).value
out(at(c_size_t, 288), at(c_int, 360), at(c_int, 364), at(c_int, {threads_at}))
out(properties.raw[{size} - 4:{size}] != b"xxxx", properties.raw[{size}:] == b"x" * (2048 - {size}))
attribute = c_int()
out([cuda.cudaDeviceGetAttribute(byref(attribute), number, 1) or attribute.value for number in (75, 76, 39)])
out(cuda.{function}(properties, 2), cuda.{function}(None, 0))
""",
        gpus=["8GiB", "11000000000B,cc=8.6,name=Second card"],
        SONAME=soname,
    )
    (error, name), (total, major, minor, threads), written, attributes, errors = done.printed
    assert (error, name, total, major, minor) == (0, "Second card", 11 * 10**9, 8, 6)
    assert written == [True, True]
    assert attributes == [8, 6, threads]
    assert threads > 0
    assert errors == ([10, 11] if soname.endswith("10.0") else [101, 1])


def test_memory_is_exact_to_the_byte(program):
    done = program(
        """
out(info())
error, a = malloc(1000)
out(error, info())
out(malloc(8 * 2**30 - 999)[0], info())
error, rest = malloc(8 * 2**30 - 1000)
out(error, info(), malloc(1)[0])
out(cuda.cudaFree(a), cuda.cudaFree(rest), info())
"""
    )
    full = 8 * GIB
    assert done.printed == [
        [full, full],
        [0, [full - 1000, full]],
        [2, [full - 1000, full]],
        [0, [0, full], 2],
        [0, 0, [full, full]],
    ]
    assert [line["bytes"] for line in done.events("refuse")] == [full - 999, 1]


def test_zero_bytes_are_a_null_pointer(program):
    done = program(
        """
out(cuda.cudaFree(None))
error, pointer = malloc(0)
out(error, pointer.value, cuda.cudaMalloc(None, c_size_t(8)))
"""
    )
    assert done.printed == [0, [0, None, 1]]
    assert [line["gpu"] for line in done.events("context")] == [0]


def test_the_last_error_stays_until_it_is_read(program):
    done = program(
        """
out(malloc(2**40)[0], cuda.cudaPeekAtLastError())
out(malloc(8)[0])
out(cuda.cudaGetLastError(), cuda.cudaGetLastError())
out(cuda.cudaGetErrorName(2).decode(), cuda.cudaGetErrorString(2).decode())
in_thread = []
malloc(2**40)
thread = threading.Thread(target=lambda: in_thread.append(cuda.cudaPeekAtLastError()))
thread.start(), thread.join()
out(in_thread, cuda.cudaPeekAtLastError())
"""
    )
    assert done.printed == [[2, 2], 0, [2, 0], ["cudaErrorMemoryAllocation", "out of memory"], [[0], 2]]


def test_errors_of_foreign_pointers_and_devices(program):
    code = """
error, pointer = malloc(16)
out(cuda.cudaFree(pointer), cuda.cudaFree(pointer), cuda.cudaFree(c_void_p(4096)))
out(cuda.cudaSetDevice(1), cuda.cudaSetDevice(-1), cuda.cudaStreamDestroy(c_void_p(4096)))
out([cuda.cudaGetErrorName(number).decode() for number in (0, 30, 38, 71, 100, 801, 12345)])
"""
    assert program(code).printed == [
        [0, 1, 1],
        [101, 101, 400],
        ["cudaSuccess"]
        + ["unrecognized error code"] * 3
        + ["cudaErrorNoDevice", "cudaErrorNotSupported"]
        + ["unrecognized error code"],
    ]
    assert program(code, SONAME="libcudart.so.10.0").printed == [
        [0, 11, 11],
        [10, 10, 33],
        ["cudaSuccess", "cudaErrorUnknown", "cudaErrorNoDevice", "cudaErrorNotSupported"]
        + ["unrecognized error code"] * 3,
    ]


@pytest.mark.parametrize(("soname", "error"), [("libcudart.so.10.0", 38), ("libcudart.so.12", 100)])
def test_no_device(program, soname, error):
    done = program(
        """
count, device = c_int(7), c_int(7)
out(cuda.cudaGetDeviceCount(byref(count)), count.value, cuda.cudaGetDevice(byref(device)), malloc(1)[0])
""",
        SONAME=soname,
        CUDA_VISIBLE_DEVICES="-1",
    )
    assert done.printed == [[error, 0, error, error]]


def test_copies_in_every_direction(program):
    done = program(
        """
data = bytes(range(256)) * 64
size = c_size_t(len(data))
host = ctypes.create_string_buffer(data, len(data))
back = ctypes.create_string_buffer(len(data))
a, b = malloc(len(data))[1], malloc(len(data))[1]
stream = c_void_p()
cuda.cudaStreamCreate(byref(stream))
out(cuda.cudaMemcpy(a, host, size, 1), cuda.cudaMemcpy(b, a, size, 3), cuda.cudaMemcpy(back, b, size, 2))
out(back.raw == data)
out(cuda.cudaMemsetAsync(b, 7, size, stream), cuda.cudaMemcpyAsync(b, a, c_size_t(100), 4, stream))
out(cuda.cudaMemcpyAsync(back, b, size, 2, stream), cuda.cudaStreamSynchronize(stream))
out(back.raw == data[:100] + b"\\7" * (len(data) - 100))
out(cuda.cudaMemcpyPeer(b, 0, a, 0, size), cuda.cudaMemcpy(back, b, size, 4), back.raw == data)
out(cuda.cudaMemcpy(back, b, size, 9), cuda.cudaMemcpy(back, b, c_size_t(0), 2))
out(cuda.cudaMemcpy(a, host, c_size_t(len(data) + 1), 1))
"""
    )
    assert done.printed == [[0, 0, 0], True, [0, 0], [0, 0], True, [0, 0, True], [21, 0], 1]


def test_pinned_and_managed_memory(program):
    done = program(
        """
pinned, managed, device = c_void_p(), c_void_p(), c_void_p()
out(cuda.cudaMallocHost(byref(pinned), c_size_t(64)), cuda.cudaHostGetDevicePointer(byref(device), pinned, 0))
out(cuda.cudaMallocManaged(byref(managed), c_size_t(2**34), 1))
ctypes.memset(managed, 5, 64)
out(cuda.cudaMemcpy(pinned, managed, c_size_t(64), 4), ctypes.string_at(pinned, 64) == b"\\5" * 64)
out(cuda.cudaFreeHost(pinned), cuda.cudaFree(managed), info()[0])
"""
    )
    assert done.printed == [[0, 0], 0, [0, True], [0, 0, 8 * GIB]]
    assert [(line["kind"], line["bytes"]) for line in done.events("reserve")] == [("managed", 2**34)]


@pytest.mark.parametrize("soname", ["libcudart.so.10.0", "libcudart.so.12"])
def test_attributes_of_a_pointer(program, soname):
    done = program(
        """
class Attributes(ctypes.Structure):
    _fields_ = ([("memory_type", c_int)] if "10" in SONAME else []) + [
        ("type", c_int), ("device", c_int), ("device_pointer", c_void_p), ("host_pointer", c_void_p)
    ] + ([("managed", c_int)] if "10" in SONAME else [])

def attributes(pointer):
    values = Attributes()
    error = cuda.cudaPointerGetAttributes(byref(values), pointer)
    return [error, error or values.type, error or values.device]

cuda.cudaSetDevice(1)
device, pinned, managed = malloc(64)[1], c_void_p(), c_void_p()
cuda.cudaMallocHost(byref(pinned), c_size_t(64)), cuda.cudaMallocManaged(byref(managed), c_size_t(64), 1)
out(attributes(c_void_p(device.value + 63)), attributes(pinned)[:2], attributes(managed)[:2])
out(attributes(ctypes.create_string_buffer(8)))
""",
        SONAME=soname,
        gpus=2,
    )
    nothing = [11, 11, 11] if "10" in soname else [0, 0, -2]
    assert done.printed == [[[0, 2, 1], [0, 1], [0, 3]], nothing]


def test_streams_and_events(program):
    done = program(
        """
Callback = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)
Host = ctypes.CFUNCTYPE(None, c_void_p)
seen = []
gate = threading.Event()
slow = Host(lambda data: (gate.wait(), seen.append("slow")))
then = Callback(lambda stream, error, data: seen.append(["then", error, data]))
stream, start, end = c_void_p(), c_void_p(), c_void_p()
out(cuda.cudaStreamCreateWithFlags(byref(stream), 1), [cuda.cudaEventCreate(byref(event)) for event in (start, end)])
out(cuda.cudaEventRecord(start, stream), cuda.cudaLaunchHostFunc(stream, slow, None))
out(cuda.cudaStreamAddCallback(stream, then, c_void_p(9), 0), cuda.cudaEventRecord(end, stream))
out(cuda.cudaEventQuery(end), cuda.cudaStreamQuery(stream), cuda.cudaGetLastError())
cuda.cudaEventSynchronize(start), time.sleep(0.05), gate.set()
out(cuda.cudaEventSynchronize(end), seen, cuda.cudaStreamSynchronize(stream), cuda.cudaEventQuery(end))
took = c_float()
out(cuda.cudaEventElapsedTime(byref(took), start, end), took.value >= 45)
out(cuda.cudaEventDestroy(start), cuda.cudaStreamDestroy(stream), cuda.cudaStreamDestroy(stream))
"""
    )
    assert done.printed == [
        [0, [0, 0]],
        [0, 0],
        [0, 0],
        [600, 600, 600],
        [0, ["slow", ["then", 0, 9]], 0, 0],
        [0, True],
        [0, 0, 400],
    ]


def test_stream_ordered_memory(program):
    done = program(
        """
pool, stream, pointer, value = c_void_p(), c_void_p(), c_void_p(), c_uint64(2**40)
cuda.cudaStreamCreate(byref(stream))
out(cuda.cudaDeviceGetDefaultMemPool(byref(pool), 0), cuda.cudaMemPoolSetAttribute(pool, 4, byref(value)))
out(cuda.cudaMallocAsync(byref(pointer), c_size_t(1 << 20), stream), 8 * 2**30 - info()[0] >= 1 << 20)
out(cuda.cudaFreeAsync(pointer, stream), cuda.cudaStreamSynchronize(stream))
out(cuda.cudaMemPoolGetAttribute(pool, 7, byref(value)), value.value)
out(cuda.cudaMemPoolTrimTo(pool, c_size_t(0)), info()[0])
out(cuda.cudaMallocAsync(byref(pointer), c_size_t(9 << 30), stream))
"""
    )
    assert done.printed == [[0, 0], [0, True], [0, 0], [0, 0], [0, 8 * GIB], 2]
    assert {line["kind"] for line in done.events("reserve")} == {"pool"}


def test_each_thread_has_its_device(program):
    done = program(
        """
device = c_int()
def current():
    assert cuda.cudaGetDevice(byref(device)) == 0
    return device.value
out(cuda.cudaSetDevice(1), current(), malloc(1 << 20)[0])
seen = []
def other():
    seen.append(current())
    malloc(1 << 21)
thread = threading.Thread(target=other)
thread.start(), thread.join()
out(seen, current())
""",
        gpus=2,
    )
    assert done.printed == [[0, 1, 0], [[0], 1]]
    assert [(line["gpu"], line["bytes"]) for line in done.events("reserve")] == [(1, 1 << 20), (0, 1 << 21)]


@pytest.mark.parametrize(("soname", "started"), [("libcudart.so.11.0", []), ("libcudart.so.12", [0])])
def test_choosing_a_device_starts_it_from_cuda_12_on(program, soname, started):
    done = program("out(cuda.cudaSetDevice(0))", SONAME=soname)
    assert [line["gpu"] for line in done.events("context")] == started


def test_the_runtime_uses_a_context_of_the_driver(program):
    done = program(
        """
driver = ctypes.CDLL("libcuda.so.1")
context, device = c_void_p(), c_int()
assert driver.cuInit(0) == driver.cuDevicePrimaryCtxRetain(byref(context), 1) == driver.cuCtxSetCurrent(context) == 0
out(cuda.cudaGetDevice(byref(device)), device.value, malloc(64)[0])
""",
        gpus=2,
    )
    assert done.printed == [[0, 1, 0]]
    assert [line["gpu"] for line in done.events("reserve")] == [1]


def test_a_reset_frees_everything(program):
    done = program(
        """
malloc(1 << 20)
out(cuda.cudaDeviceReset(), info()[0])
out(malloc(1 << 20)[0], info()[0])
"""
    )
    assert done.printed == [[0, 8 * GIB], [0, 8 * GIB - (1 << 20)]]


REGISTER = """
class Dim(ctypes.Structure):
    _fields_ = [(axis, c_uint) for axis in "xyz"]

class Wrapper(ctypes.Structure):
    _fields_ = [("magic", c_int), ("version", c_int), ("image", c_char_p), ("unused", c_void_p)]

cuda.__cudaRegisterFatBinary.restype = c_void_p
wrapper = Wrapper(0x466243B1, 1, b"no image of any kind", None)
binary = c_void_p(cuda.__cudaRegisterFatBinary(byref(wrapper)))
functions = (c_char * 100000)()
address = lambda number: c_void_p(ctypes.addressof(functions) + number)
names = [b"kernel%d" % number for number in range(100000)]
def register(numbers):
    for number in numbers:
        cuda.__cudaRegisterFunction(binary, address(number), None, names[number], -1, None, None, None, None, None)
    cuda.__cudaRegisterFatBinaryEnd(binary)
def launch(number, stream=None):
    return cuda.cudaLaunchKernel(address(number), Dim(4, 1, 1), Dim(32, 1, 1), None, c_size_t(0), stream)
"""


def test_kernel_launches_are_counted(program):
    done = program(
        REGISTER
        + """
register(range(20000))
out([launch(number) for number in (0, 1, 19999, 7)], launch(20000))
cuda.cudaSetDevice(1)
out([launch(number) for number in (0, 1)])
attributes = (c_char * 512)()
out(cuda.cudaFuncGetAttributes(attributes, address(3)), c_int.from_buffer(attributes, 24).value > 0)
blocks = c_int()
out(cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(byref(blocks), address(3), 128, c_size_t(0)), blocks.value > 0)
cuda.__cudaUnregisterFatBinary(binary)
out(launch(0))
""",
        gpus=2,
    )
    assert done.printed == [[[0, 0, 0, 0], 98], [0, 0], [0, True], [0, True], 98]
    assert {line["gpu"]: line["launches"] for line in done.events("exit")} == {0: 4, 1: 2}


def test_kernels_are_loaded_again_after_a_reset(program):
    done = program(REGISTER + "register(range(4))\nout(launch(1), cuda.cudaDeviceReset(), launch(1), launch(2))\n")
    assert done.printed == [[0, 0, 0, 0]]


def test_a_kernel_of_no_registered_function(program):
    done = program(REGISTER + "out(launch(1), cuda.cudaGetLastError())", SONAME="libcudart.so.10.0")
    assert done.printed == [[8, 8]]


def test_the_configuration_of_a_call(program):
    done = program(
        REGISTER
        + """
grid, block, shared, stream = Dim(), Dim(), c_size_t(), c_void_p()
out(cuda.__cudaPushCallConfiguration(Dim(1, 2, 3), Dim(4, 5, 6), c_size_t(7), c_void_p(1)))
out(cuda.__cudaPopCallConfiguration(byref(grid), byref(block), byref(shared), byref(stream)))
out([grid.x, grid.y, grid.z, block.x, block.y, block.z, shared.value, stream.value])
out(cuda.__cudaPopCallConfiguration(byref(grid), byref(block), byref(shared), byref(stream)))
"""
    )
    assert done.printed == [0, 0, [1, 2, 3, 4, 5, 6, 7, 1], 52]


@pytest.mark.parametrize(("soname", "error"), [("libcudart.so.10.0", 71), ("libcudart.so.12", 801)])
def test_an_unsupported_function_is_reported_once(program, soname, error):
    done = program(
        """
out([cuda.cudaMemcpyToSymbol(None) for _ in range(3)], cuda.cudaGraphCreate(None, 0), cuda.cudaGetLastError())
child = os.fork()
if not child:
    cuda.cudaMemcpyToSymbol(None)
    os._exit(0)
os.waitpid(child, 0)
""",
        SONAME=soname,
    )
    assert done.printed == [[[error] * 3, error, error]]
    expected = [("runtime", "cudaMemcpyToSymbol"), ("runtime", "cudaGraphCreate"), ("runtime", "cudaMemcpyToSymbol")]
    assert done.unsupported == expected
    assert len({line["pid"] for line in done.events("unsupported")}) == 2
