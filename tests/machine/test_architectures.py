"""The GPU code that is read from TensorFlow's libraries is that which TensorFlow names, and which the record has."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from packaging.version import Version

from tests.machine.wheels import stated, texts
from tf1mem.doctor.checkup.installed import inner_folder, look
from tf1mem.errors import LibraryFileError
from tf1mem.machine.architectures import CANNOT, COMPILES, NATIVE, Architectures, fatbins_of, how_it_runs, of_tensorflow
from tf1mem.machine.builds import KNOWN_FAILURES, builds_for, capability, cuda_versions, how_and_failure, recorded

PTX, SASS = 1, 2


def test_the_installed_tensorflow_names_the_same():
    here = look({})
    folder = inner_folder(here.folder)
    built = of_tensorflow(folder)
    if here.build != "CUDA":
        assert built == ((), ())
        return
    assert built.sass
    assert built.ptx
    (config,) = {path.read_text(encoding="utf-8") for path in Path(folder).glob("include/**/cuda_config.h")}
    info = Path(folder, "python", "platform", "build_info.py").read_text(encoding="utf-8")
    assert stated(info, config) in (None, texts(built))  # 2.3 and the candidate of 2.22 state nothing
    rows = [build for build in recorded() if build.version == here.tensorflow]
    assert len(rows) == 1 or Version(here.tensorflow).is_prerelease  # the newest candidate may not be recorded yet
    versions = cuda_versions(folder)
    assert {(row.architectures, row.cuda, row.cudnn) for row in rows} <= {(built, versions["CUDA"], versions["CUDNN"])}


def library(*fatbins):
    """Returns an ELF file with a section `.nv_fatbin` of these fatbins, each a list of kinds and numbers."""
    code = b""
    for entries in fatbins:
        body = b"".join(struct.pack("<HHIQ12xI32x", kind, 0x101, 64, 8, number) + bytes(8) for kind, number in entries)
        code += struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body + bytes(8)
    names = b"\0.shstrtab\0.nv_fatbin\0"
    head = struct.pack("<4sBBB9x24xQ10xHHH", b"\x7fELF", 2, 1, 1, 64 + len(names) + len(code), 64, 3, 1)
    sections = ((0, 0, 0), (1, 64, len(names)), (11, 64 + len(names), len(code)))
    table = b"".join(struct.pack("<IIQQQQ24x", name, 1, 0, 0, start, length) for name, start, length in sections)
    return head + names + code + table


def test_entries_of_a_minority_of_fatbins_are_left_out(tmp_path):
    common = [(SASS, 80), (SASS, 120), (PTX, 120)]
    (tmp_path / "libtensorflow_cc.so.2").write_bytes(library(common, [*common, (SASS, 90)]))
    (tmp_path / "libtensorflow_framework.so.2").write_bytes(library(common))
    assert of_tensorflow(str(tmp_path)) == (((8, 0), (12, 0)), ((12, 0),))
    assert of_tensorflow(str(tmp_path / "nowhere")) == ((), ())


def test_a_damaged_library_is_named(tmp_path):
    path = tmp_path / "libtensorflow_cc.so.2"
    whole = library([(SASS, 80)])
    path.write_bytes(whole)
    assert list(fatbins_of(str(path))) == [[(SASS, 80)]]
    at = whole.index(struct.pack("<I", 0xBA55ED50))
    damaged = {
        "can't be read": b"",
        "its first bytes": b"MZ" + whole[2:],
        "64-bit ELF library": whole[:-40],
        "no whole fatbin": whole[:at] + b"\1" + whole[at + 1 :],
        "no whole entry": whole[: at + 24] + b"\xff" + whole[at + 25 :],
    }
    for says, data in damaged.items():
        path.write_bytes(data)
        with pytest.raises(LibraryFileError, match=says) as refused:
            of_tensorflow(str(tmp_path))
        assert os.fspath(path) in str(refused.value)


@pytest.mark.parametrize(
    ("gpu", "expected"),
    [("8.0", NATIVE), ("8.6", NATIVE), ("7.5", CANNOT), ("9.0", CANNOT), ("10.0", COMPILES), ("12.0", COMPILES)],
)
def test_code_runs_on_later_minor_numbers_and_ptx_on_all_later(gpu, expected):
    assert how_it_runs(Architectures(((8, 0),), ((10, 0),)), capability(gpu)) == expected


def test_known_failures_are_of_compiled_code_only():
    for failure in KNOWN_FAILURES:
        gpu, cuda = failure.from_capability, f"{failure.before_cuda - 1}.0"
        assert how_and_failure(Architectures((), ((5, 0),)), cuda, gpu) == (COMPILES, failure)
        assert how_and_failure(Architectures((gpu,), ((5, 0),)), cuda, gpu) == (NATIVE, None)
        assert how_and_failure(Architectures((), ((5, 0),)), f"{failure.before_cuda}.0", gpu) == (COMPILES, None)


def test_the_oldest_and_the_newest_for_a_gpu():
    how, builds = builds_for((8, 6))
    assert (how, builds[0].version[:4]) == (NATIVE, "2.4.")
    assert builds_for((12, 0)) == (COMPILES, [])
