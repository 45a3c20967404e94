"""Finds or makes the Python with TensorFlow 1.15.5 that runs the old side of `tf1mem verify`.

It is the user's, or that of an environment which uv makes once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tf1mem.errors import VerifyError
from tf1mem.machine import child, folders
from tf1mem.verifying.signals import ended_by_signals

TENSORFLOW = "1.15.5"
PYTHON = "3.7"
# TensorFlow 1.15.5, or programs for it, fail with newer versions of these libraries.
_PACKAGES = (
    f"tensorflow=={TENSORFLOW}",
    "protobuf<3.21",
    "numpy<1.19",
    "h5py<3",
    "scipy<1.6",
    "pandas<1.2",
    "pillow<9",
)
_VARIABLE = "TF1MEM_VERIFY_PYTHON"
# A program that prints TensorFlow's version, or "None"; it fails on a Python in which tf1mem can't record.
_PRINT_VERSION = (
    "from tf1mem.machine.distributions import stated_versions; import tf1mem.verifying.recording.start; "
    "print(next(stated_versions(), None))"
)


def made_folder() -> Path:
    """Returns the folder of the environment that `make` makes, whether it exists or not."""
    chosen = os.path.expanduser(os.environ.get("TF1MEM_VERIFY_CACHE", "")) or folders.user_cache()
    return Path(os.path.abspath(chosen)) / f"tensorflow-{TENSORFLOW}"


def _interpreter(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def find(named: str | None, otherwise: str = "") -> str:
    """Returns the interpreter of the old side.

    Args:
        named: The path that the user passed by --old-python; None if there is none.
        otherwise: The interpreter to use if neither `named` nor the environment variable TF1MEM_VERIFY_PYTHON names
            one; "" for the interpreter of the environment that `make` makes.

    Returns:
        The interpreter's absolute path.

    Raises:
        VerifyError: There is no interpreter, it doesn't start, it can't run tf1mem, or its TensorFlow isn't 1.x.
    """
    variable = os.environ.get(_VARIABLE)
    path = named or variable or otherwise
    if not path:
        if _interpreter(made_folder()).exists():
            return str(_interpreter(made_folder()))
        raise VerifyError(
            "the old side",
            f"needs a Python {PYTHON} with TensorFlow {TENSORFLOW}, and none is named or installed",
            "Name one with --old-python PATH, or have uv make one: `tf1mem verify --make-old`",
        )
    origin = f"{_VARIABLE}={path}" if variable and not named else f"--old-python {path}"
    resolved = shutil.which(path)
    if resolved is None:
        raise VerifyError(origin, "is not a program", "Name the python of an environment with TensorFlow 1.15.5")
    version = _tensorflow(resolved, origin)
    if not version.startswith("1."):
        fault = f"has TensorFlow {version}" if version != "None" else "has no TensorFlow"
        raise VerifyError(origin, fault, f"Name one with TensorFlow {TENSORFLOW}: `tf1mem verify --make-old` makes one")
    return os.path.abspath(resolved)


def _tensorflow(interpreter: str, origin: str) -> str:
    """Returns the version of an interpreter's TensorFlow; "None" without one."""
    command = [interpreter, *child.python(_PRINT_VERSION)[1:]]
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise VerifyError(origin, f"doesn't start ({error})", "Name a Python that runs") from None
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        missing = re.search(r"No module named '([\w.]+)'", "".join(last))
        if missing:
            module = missing.group(1).partition(".")[0]
            raise VerifyError(origin, f"lacks {module}", f"Install it: `{interpreter} -m pip install {module}`")
        raise VerifyError(origin, "can't run tf1mem: " + "".join(last)[-100:], f"Name a Python {PYTHON} or newer")
    return done.stdout.decode("utf-8", "replace").strip()


def make(packages: tuple[str, ...] = ()) -> Path:
    """Makes the environment with uv, or adds packages to it.

    Args:
        packages: The program's requirements besides TensorFlow, such as "gym==0.15.7".

    Returns:
        The environment's folder.

    Raises:
        VerifyError: uv isn't installed, or fails; then no partial environment is left.
    """
    uv = shutil.which("uv") or _uv_beside_python()
    if uv is None:
        raise VerifyError("--make-old", "needs uv, which isn't installed", "Install it: `pip install uv`")
    folder = made_folder()
    if not _interpreter(folder).exists():
        part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        with ended_by_signals():
            try:
                _run([uv, "venv", "--quiet", "--python", PYTHON, str(part)])
                _install(uv, part, _PACKAGES + packages)
                shutil.rmtree(folder, ignore_errors=True)
                # The environment's scripts (bin/pip …) name the folder `part`, and break. Only its interpreter is used.
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    elif packages:
        _install(uv, folder, packages)
    return folder


def _uv_beside_python() -> str | None:
    """Returns the uv that is installed in the environment of this Python, or None."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.exists() else None


def _install(uv: str, folder: Path, packages: tuple[str, ...]) -> None:
    _run([uv, "pip", "install", "--quiet", "--python", str(_interpreter(folder)), *packages])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        last = " ".join(done.stdout.decode("utf-8", "replace").split())[-400:]
        raise VerifyError("--make-old", f"uv failed: {last}", "Fix that, or name a Python with --old-python")
