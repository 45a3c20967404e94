"""Finding the driver's functions: by name and version, and those that it lacks."""

from __future__ import annotations

import json
import subprocess

from driver_programs import run

from tf1mem.gpusim.build import library_folder
from tf1mem.gpusim.simulated_libraries import SOURCES

# Name, CUDA version (1000 * major + 10 * minor), and the symbol that a program compiled with that version gets.
FORMS = [
    ("cuInit", 12000, "cuInit"),
    ("cuMemAlloc", 12000, "cuMemAlloc_v2"),
    ("cuMemAlloc", 4000, "cuMemAlloc_v2"),
    ("cuMemFree", 11020, "cuMemFree_v2"),
    ("cuCtxCreate", 10000, "cuCtxCreate_v2"),
    ("cuCtxCreate", 11040, "cuCtxCreate_v3"),
    ("cuGetProcAddress", 11080, "cuGetProcAddress"),
    ("cuGetProcAddress", 12000, "cuGetProcAddress_v2"),
    ("cuDeviceGetUuid", 11000, "cuDeviceGetUuid"),
    ("cuDeviceGetUuid", 12050, "cuDeviceGetUuid_v2"),
    ("cuStreamGetCaptureInfo", 12000, "cuStreamGetCaptureInfo_v2"),
    ("cuMemAllocAsync", 11020, "cuMemAllocAsync"),
    ("cuEventElapsedTime", 12050, "cuEventElapsedTime"),
    ("cuGraphCreate", 12000, "cuGraphCreate"),
]
# Defines `find`, which looks a name up by both forms of cuGetProcAddress, and returns the address and the later form's
# status (0: found, 1: no such function).
LOOKUP = """
library = ctypes.CDLL("libcuda.so.1")
def address_of(name):
    return ctypes.cast(getattr(library, name), c_void_p).value
def find(name, version, flags=0):
    address, status = c_void_p(7), c_int(7)
    result = cu.cuGetProcAddress_v2(name.encode(), byref(address), version, flags, byref(status))
    assert result == "SUCCESS", result
    again = c_void_p(7)
    old = cu.cuGetProcAddress(name.encode(), byref(again), version, flags)
    assert again.value == address.value and old == ("NOT_FOUND" if status.value else "SUCCESS")
    return address.value, status.value
"""


def test_a_function_has_the_version_of_the_programs_cuda(tmp_path):
    done = run(
        LOOKUP
        + """
for name, version, symbol in json.loads(os.environ["FORMS"]):
    assert find(name, version) == (address_of(symbol), 0), (name, version, symbol)
assert find("cuNoSuchFunction", 12000) == (None, 1) == find("printf", 12000)
out(cu.cuGetProcAddress(None, byref(c_void_p()), 12000, 0), cu.cuGetProcAddress(b"", byref(c_void_p()), 12000, 0),
    cu.cuGetProcAddress(b"cuInit", None, 12000, 0), cu.cuGetProcAddress(b"cuInit", byref(c_void_p()), 12000, 9))
""",
        tmp_path,
        FORMS=json.dumps(FORMS),
    )
    assert done.printed == [["INVALID_VALUE"] * 4]


def exported(library):
    listed = subprocess.check_output(["nm", "-D", "--defined-only", str(library)]).decode()
    return {line.split()[-1] for line in listed.splitlines()}


def test_the_library_has_every_name_in_the_list_and_no_other():
    names = (SOURCES / "symbols" / "cuda.txt").read_text(encoding="utf-8").split()
    assert len(names) == len(set(names)) > 600
    library = exported(library_folder() / "libcuda.so.1")
    assert library >= set(names)
    assert {name for name in library - set(names) if not name.startswith("sim_")} == set()
