"""libnvidia-ml: queries of tools and TensorFlow about the whole machine."""

from __future__ import annotations

import pytest
from cuda_programs import run

GIB = 1 << 30

LOAD = """
nvml = ctypes.CDLL("libnvidia-ml.so.1")
nvml.nvmlErrorString.restype = c_char_p

def text(function, *arguments, room=96):
    buffer = ctypes.create_string_buffer(room)
    error = function(*arguments, buffer, room)
    return buffer.value.decode() if error == 0 else error

def number(function, *arguments, kind=c_uint):
    value = kind()
    error = function(*arguments, byref(value))
    return value.value if error == 0 else error

def device(index):
    handle = c_void_p()
    assert nvml.nvmlDeviceGetHandleByIndex_v2(index, byref(handle)) == 0
    return handle

class Memory(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in ("total", "free", "used")]

class Process(ctypes.Structure):
    _fields_ = [("pid", c_uint), ("bytes", c_uint64), ("gpu_instance", c_uint), ("compute_instance", c_uint)]

def memory(index):
    info = Memory()
    assert nvml.nvmlDeviceGetMemoryInfo(device(index), byref(info)) == 0
    return [info.total, info.free, info.used]

def processes(index, room=8):
    count, infos = c_uint(room), (Process * max(room, 1))()
    error = nvml.nvmlDeviceGetComputeRunningProcesses_v3(device(index), byref(count), infos if room else None)
    return error, count.value, [(one.pid, one.bytes) for one in infos[: min(room, count.value)]]
"""


@pytest.fixture
def program(tmp_path):
    return lambda code, **more: run(LOAD + code, tmp_path, **more)


def test_nvml_starts_and_ends(program):
    done = program(
        """
count = c_uint()
out(nvml.nvmlDeviceGetCount_v2(byref(count)), nvml.nvmlShutdown())
out(nvml.nvmlInit_v2(), nvml.nvmlInit(), nvml.nvmlShutdown(), nvml.nvmlDeviceGetCount_v2(byref(count)), count.value)
out(nvml.nvmlShutdown(), nvml.nvmlDeviceGetCount_v2(byref(count)), nvml.nvmlErrorString(1).decode())
""",
        gpus=3,
    )
    assert done.printed == [[1, 1], [0, 0, 0, 0, 3], [0, 1, "Uninitialized"]]


def test_without_a_machine_the_driver_is_not_loaded(program):
    done = program("out(nvml.nvmlInit_v2(), nvml.nvmlErrorString(9).decode())", TF1MEM_SIM_MACHINE="")
    assert done.printed == [[9, "Driver Not Loaded"]]


def test_devices_are_found_by_every_name(program):
    done = program(
        """
nvml.nvmlInit_v2()
for index in (0, 1):
    here, handle = device(index), c_void_p()
    uuid = text(nvml.nvmlDeviceGetUUID, here)
    pci = (c_char * 68)()
    assert nvml.nvmlDeviceGetPciInfo_v3(here, pci) == 0
    legacy, bus_id = pci.raw[:16].split(b"\\0")[0], pci.raw[36:68].split(b"\\0")[0]
    ways = ("UUID", uuid.encode()), ("PciBusId_v2", legacy), ("PciBusId_v2", bus_id.lower()), ("PciBusId", bus_id)
    for find, key in ways:
        handle = c_void_p()
        assert getattr(nvml, "nvmlDeviceGetHandleBy" + find)(key, byref(handle)) == 0, (find, key)
        assert handle.value == here.value
    numbers = [number(ask, here) for ask in (nvml.nvmlDeviceGetIndex, nvml.nvmlDeviceGetMinorNumber)]
    out(text(nvml.nvmlDeviceGetName, here), *numbers)
    out(uuid, legacy.decode(), bus_id.decode())
    major, minor = c_int(), c_int()
    out(nvml.nvmlDeviceGetCudaComputeCapability(here, byref(major), byref(minor)), major.value, minor.value)
driver = ctypes.CDLL("libcuda.so.1")
pci = ctypes.create_string_buffer(20)
assert driver.cuInit(0) == driver.cuDeviceGetPCIBusId(pci, 20, 0) == 0
assert nvml.nvmlDeviceGetHandleByPciBusId_v2(pci.value, byref(handle)) == 0
out(number(nvml.nvmlDeviceGetIndex, handle))
""",
        gpus=["8GiB,cc=6.1", "8GiB,name=The second,cc=9.0"],
        CUDA_VISIBLE_DEVICES="1",
    )
    first, first_ids, first_capability, second, second_ids, second_capability, visible = done.printed
    assert first[1:] == [0, 0]
    assert second == ["The second", 1, 1]
    assert first_ids[0] != second_ids[0]
    assert all(ids[0].startswith("GPU-") and len(ids[0]) == 40 for ids in (first_ids, second_ids))
    assert all(ids[2] == "0000" + ids[1] for ids in (first_ids, second_ids))
    assert (first_capability, second_capability) == ([0, 6, 1], [0, 9, 0])
    assert visible == 1  # NVML's numbers are the machine's, the driver's those of CUDA_VISIBLE_DEVICES


