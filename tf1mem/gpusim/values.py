"""The library that has TensorFlow's CPU kernels compute for simulated GPUs, compiled for one TensorFlow, once per user.

It reaches into TensorFlow's own classes, whose layout changes with every version, so it is compiled with the headers
that lie beside the TensorFlow that a simulated process has loaded. The simulated driver asks for it in that process, by
the script that `write_script` makes, since only there it is known which TensorFlow that is.
"""

from __future__ import annotations

import mmap
import os
import shlex
import sys
from pathlib import Path

from tf1mem.errors import BAD_INPUT, SimulatorNotBuiltError
from tf1mem.gpusim import compiling
from tf1mem.gpusim.libraries import SOURCES
from tf1mem.machine import child

_COMPILE = ("-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-Wl,-z,defs", "-Wl,-z,nodelete")
# tf.sysconfig.get_compile_flags() says the same; asking it would start TensorFlow once more.
_CXX11 = b"_ZNK10tensorflow6Tensor11DebugStringB5cxx11E"
# From C++17 on Abseil's string_view is the standard library's: where it is Abseil's own, the library is older C++.
_CXX14 = b"_ZN10tensorflow6StatusC1ENS_5error4CodeEN4absl"
_ALIGNED = "EIGEN_MAX_ALIGN_BYTES=64"
WHY_NOT = "why_no_values"  # a file in a simulation's folder, where a process was told so


def write_script(folder: Path, values: bool | None) -> Path:
    """Writes the script by which simulated processes ask for the library: it takes their libtensorflow_framework.so.

    A simulated process may run in another Python, with other variables: the script says what it needs.

    Args:
        folder: Where.
        values: True: a process ends where there is no library for its TensorFlow. None: it is told so. False: it is
            told that shapes aren't computed.

    Raises:
        SimulatorNotBuiltError: Values are required, and there is no C++ compiler.
    """
    if values:
        compiling.compiler(compiling.CXX)
    script = folder / "values.sh"
    python = "exec " + " ".join(map(shlex.quote, child.python(_CALL)))
    cleared = "unset LD_LIBRARY_PATH LD_PRELOAD PYTHONHOME PYTHONPATH PYTHONSTARTUP"
    how = {True: "required", None: "wanted", False: "shapes"}[values]
    script.write_text(f'{cleared}\n{python} {shlex.quote(str(folder))} {how} "$1"\n', encoding="utf-8")
    return script


_CALL = "from tf1mem.gpusim.values import main; main(*sys.argv[1:])"


def main(folder: str, how: str, tensorflow: str) -> None:
    """Prints the library's path, or says once in a simulation why there is none; where it is required, ends with 2."""
    if sys.stderr is None:  # the simulated process has closed it: what is said would go to stdout, with the path
        sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")  # noqa: SIM115
    try:
        os.write(1, os.fsencode(library(Path(tensorflow))))
    except SimulatorNotBuiltError as error:
        if how == "required":
            print(f"tf1mem sim --values: {error}", file=sys.stderr)
            sys.exit(BAD_INPUT)
        if how == "shapes":
            said = "shapes that are put together on a GPU, and what is counted there, are not real"
            print(f"tf1mem sim: {said}: {error}", file=sys.stderr)
            return
        try:
            with open(Path(folder) / WHY_NOT, "x", encoding="utf-8") as told:
                told.write(str(error))
        except OSError:
            return
        said = "nothing is computed, and values that come from GPUs, such as losses and predictions, are not real"
        print(f"tf1mem sim: {said}: {error}", file=sys.stderr)


def library(tensorflow: Path) -> Path:
    """The library for a TensorFlow. The first use compiles it, which takes about twenty seconds.

    Args:
        tensorflow: Its libtensorflow_framework.so.1 or .2.

    Returns:
        The library, in the same folder as the simulator's own.

    Raises:
        SimulatorNotBuiltError: There is no C++ compiler, TensorFlow's headers aren't there, or compiling failed.
    """
    compiler = compiling.compiler(compiling.CXX)
    include = tensorflow.parent / "include"
    if not (include / "tensorflow" / "core" / "framework" / "op_kernel.h").is_file():
        raise compiling.not_built(
            f"compute nothing here: TensorFlow's headers are not in {include}",
            "Install a TensorFlow that has them, as every wheel on PyPI does, or leave values out: --no-values.",
        )

    def make(folder: Path) -> Path:
        print("tf1mem sim: compiling what computes on this TensorFlow, once", file=sys.stderr)
        return _compile(compiler, tensorflow, include, folder)

    return compiling.cached(f"values-{_key(compiler, tensorflow)}", make) / "values.so"


def _compile(compiler: list[str], tensorflow: Path, include: Path, folder: Path) -> Path:
    made = folder / "made"
    made.mkdir(0o755)
    standard = "c++14" if _has(tensorflow, _CXX14) else "c++17"
    options = [f"-std={standard}", f"-D_GLIBCXX_USE_CXX11_ABI={int(_has(tensorflow, _CXX11))}"]
    sysconfig = tensorflow.parent / "python" / "platform" / "sysconfig.py"
    if sysconfig.is_file() and _ALIGNED in sysconfig.read_text("utf-8", "replace"):
        options.append(f"-D{_ALIGNED}")
    source = str(SOURCES / "values" / "values.cc")
    linked = [f"-L{tensorflow.parent}", f"-l:{tensorflow.name}"]
    compiling.run([*compiler, *_COMPILE, *options, f"-I{include}", source, "-o", str(made / "values.so"), *linked])
    return made


def _has(library: Path, symbol: bytes) -> bool:
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(symbol) >= 0


def _key(compiler: list[str], tensorflow: Path) -> str:
    sources = sorted((SOURCES / "values").iterdir())
    return compiling.key(compiler, compiling.identity(tensorflow), (Path(__file__), *sources))
