"""cuGetExportTable: the tables that the CUDA 10.0 runtime inside TensorFlow 1.14 to 2.0 needs."""

from __future__ import annotations

import pytest
from cuda_programs import run

LOAD = """
driver = ctypes.CDLL("libcuda.so.1")
context = c_void_p()
assert driver.cuInit(0) == driver.cuDevicePrimaryCtxRetain(byref(context), 0) == driver.cuCtxSetCurrent(context) == 0

def table(id, entries):
    addresses = ctypes.POINTER(c_size_t)()
    error = driver.cuGetExportTable(byref(addresses), bytes.fromhex(id))
    return addresses[:entries] if error == 0 else error

def call(address, *arguments):
    return ctypes.CFUNCTYPE(c_int, *[c_void_p] * len(arguments))(address)(*arguments)

RUNTIME = "6bd5fb6c5bf4e74a8987d93912fd9df9"
KEPT = "c693336e1121df11a8c368f355d89593"
"""


@pytest.fixture
def program(tmp_path):
    return lambda code, **more: run(LOAD + code, tmp_path, **more)


def test_a_table_begins_with_its_size(program):
    done = program("out(table(RUNTIME, 1), table('a094798c2e742e7493f20800200c0a66', 1))")
    assert done.printed == [[[80], [56]]]


def test_a_context_keeps_a_value_under_a_key_until_it_is_reset(program):
    done = program(
        """
keep, forget, recall = table(KEPT, 3)
value = c_void_p()
out(call(recall, byref(value), context, 8), call(keep, context, 8, 77, None), call(keep, None, 9, 78, None))
out([call(recall, byref(value), context, key) or value.value for key in (8, 9, 10)])
out(call(keep, context, 8, 79, None), call(recall, byref(value), None, 8), value.value)
out(call(forget, context, 8), call(recall, byref(value), context, 8))
driver.cuDevicePrimaryCtxReset_v2(0)
driver.cuDevicePrimaryCtxRetain(byref(context), 0)
out(call(recall, byref(value), context, 9), call(recall, byref(value), c_void_p(4096), 9))
"""
    )
    assert done.printed == [[400, 0, 0], [77, 78, 400], [0, 0, 79], [0, 400], [400, 201]]


def test_a_module_is_loaded_from_what_nvcc_wrote(program):
    done = program(
        """
class Wrapper(ctypes.Structure):
    _fields_ = [("magic", c_int), ("version", c_int), ("image", c_char_p), ("unused", c_void_p)]

module, function = c_void_p(), c_void_p()
wrapper = Wrapper(0x466243B1, 1, b"no image of any kind", None)
load, load_with_options = (table(RUNTIME, 10)[entry] for entry in (1, 6))
out(call(load, byref(module), byref(wrapper)), driver.cuModuleGetFunction(byref(function), module, b"kernel"))
out(call(load_with_options, byref(module), byref(wrapper), None, None, 0), call(load, None, None))
"""
    )
    assert done.printed == [[0, 0], [0, 1]]


def test_an_unknown_entry_is_traced(program):
    done = program(
        """
out(table("00112233445566778899aabbccddeeff", 1), call(table(RUNTIME, 10)[3]))
out(driver.cuGetExportTable(None, None))
"""
    )
    assert done.printed == [[801, 801], 1]
    assert done.unsupported == [
        ("driver", "cuGetExportTable 00112233445566778899aabbccddeeff"),
        ("driver", "cuGetExportTable (runtime 3)"),
    ]
