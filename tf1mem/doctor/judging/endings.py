"""How the script ended: the errors that people meet on the way from TensorFlow 1, and what mends them."""

from __future__ import annotations

import os
import re
from typing import Iterator

from tf1mem.codemod.tables import never_names
from tf1mem.doctor.findings import Finding
from tf1mem.doctor.observed import Event, Observed, near

_MISSING = re.compile(r"module '(?P<module>[\w.]*)' has no attribute '(?P<name>\w+)'")
_IMPORT = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
_MODULE = re.compile(r"No module named '(?P<module>[\w.]+)'")
_GRAPHS = (
    "not compatible with eager execution",
    "is not supported when eager execution is enabled",
    "meaningless when eager execution is enabled",
    "Session graph is empty",
    "is undefined when eager execution is enabled",
    "requires a Graph",
)
_MEMORY = ("out of memory", "OUT_OF_MEMORY", "failed to allocate", "OOM when allocating")
_SIGKILL = 9
_KERNELS = ". If nobody killed it, the kernel did, for want of the machine's own memory (not the GPU's): dmesg says so"
_HOME = ("tensorflow", "tensorflow_core", "_api", "v1", "v2", "compat")
_RUN = "tf1mem run {}, or import tf1mem.v1 as tf in place of tensorflow: TensorFlow 1's API, with its settings kept"


def findings(seen: Observed, script: str, status: int) -> Iterator[Finding]:
    """Findings about the script's end.

    Args:
        seen: What was seen of the script.
        script: The script, as it was named.
        status: Its exit status; the negative number of the signal that ended it.
    """
    error = seen.last("error")
    if error is not None:
        finding = _of_error(error, script)
        if finding.code != "TFD220" or not _is_told(error, seen):
            yield finding
    elif seen.events and seen.last("end") is None:
        yield Finding(
            "TFD226",
            "The script was ended by {}: what came last was not seen.".format(
                f"signal {-status}" if status < 0 else "os._exit, or by its C++ side"
            ),
            "What is above is what was seen until then" + (_KERNELS if status == -_SIGKILL else ""),
        )
    for event in seen.of("unseen"):
        yield Finding("TFD228", "Not watched: {}.".format(event["what"]), "Report it, with TensorFlow's version")
    if not seen.events:
        yield Finding(
            "TFD228",
            "The script's process could not be watched: Python there takes no sitecustomize.",
            "Run it without -S, -E and -I, and outside of a frozen program",
        )
    elif seen.start is None and error is None and seen.last("end") is not None and not _refused(seen):
        yield Finding(
            "TFD223",
            "TensorFlow {}.".format(
                "made no device in this process: its GPU settings meant nothing"
                if seen.tensorflow
                else "was never imported by this process"
            ),
            "If child processes do the work, run the doctor on one of them"
            if status == 0
            else f"It ended with status {status} before that: what it printed should say why",
        )


def _refused(seen: Observed) -> bool:
    """Whether TensorFlow refused to make devices."""
    return any(event.get("error") for event in seen.of("start", "session"))


def _is_told(error: Event, seen: Observed) -> bool:
    """Whether an error is TensorFlow's refusal of something that was watched, and so has a finding of its own."""
    first = _first_line(error["says"])[:60]
    return any(first in (event.get("error") or "") for event in seen.of("session", "start", "setting"))


def _of_error(error: Event, script: str) -> Finding:
    says, where = error["says"], (error["file"], error["line"])
    at = "{}:{}".format(near(error["file"]), error["line"]) if error["file"] else "the end"
    head = "{} at {}: {}".format(error["kind"], at, _first_line(says))
    if error["kind"] == "ResourceExhaustedError" or any(word in says for word in _MEMORY):
        return Finding(
            "TFD219",
            head,
            "A smaller batch, a larger cap, or growth; below is what was reserved",
            *where,
            error["note"] or "",
        )
    if "Cannot assign a device" in says or "Could not satisfy explicit device" in says:
        return Finding(
            "TFD230",
            head,
            "Name a device that is there, or ConfigProto(allow_soft_placement=True): off is TensorFlow 1's default",
            *where,
        )
    code, mend = _of_name(error["kind"], says, script)
    if code:
        return Finding(code, head, mend, *where)
    if any(word in says for word in _GRAPHS):
        return Finding("TFD232", head, _RUN.format(script) + "; it turns eager execution off too", *where)
    return Finding("TFD220", head, "Its traceback is above", *where)


def _of_name(kind: str, says: str, script: str) -> tuple[str, str]:
    """The code and the mend of an error about a name that isn't there; ("", "") for another error."""
    if "compat.v1.keras` is not available with Keras 3" in says:
        return "TFD216", _RUN.format(script)
    found = _MISSING.search(says) or _IMPORT.search(says)
    if found is not None and kind in ("AttributeError", "ImportError"):
        module, name = found.group("module"), found.group("name")
        if module.startswith("keras") or ".keras" in module or name in ("set_session", "get_session"):
            return "TFD216", _RUN.format(script)
        if not module.startswith("tensorflow"):
            return "", ""
        if name in ("contrib", "estimator"):
            return "TFD217", _RUN.format(script) + "; what of it lives on elsewhere is found there"
        meant = _meant(module, name)
        if meant is not None:
            return "TFD218", meant
        if ".".join([*_path(module), name]) in _gone():
            return "TFD215", _RUN.format(script)
    missing = _MODULE.search(says)
    if missing is not None and missing.group("module").split(".")[:2] in (
        ["tensorflow", "contrib"],
        ["tensorflow", "estimator"],
        ["tensorflow_estimator"],
    ):
        return "TFD217", _RUN.format(script) + "; what of it lives on elsewhere is found there"
    return "", ""


def _path(module: str) -> list[str]:
    """Where a module of TensorFlow's stands in public: ["config"] for tensorflow._api.v2.config."""
    return [part for part in module.split(".") if part not in _HOME]


def _meant(module: str, name: str) -> str | None:
    """What to do about a name of tf.config that never existed; None for any other name."""
    path = ".".join([*_path(module), name])
    if path in never_names.RENAMED:
        return f"tf.{never_names.RENAMED[path].name} is what is meant"
    if path in never_names.EVERY:
        return never_names.REPORTED.get(path, "tf1mem.apply(tf1mem.config(…)) says what it was meant to say")
    # The submodule itself, as in tf.config.gpu.set_per_process_memory_fraction.
    if any(other.startswith(path + ".") for other in never_names.EVERY):
        return "tf1mem.apply(tf1mem.config(…)) says what it was meant to say"
    return None


def _gone() -> frozenset[str]:
    """The names at the top of TensorFlow 1 that TensorFlow 2 hasn't got, by the codemod's list of them."""
    folder = os.path.dirname(os.path.abspath(never_names.__file__))
    with open(os.path.join(folder, "data", "tf1_names.txt"), encoding="utf-8") as file:
        _, _, rest = file.read().partition("[gone]")
    return frozenset(rest.partition("[")[0].split())


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 300 else line[:297] + "..."
