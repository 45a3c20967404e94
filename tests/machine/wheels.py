"""Records the CUDA version and the GPU code of TensorFlow's wheels in tf1mem/machine/builds.json.

Usage, from the root of the repository: python -m tests.machine.wheels [--check | --download [FOLDER]]

Without an option it reads the GPU code in the libraries of the installed TensorFlow, and records that; with --check it
compares that with the record. --download records the releases of `BETWEEN` that the record lacks, from the lists of GPU
code in their wheels: it takes the wheels from FOLDER, or downloads them, one at a time. `test_architectures.py` checks
that such a list agrees with the libraries.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from packaging.version import Version

from tf1mem.machine.architectures import Architectures, of_tensorflow
from tf1mem.machine.builds import RECORD, capability_text, cuda_versions

# The releases for GPUs that the matrix leaves out: the distribution, the version, and a Python that has a wheel.
BETWEEN = (
    ("tensorflow-gpu", "1.13.2", "3.7"),
    ("tensorflow-gpu", "1.14.0", "3.7"),
    ("tensorflow", "2.1.4", "3.7"),
    ("tensorflow", "2.2.3", "3.7"),
    ("tensorflow", "2.3.4", "3.8"),
    ("tensorflow", "2.5.3", "3.8"),
    ("tensorflow", "2.6.5", "3.8"),
    ("tensorflow", "2.7.4", "3.8"),
    ("tensorflow", "2.8.4", "3.8"),
    ("tensorflow", "2.9.3", "3.10"),
    ("tensorflow", "2.11.1", "3.10"),
    ("tensorflow", "2.12.1", "3.10"),
    ("tensorflow", "2.13.1", "3.10"),
    ("tensorflow", "2.14.1", "3.10"),
    ("tensorflow", "2.16.2", "3.12"),
    ("tensorflow", "2.17.1", "3.12"),
    ("tensorflow", "2.19.1", "3.12"),
    ("tensorflow", "2.20.0", "3.12"),
)
_PLATFORMS = ("manylinux1", "manylinux2010", "manylinux2014", "manylinux_2_17", "manylinux_2_27")


def main(arguments: list[str]) -> int:
    """Records or checks; returns 1 if the installed TensorFlow differs from the record."""
    rows = {row["version"]: row for row in json.loads(Path(RECORD).read_text(encoding="utf-8"))}
    if arguments[:1] == ["--download"]:
        missing = [wheel for wheel in BETWEEN if wheel[1] not in rows]
        for distribution, version, python in missing:
            rows[version] = _of_wheel(distribution, version, python, *arguments[1:])
            _write(rows)
        return 0
    current = installed()
    if arguments == ["--check"]:
        if rows.get(current["version"]) != current:
            print(f"recorded:  {rows.get(current['version'])}\ninstalled: {current}")
            return 1
        return 0
    rows[current["version"]] = current
    _write(rows)
    return 0


def installed() -> dict[str, Any]:
    """Returns the row of the installed TensorFlow."""
    from tf1mem.doctor.checkup.installed import inner_folder, look

    here = look({})
    assert here.folder is not None, "no TensorFlow is installed"
    folder = inner_folder(here.folder)
    name, version = here.distributions[0].split()
    versions = cuda_versions(folder)
    sass, ptx = texts(of_tensorflow(folder))
    return {
        "version": version,
        "distribution": name,
        "cuda": versions["CUDA"],
        "cudnn": versions["CUDNN"],
        "sass": sass,
        "ptx": ptx,
    }


def _of_wheel(distribution: str, version: str, python: str, downloads: str = "") -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        wheels = list(Path(downloads or folder).glob("{}-{}-*.whl".format(distribution.replace("-", "_"), version)))
        if not wheels:
            platforms = [option for name in _PLATFORMS for option in ("--platform", name + "_x86_64")]
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest",
                 folder, "--python-version", python, *platforms, f"{distribution}=={version}"],
                check=True,
            )  # fmt: skip
            wheels = list(Path(folder).glob("*.whl"))
        print(wheels[0].name, flush=True)
        return {"version": version, "distribution": distribution, **_facts_of(wheels[0])}


def _facts_of(path: Path) -> dict[str, Any]:
    """Returns a wheel's versions of CUDA and cuDNN and its GPU code: as it lists them, or else by its libraries."""
    with zipfile.ZipFile(str(path)) as wheel:
        names = wheel.namelist()

        def text(ending: str) -> str:
            return wheel.read(next(name for name in names if name.endswith(ending))).decode("utf-8")

        config, info = text("/cuda_config.h"), text("/python/platform/build_info.py")
    sass, ptx = stated(info, config) or _read(path)
    versions = dict(re.findall(r'#define TF_([A-Z]+)_VERSION "([^"]*)"', config))
    return {"cuda": versions["CUDA"], "cudnn": versions["CUDNN"], "sass": sass, "ptx": ptx}


def _read(path: Path) -> tuple[list[str], list[str]]:
    """Returns the compute capabilities that a wheel has machine code and PTX for, by its libraries."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(str(path)) as wheel:
        for name in wheel.namelist():
            if re.search(r"/(lib|_pywrap_)tensorflow_\w+\.so[.\d]*$", name):
                wheel.extract(name, folder)
        (library,) = Path(folder).glob("**/python/_pywrap_tensorflow_internal.so")
        return texts(of_tensorflow(str(library.parents[1])))


def texts(built: Architectures) -> tuple[list[str], list[str]]:
    """Returns the compute capabilities with machine code, and those with PTX, as texts such as "8.6"."""
    return list(map(capability_text, built.sass)), list(map(capability_text, built.ptx))


def stated(info: str, config: str) -> tuple[list[str], list[str]] | None:
    """Returns the compute capabilities that a TensorFlow says it has machine code and PTX for; None if it says nothing.

    Args:
        info: The text of its build_info.py, which lists them from 2.4 on: sm_80 is machine code, compute_90 is both.
        config: The text of its cuda_config.h, which lists them up to 2.2; each is both.
    """
    listed = re.search(r"'cuda_compute_capabilities', \[([^\]]*)\]", info)
    if listed is None:
        both = re.findall(r'CudaVersion\("([\d.]+)"\)', config)
        return (both, both) if both else None
    names = re.findall(r"(sm|compute)_(\d+)(\d)", listed.group(1))
    return [f"{major}.{minor}" for _, major, minor in names], [
        f"{major}.{minor}" for kind, major, minor in names if kind == "compute"
    ]


def _write(rows: dict[str, Any]) -> None:
    lines = (json.dumps(rows[version]) for version in sorted(rows, key=Version))
    Path(RECORD).write_text("[\n  " + ",\n  ".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
