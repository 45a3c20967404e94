"""Compiles the library that computes simulated GPUs' values by TensorFlow's CPU kernels, once per user and TensorFlow.

The library uses TensorFlow's own classes, whose layout changes with every version. So it is compiled with the headers
of the TensorFlow that a simulated process has loaded. The simulated driver requests it in that process, by the script
that `write_script` writes, since only that process knows its TensorFlow.
"""

from __future__ import annotations

import mmap
import os
import shlex
import sys
from pathlib import Path

from tf1mem.errors import BAD_INPUT, SimulatorNotBuiltError
from tf1mem.gpusim import compiling
from tf1mem.gpusim.simulated_libraries import SOURCES
from tf1mem.machine import child

_COMPILE = ("-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-Wl,-z,defs", "-Wl,-z,nodelete")
# A TensorFlow with this symbol is built with the C++11 ABI. tf.sysconfig.get_compile_flags() says so, too, but only
# after another TensorFlow was started.
_CXX11 = b"_ZNK10tensorflow6Tensor11DebugStringB5cxx11E"
# A TensorFlow with this symbol is built as C++14: from C++17 on, Abseil's string_view is the standard library's.
_CXX14 = b"_ZN10tensorflow6StatusC1ENS_5error4CodeEN4absl"
_ALIGNED = "EIGEN_MAX_ALIGN_BYTES=64"  # some TensorFlows are compiled with it: their sysconfig.py lists it then
WHY_NOT = "why_no_values"  # a file in a simulation's folder with the reason, if values can't be computed


def write_script(folder: Path, values: bool | None) -> Path:
    """Writes the script by which simulated processes request the library.

    The script's argument is the path of the libtensorflow_framework.so that the process has loaded.

    A simulated process may run in another Python, with other variables, so the script names everything it needs.

    Args:
        folder: The folder to write it to.
        values: The outcome for a process without a library for its TensorFlow: True ends it, None prints that values
            aren't computed, False prints that shapes aren't computed.

    Raises:
        SimulatorNotBuiltError: `values` is True, and there is no C++ compiler.
    """
    if values:
        compiling.compiler(compiling.CXX)
    script = folder / "values.sh"
    python = "exec " + " ".join(map(shlex.quote, child.python(_CALL)))
    cleared = "unset LD_LIBRARY_PATH LD_PRELOAD PYTHONHOME PYTHONPATH PYTHONSTARTUP"
    how = {True: "required", None: "wanted", False: "shapes"}[values]
    script.write_text(f'{cleared}\n{python} {shlex.quote(str(folder))} {how} "$1"\n', encoding="utf-8")
    return script


_CALL = "from tf1mem.gpusim.values_library import main; main(*sys.argv[1:])"


def main(folder: str, how: str, tensorflow: str) -> None:
    """Prints the library's path. Without a library it says why: if required with exit status 2, if wanted only once."""
    if sys.stderr is None:  # the simulated process has closed it; messages would go to stdout, with the path
        sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="replace")  # noqa: SIM115
    try:
        os.write(1, os.fsencode(library(Path(tensorflow))))
    except SimulatorNotBuiltError as error:
        if how == "required":
            print(f"tf1mem sim --values: {error}", file=sys.stderr)
            sys.exit(BAD_INPUT)
        if how == "shapes":
            effect = "shapes and counts that are computed on a GPU are not real"
            print(f"tf1mem sim: {effect}, because {error}", file=sys.stderr)
            return
        try:
            with open(Path(folder) / WHY_NOT, "x", encoding="utf-8") as file:
                file.write(str(error))
        except OSError:
            return
        effect = "nothing is computed, and values that come from GPUs, such as losses and predictions, are not real"
        print(f"tf1mem sim: {effect}, because {error}", file=sys.stderr)


def library(tensorflow: Path) -> Path:
    """Returns the library for a TensorFlow. The first use compiles it, which takes about twenty seconds.

    Args:
        tensorflow: The path of its libtensorflow_framework.so.1 or .2.

    Returns:
        The library's path, in the same cache as the simulator's libraries.

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
        print(
            "tf1mem sim: compiling the code that computes values with this TensorFlow, once (20 s or more)",
            file=sys.stderr, flush=True,
        )  # fmt: skip
        with compiling.seconds_shown():
            return _compile(compiler, tensorflow, include, folder)

    return compiling.cached(f"values-{_key(compiler, tensorflow)}", make) / "values.so"


def _compile(compiler: list[str], tensorflow: Path, include: Path, folder: Path) -> Path:
    output = folder / "made"
    output.mkdir(0o755)
    standard = "c++14" if _exports(tensorflow, _CXX14) else "c++17"
    options = [f"-std={standard}", f"-D_GLIBCXX_USE_CXX11_ABI={int(_exports(tensorflow, _CXX11))}"]
    sysconfig = tensorflow.parent / "python" / "platform" / "sysconfig.py"
    if sysconfig.is_file() and _ALIGNED in sysconfig.read_text("utf-8", "replace"):
        options.append(f"-D{_ALIGNED}")
    source = str(SOURCES / "values" / "values.cc")
    linked = [f"-L{tensorflow.parent}", f"-l:{tensorflow.name}"]
    compiling.run([*compiler, *_COMPILE, *options, f"-I{include}", source, "-o", str(output / "values.so"), *linked])
    return output


def _exports(library: Path, symbol: bytes) -> bool:
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(symbol) >= 0


def _key(compiler: list[str], tensorflow: Path) -> str:
    """Returns the hash for the library's name in the cache.

    TensorFlow's folder isn't part of it: uv links the files of an installed wheel, so environments share the library.
    """
    _, *size_and_time = compiling.identity(tensorflow)
    sources = sorted(path for path in (SOURCES / "values").iterdir() if path.suffix in (".cc", ".h"))
    return compiling.key(compiler, (tensorflow.name, *size_and_time), (Path(__file__), *sources))
