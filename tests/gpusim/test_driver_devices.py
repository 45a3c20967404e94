"""The simulated driver's answers on its devices."""

from __future__ import annotations

import pytest
from driver_programs import GIB, run

GPUS = (
    "8GiB,name=Tesla V100-SXM2-16GB,cc=7.0,pci=0000:1a:00.0,uuid=GPU-00112233-4455-6677-8899-aabbccddeeff",
    "85899345921B,name=A100,cc=8.0,pci=0001:af:10.0",
)

DESCRIBE = """
ok(cu.cuInit(0))
def describe(device):
    name, bus_id, uuid = (ctypes.create_string_buffer(size) for size in (100, 32, 16))
    total, major, minor, back = c_size_t(), c_int(), c_int(), c_int()
    ok(cu.cuDeviceGetName(name, 100, device))
    ok(cu.cuDeviceGetPCIBusId(bus_id, 32, device))
    ok(cu.cuDeviceGetUuid(uuid, device))
    ok(cu.cuDeviceTotalMem_v2(byref(total), device))
    ok(cu.cuDeviceComputeCapability(byref(major), byref(minor), device))
    ok(cu.cuDeviceGetByPCIBusId(byref(back), bus_id))
    capability = major.value, minor.value
    return (name.value.decode(), bus_id.value.decode(), uuid.raw.hex(), total.value, *capability, back.value)
def attribute(number, device=0):
    value = c_int()
    result = cu.cuDeviceGetAttribute(byref(value), number, device)
    return value.value if result == "SUCCESS" else result
"""


def test_each_device_has_the_properties_of_its_gpu(tmp_path):
    done = run(DESCRIBE + "out([describe(0), describe(1)])", tmp_path, gpus=GPUS)
    first, second = done.printed[0]
    assert first == ["Tesla V100-SXM2-16GB", "0000:1a:00.0", "00112233445566778899aabbccddeeff", 8 * GIB, 7, 0, 0]
    assert second[:2] == ["A100", "0001:af:10.0"]
    assert second[3:] == [80 * GIB + 1, 8, 0, 1]


def test_renumbered_devices_keep_their_properties(tmp_path):
    done = run(DESCRIBE + "out([describe(0), describe(1)])", tmp_path, gpus=GPUS, CUDA_VISIBLE_DEVICES="1,0")
    assert [device[0] for device in done.printed[0]] == ["A100", "Tesla V100-SXM2-16GB"]
    assert [device[-1] for device in done.printed[0]] == [0, 1]


def test_attributes_are_the_gpu_s_own_and_those_of_its_capability(tmp_path):
    done = run(
        DESCRIBE
        + """
out({number: attribute(number) for number in range(1, 136)})
out([attribute(number, 1) for number in (16, 33, 34, 50, 75, 76)])
""",
        tmp_path,
        gpus=GPUS,
    )
    first, second = done.printed
    assert all(isinstance(value, int) for value in first.values())
    expected = {1: 1024, 10: 32, 16: 80, 33: 0x1A, 34: 0, 50: 0, 39: 2048, 75: 7, 76: 0, 81: 98304, 97: 98304}
    assert {number: first[str(number)] for number in expected} == expected
    # The simulator has unified addressing, managed memory, virtual memory and pools. It lacks shareable handles.
    assert [first[str(number)] for number in (41, 83, 102, 115, 103, 119)] == [1, 1, 1, 1, 0, 0]
    assert second == [108, 0xAF, 0x10, 1, 8, 0]
    assert done.unsupported == []


@pytest.mark.parametrize("capability", ["3.5", "6.1", "7.5", "8.6", "8.7", "9.0", "12.1", "13.0"])
def test_every_compute_capability_has_figures(tmp_path, capability):
    done = run(
        DESCRIBE + "out([attribute(number) for number in (13, 16, 36, 37, 38, 39, 75, 76, 106)])",
        tmp_path,
        gpus=("1GiB,cc=" + capability,),
    )
    assert all(value > 0 for value in done.printed[0][:6])
    assert "{}.{}".format(*done.printed[0][6:8]) == capability


def test_an_unknown_attribute_is_an_error_and_traced(tmp_path):
    done = run(DESCRIBE + "out([attribute(number) for number in (0, -1, 136, 5000, 5000)])", tmp_path)
    assert done.printed == [["INVALID_VALUE"] * 5]
    assert sorted(name for _, name in done.unsupported) == sorted(
        f"cuDeviceGetAttribute (attribute {number})" for number in (0, -1, 136, 5000)
    )