def test_bad_names_and_handles(program):
    done = program(
        """
nvml.nvmlInit_v2()
handle = c_void_p()
out(nvml.nvmlDeviceGetHandleByIndex_v2(1, byref(handle)), nvml.nvmlDeviceGetHandleByIndex_v2(0, None))
out(nvml.nvmlDeviceGetHandleByUUID(b"GPU-1", byref(handle)))
out([nvml.nvmlDeviceGetHandleByPciBusId_v2(pci, byref(handle)) for pci in (b"0000:7f:00.0", b"nonsense")])
out(number(nvml.nvmlDeviceGetIndex, c_void_p(0)), number(nvml.nvmlDeviceGetIndex, c_void_p(device(0).value + 8)))
out(text(nvml.nvmlDeviceGetName, device(0), room=3), nvml.nvmlDeviceGetMemoryInfo(device(0), None))
"""
    )
    assert done.printed == [[2, 2], 6, [6, 2], [2, 2], [7, 2]]


def test_memory_of_all_processes(program):
    done = program(
        """
nvml.nvmlInit_v2()
out(memory(0), memory(1), processes(0))
read, write = os.pipe()
child = os.fork()
if not child:
    cuda = ctypes.CDLL("libcudart.so.12")
    pointer = c_void_p()
    assert cuda.cudaSetDevice(1) == cuda.cudaMalloc(byref(pointer), c_size_t(12345)) == 0
    os.write(write, b"x")
    time.sleep(60)
os.read(read, 1)
cuda = ctypes.CDLL("libcudart.so.12")
pointer = c_void_p()
assert cuda.cudaSetDevice(1) == cuda.cudaMalloc(byref(pointer), c_size_t(1000)) == 0
out(memory(0), memory(1))
error, count, users = processes(1)
out(error, count, {child: "child", os.getpid(): "self"}[users[0][0]], users[0][1], users[1][1])
out(processes(1, 1)[:2], processes(1, 0)[:2], processes(0))
out(text(nvml.nvmlSystemGetProcessName, child) == text(nvml.nvmlSystemGetProcessName, os.getpid()) == sys.executable)
os.kill(child, 9)
os.waitpid(child, 0)
out(memory(1), [bytes for _, bytes in processes(1)[2]])
graphics = c_uint(9)
out(nvml.nvmlDeviceGetGraphicsRunningProcesses_v3(device(1), byref(graphics), None), graphics.value)
""",
        gpus=["8GiB", "4GiB"],
        used=["0B", "1GiB"],
    )
    eight, four = 8 * GIB, 4 * GIB
    assert done.printed == [
        [[eight, eight, 0], [four, 3 * GIB, GIB], [0, 0, []]],
        [[eight, eight, 0], [four, 3 * GIB - 13345, GIB + 13345]],
        [0, 2, "child", 12345, 1000],
        [[7, 2], [7, 2], [0, 0, []]],
        True,
        [[four, 3 * GIB - 1000, GIB + 1000], [1000]],
        [0, 0],
    ]


def test_memory_info_v2_wants_its_version(program):
    done = program(
        """
class MemoryV2(ctypes.Structure):
    _fields_ = [("version", c_uint)] + [(name, c_uint64) for name in ("total", "reserved", "free", "used")]

nvml.nvmlInit_v2()
info = MemoryV2(version=ctypes.sizeof(MemoryV2) | 2 << 24)
out(nvml.nvmlDeviceGetMemoryInfo_v2(device(0), byref(info)), info.total, info.reserved, info.free, info.used)
info.version = 1
out(nvml.nvmlDeviceGetMemoryInfo_v2(device(0), byref(info)))
"""
    )
    assert done.printed == [[0, 8 * GIB, 0, 8 * GIB, 0], 25]


def test_versions_agree_with_the_driver(program):
    done = program(
        """
nvml.nvmlInit_v2()
version = c_int()
ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(byref(version))
out(number(nvml.nvmlSystemGetCudaDriverVersion_v2, kind=c_int) == version.value, text(nvml.nvmlSystemGetDriverVersion))
"""
    )
    agrees, version = done.printed[0]
    assert agrees
    assert [part.isdigit() for part in version.split(".")] == [True] * 3  # TensorFlow reads it as numbers


def test_an_unsupported_function_is_an_error_and_traced(program):
    done = program(
        """
nvml.nvmlInit_v2()
percent = c_uint()
out([nvml.nvmlDeviceGetFanSpeed(device(0), byref(percent)) for _ in range(2)])
out(nvml.nvmlErrorString(3).decode())
out(number(nvml.nvmlDeviceGetCurrPcieLinkGeneration, device(0)), nvml.nvmlDeviceGetNvLinkState(device(0), 0, None))
"""
    )
    assert done.printed == [[3, 3], "Not Supported", [3, 3]]
    assert done.unsupported == [("nvml", "nvmlDeviceGetFanSpeed")]


def test_load_heat_and_power_are_an_idle_cards(program):
    done = program(
        """
nvml.nvmlInit_v2()
rates, degrees, milliwatts = (c_uint * 2)(9, 9), c_uint(), c_uint()
out(nvml.nvmlDeviceGetUtilizationRates(device(0), rates), list(rates))
out(nvml.nvmlDeviceGetTemperature(device(0), 0, byref(degrees)), degrees.value)
out(nvml.nvmlDeviceGetPowerUsage(device(0), byref(milliwatts)), milliwatts.value)
out(nvml.nvmlDeviceGetTemperature(device(0), 1, byref(degrees)), nvml.nvmlDeviceGetPowerUsage(device(0), None))
"""
    )
    assert done.printed == [[0, [0, 0]], [0, 30], [0, 25000], [2, 2]]
