"""The wheel with the compiled simulator, installed on a machine without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.processes.environment import clean
from tests.processes.wheel import build
from tf1mem.gpusim.build import library_folder

pytestmark = pytest.mark.proof

PROGRAM = """
import ctypes, tf1mem
cuda, pointer = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64()
device, context = ctypes.c_int(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0 and cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(3 << 20)) == 0
print(tf1mem.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Returns the folder in which the wheel is installed."""
    wheel, site = build(tmp_path_factory.mktemp("wheel")), tmp_path_factory.mktemp("site")
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site]
    subprocess.run([*install, wheel], check=True)
    return site


def test_no_compiler_is_needed(installed, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    environment = clean(PATH=str(tmp_path), TF1MEM_SIM_CACHE=str(tmp_path / "cache"), PYTHONPATH=str(installed))
    command = [sys.executable, "-m", "tf1mem", "sim", "--summary", "--", sys.executable, "program.py"]
    done = subprocess.run(command, cwd=str(tmp_path), env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().startswith(str(installed))
    assert b"3,145,728" in done.stderr
    assert not (tmp_path / "cache").exists()


def test_every_library_has_all_its_sonames(installed):
    prebuilt = installed / "tf1mem" / "gpusim" / "prebuilt"
    assert sorted(os.listdir(prebuilt)) == sorted(os.listdir(library_folder()))
    assert not any(path.is_symlink() for path in prebuilt.iterdir())


def test_pytest_loads_the_plugin_without_warnings(installed, tmp_path):
    test = "import pytest\n@pytest.mark.gpus('8GiB')\ndef test_it(gpu): assert gpu.total == '8GiB'\n"
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    # tf1mem is imported before pytest, as if tf1mem run ran the tests.
    command = [sys.executable, "-c", "import sys, tf1mem, pytest; sys.exit(pytest.main(['test_it.py']))"]
    environment = clean(PYTHONPATH=str(installed))
    done = subprocess.run(command, cwd=str(tmp_path), env=environment, capture_output=True, check=False)
    assert (done.returncode, b"= 1 passed in" in done.stdout) == (0, True), done.stdout.decode()


def test_a_changed_library_is_not_loaded(installed, tmp_path):
    library = installed / "tf1mem" / "gpusim" / "prebuilt" / "libcuda.so.1"
    whole = library.read_bytes()
    code = "from tf1mem.gpusim.build import library_folder; print(library_folder())"
    environment = clean(CC="no-such-compiler", TF1MEM_SIM_CACHE=str(tmp_path), PYTHONPATH=str(installed))

    def run():
        return subprocess.run(
            [sys.executable, "-c", code], cwd=str(tmp_path), env=environment, capture_output=True, encoding="utf-8",
            check=False,
        )  # fmt: skip

    os.utime(str(library), (1, 1))  # as an installer may set it
    assert run().stdout.strip() == str(library.parent)
    library.write_bytes(whole[:1000])
    try:
        done = run()
    finally:
        library.write_bytes(whole)
    assert f"has changed (libcuda.so.1 has 1,000 bytes, of {len(whole):,}): reinstall tf1mem" in done.stderr
    assert "CC=no-such-compiler is not found" in done.stderr
    assert run().stdout.strip() == str(library.parent)
