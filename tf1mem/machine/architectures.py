"""The compute capabilities that a TensorFlow is built for, read from its libraries' files; nothing is loaded.

nvcc and clang put the GPU code of each source file into one fatbin of the section `.nv_fatbin`: machine code (SASS)
for some compute capabilities, and PTX, which the driver compiles for any newer one. Only the headers of the fatbins are
read. `__nv_relfatbin` has the code before device linking, whose result is in `.nv_fatbin`, so it isn't counted.

Sources: ELF-64 (elf(5)); the rules of compatibility, "Application Compatibility" in NVIDIA's CUDA C++ Programming
Guide. NVIDIA doesn't document the headers of a fatbin; `cuobjdump --list-elf --list-ptx` lists the same entries.
"""

from __future__ import annotations

import glob
import mmap
import os
import struct
from collections import Counter
from typing import Iterator, NamedTuple

from tf1mem.errors import LibraryFileError

# Ways in which a build of TensorFlow runs on a GPU: by its machine code, by compiling PTX, or not at all.
NATIVE = "native"
COMPILES = "compiles"
CANNOT = "cannot"

_FATBIN = 0xBA55ED50
_PTX, _SASS = 1, 2
_LIBRARIES = (
    "libtensorflow_cc.so.*",
    "libtensorflow_framework.so.*",
    os.path.join("python", "_pywrap_tensorflow_internal.so"),
)

_ELF_SECTIONS = struct.Struct("<40xQ10xHHH")  # Elf64_Ehdr: e_shoff, e_shentsize, e_shnum, e_shstrndx
_ELF_SECTION = struct.Struct("<IIQQQQ")  # Elf64_Shdr: sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size
_HEADER = struct.Struct("<IHHQ")  # of a fatbin: magic number, version, size of this header, size of all entries
_ENTRY = struct.Struct("<HHIQ12xI")  # kind, version, size of this header, size of the code, 10 x compute capability


class Architectures(NamedTuple):
    """The compute capabilities that a TensorFlow is built for, each in rising order.

    Attributes:
        sass: The capabilities with machine code.
        ptx: The capabilities with PTX.
    """

    sass: tuple[tuple[int, int], ...] = ()
    ptx: tuple[tuple[int, int], ...] = ()


def of_tensorflow(folder: str) -> Architectures:
    """Returns the compute capabilities that a TensorFlow is built for; none for a build without CUDA.

    Args:
        folder: The folder with TensorFlow's own files: `tensorflow`, or `tensorflow_core` in 1.15 and 2.0.

    Raises:
        LibraryFileError: A library can't be read, or is damaged.
    """
    fatbins, entries = 0, Counter()  # type: int, Counter[tuple[int, int]]
    for pattern in _LIBRARIES:
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), pattern))):
            for fatbin in fatbins_of(path):
                fatbins += 1
                entries.update(set(fatbin))

    def of_kind(code: int) -> tuple[tuple[int, int], ...]:
        # Libraries linked into TensorFlow, such as NCCL and CUTLASS's kernels, may be built for fewer or for more.
        common = (number for (kind, number), count in entries.items() if kind == code and 2 * count > fatbins)
        return tuple(divmod(number, 10) for number in sorted(common))

    return Architectures(of_kind(_SASS), of_kind(_PTX))


def fatbins_of(path: str) -> Iterator[list[tuple[int, int]]]:
    """Yields for each fatbin in a library its entries: the kind, 1 for PTX or 2 for SASS, and the number, as in sm_86.

    Args:
        path: The shared library.

    Raises:
        LibraryFileError: The file can't be read, is no 64-bit ELF file, or is damaged.
    """
    try:
        with open(path, "rb") as file:
            if hasattr(os, "posix_fadvise"):  # the headers are far apart: reading ahead would read the whole file
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                for start, end in _sections(data):
                    yield from _fatbins(data, start, end)
    except (OSError, ValueError) as error:  # ValueError: an empty file can't be mapped
        raise LibraryFileError(path, f"can't be read ({error})", _REINSTALL) from error
    except (struct.error, _DamagedError) as error:
        raise LibraryFileError(path, f"is damaged, or is no 64-bit ELF library ({error})", _REINSTALL) from error


def how_it_runs(architectures: Architectures, capability: tuple[int, int]) -> str:
    """Returns how a TensorFlow with this code runs on a GPU: `NATIVE`, `COMPILES` or `CANNOT`.

    Args:
        architectures: The code that it has.
        capability: The GPU's compute capability.
    """
    # Machine code runs on its own major number, from its minor number up.
    if any(major == capability[0] and minor <= capability[1] for major, minor in architectures.sass):
        return NATIVE
    return COMPILES if any(built <= capability for built in architectures.ptx) else CANNOT


_REINSTALL = "Install TensorFlow again"


class _DamagedError(Exception):
    pass


def _sections(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Yields the start and the end of each section `.nv_fatbin`."""
    if data[:5] != b"\x7fELF\x02":
        raise _DamagedError("its first bytes are not those of one")
    first, step, count, names = _ELF_SECTIONS.unpack_from(data)
    if step < _ELF_SECTION.size or names >= max(count, 1):
        raise _DamagedError("its table of sections is impossible")
    sections = [_ELF_SECTION.unpack_from(data, first + number * step) for number in range(count)]
    for name, _, _, _, start, length in sections:
        text = sections[names][4] + name
        if data[text : text + len(_NAME)] == _NAME:
            if start + length > len(data):
                raise _DamagedError(".nv_fatbin ends beyond the end of the file")
            yield start, start + length


_NAME = b".nv_fatbin\0"


def _fatbins(data: mmap.mmap, start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    """Yields the entries of each fatbin between two positions of a library."""
    while start + _HEADER.size <= end:
        magic, _, header, length = _HEADER.unpack_from(data, start)
        if magic == 0:  # padding
            start += 8
            continue
        stop = start + header + length
        if magic != _FATBIN or header < _HEADER.size or stop > end:
            raise _DamagedError(f"there is no whole fatbin at byte {start}")
        yield list(_entries(data, start + header, stop))
        start = stop


def _entries(data: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start + _ENTRY.size <= end:
        kind, _, header, length, number = _ENTRY.unpack_from(data, start)
        if header < _ENTRY.size or start + header + length > end:
            raise _DamagedError(f"there is no whole entry of a fatbin at byte {start}")
        yield kind, number
        start += header + length