def test_unknown_devices_and_bad_arguments_are_refused(tmp_path):
    done = run(
        """
ok(cu.cuInit(0))
buffer, number, size = ctypes.create_string_buffer(4), c_int(), c_size_t()
for device in (-1, 2, 2**31 - 1):
    out(cu.cuDeviceGet(byref(number), device), cu.cuDeviceGetName(buffer, 4, device),
        cu.cuDeviceTotalMem_v2(byref(size), device),
        cu.cuDeviceGetAttribute(byref(number), 1, device), cu.cuDeviceComputeCapability(byref(number), byref(number),
        device),
        cu.cuDeviceGetPCIBusId(buffer, 4, device), cu.cuDeviceGetUuid_v2(buffer, device),
        cu.cuDevicePrimaryCtxRetain(byref(c_void_p()), device), cu.cuDevicePrimaryCtxRelease_v2(device),
        cu.cuDevicePrimaryCtxGetState(device, byref(c_uint()), byref(number)),
        cu.cuDeviceCanAccessPeer(byref(number), 0, device))
out(cu.cuDeviceGetCount(None), cu.cuDeviceGet(None, 0), cu.cuDeviceGetName(None, 4, 0), cu.cuDeviceGetName(buffer, 0,
    0),
    cu.cuDeviceTotalMem_v2(None, 0), cu.cuDeviceGetAttribute(None, 1, 0), cu.cuDeviceComputeCapability(None, None, 0),
    cu.cuDeviceGetUuid(None, 0), cu.cuDevicePrimaryCtxRetain(None, 0), cu.cuDeviceGetByPCIBusId(byref(number), b"x"),
    cu.cuDeviceCanAccessPeer(None, 0, 1))
ok(cu.cuDeviceGetName(buffer, 4, 0))
out(buffer.value.decode(), cu.cuDeviceGetByPCIBusId(byref(number), b"0000:77:00.0"))
ok(cu.cuDeviceCanAccessPeer(byref(number), 0, 1))
out(number.value, cu.cuDeviceGetP2PAttribute(byref(number), 2, 0, 1), number.value,
    cu.cuDeviceGetP2PAttribute(byref(number), 2, 0, 0))
""",
        tmp_path,
        gpus=2,
    )
    assert done.printed[:3] == [["INVALID_DEVICE"] * 11] * 3
    assert done.printed[3] == ["INVALID_VALUE"] * 11
    assert done.printed[4] == ["Sim", "INVALID_DEVICE"]
    assert done.printed[5] == [0, "SUCCESS", 0, "INVALID_DEVICE"]


def test_results_have_the_drivers_names_and_texts(tmp_path):
    done = run(
        """
def words(number):
    text = c_char_p()
    result = ctypes.CDLL("libcuda.so.1").cuGetErrorString(number, byref(text))
    return text.value.decode() if result == 0 else [result, text.value]
out([[result_name(number), words(number)] for number in (0, 1, 2, 3, 100, 101, 201, 400, 709, 801, 999)])
out([words(12345), words(-1)])
""",
        tmp_path,
    )
    assert dict(done.printed[0]) == {
        "SUCCESS": "no error",
        "INVALID_VALUE": "invalid argument",
        "OUT_OF_MEMORY": "out of memory",
        "NOT_INITIALIZED": "initialization error",
        "NO_DEVICE": "no CUDA-capable device is detected",
        "INVALID_DEVICE": "invalid device ordinal",
        "INVALID_CONTEXT": "invalid device context",
        "INVALID_HANDLE": "invalid resource handle",
        "CONTEXT_IS_DESTROYED": "context is destroyed",
        "NOT_SUPPORTED": "operation not supported",
        "UNKNOWN": "unknown error",
    }
    assert done.printed[1] == [[1, None], [1, None]]


def test_a_card_by_name_has_its_own_figures(tmp_path):
    done = run(
        DESCRIBE + "out(describe(0)[0], describe(0)[3:6], [attribute(number) for number in (13, 16, 36, 37)])\n"
        "out([attribute(number, 1) for number in (13, 16, 36, 37)])",
        tmp_path,
        gpus=("L4", "rtx 3080"),
    )
    name, memory, figures = done.printed[0]
    assert (name, memory) == ("NVIDIA L4", [23570219008, 8, 9])
    assert figures == [2040000, 58, 6251000, 192]
    # Only the number of multiprocessors is known for the RTX 3080; the other figures are those of a card of 8.6.
    assert done.printed[1] == [1695000, 68, 9751000, 384]
