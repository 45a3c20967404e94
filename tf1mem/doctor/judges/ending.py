"""Findings about the script's end: the errors that people meet on the way from TensorFlow 1, with their remedies."""

from __future__ import annotations

import re
from typing import Iterator

from tf1mem.doctor.finding import CodemodRewrite, Finding, Kind
from tf1mem.doctor.judges import installation
from tf1mem.doctor.watch.record import Event, Place, Record
from tf1mem.names import never_names, tf1_names

_MISSING = re.compile(r"module '(?P<module>[\w.]*)' has no attribute '(?P<name>\w+)'")
_IMPORT = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
_MODULE = re.compile(r"No module named '(?P<module>[\w.]+)'")
# Parts of the messages of errors that TensorFlow raises if a graph is needed and eager execution is on.
_GRAPHS = (
    "not compatible with eager execution",
    "is not supported when eager execution is enabled",
    "meaningless when eager execution is enabled",
    "Session graph is empty",
    "is undefined when eager execution is enabled",
    "requires a Graph",
)
# Parts of out-of-memory messages, searched in errors of any kind; tf1mem/oom/messages.py parses TensorFlow's own.
_MEMORY = (
    "out of memory", "OUT_OF_MEMORY", "failed to allocate", "OOM when allocating", "Dst tensor is not initialized",
    "Failed to allocate scratch buffer",
)  # fmt: skip
_SIGKILL = 9
_KILLED_BY_KERNEL = (
    ". If nobody killed it, the kernel did, since the machine's own memory (not the GPU's) ran out: dmesg shows it"
)
# Parts of a module's path that a public name lacks: tensorflow._api.v2.compat.v1.Session is tf.Session.
_PRIVATE = ("tensorflow", "tensorflow_core", "_api", "v1", "v2", "compat")
_RUN = "tf1mem run {}, or import tf1mem.v1 as tf in place of tensorflow: TensorFlow 1's API, with its settings kept"

ENDED_OUTSIDE = Kind.warning(
    "TFD226", "The script was ended from outside, or by os._exit.", "The findings up to that point still hold"
)
UNWATCHED = Kind.note("TFD228", "Something could not be watched.", "Report it, with TensorFlow's version")
NOT_STARTED = Kind.note(
    "TFD223", "The GPU runtime was never started.", "Run the doctor on the process that does the work"
)


def findings(record: Record, script: str, status: int) -> Iterator[Finding]:
    """Yields findings about the script's end.

    Args:
        record: record of the script's process.
        script: script as named on a command line.
        status: exit status, or the negative number of the signal that ended it.
    """
    error, end = record.last("error"), record.last("end")
    if error is not None:
        finding = _error_finding(error, script)
        if finding.kind is not OTHER_ERROR or not _is_reported(error, record):
            yield finding
    elif record.events and end is None:
        by = f"signal {-status}" if status < 0 else "os._exit or native code"
        yield ENDED_OUTSIDE.finding(
            f"The script was ended by {by}: its last part was not seen.",
            "The findings above are from before that" + (_KILLED_BY_KERNEL if status == -_SIGKILL else ""),
        )
    for event in record.of("unseen"):
        yield UNWATCHED.finding("Not watched: {}.".format(event["what"]))
    if not record.events:
        yield UNWATCHED.finding(
            "The script's process could not be watched: its Python didn't import sitecustomize.",
            "Run it without -S, -E and -I, and outside of a frozen program",
        )
        return
    refused = any(event.get("error") for event in record.of("start", "session"))
    if record.start is None and error is None and end is not None and not refused:
        yield NOT_STARTED.finding(
            "TensorFlow made no device in this process: its GPU settings had no effect."
            if record.tensorflow
            else "TensorFlow was never imported by this process.",
            "If child processes do the work, run the doctor on one of them"
            if status == 0
            else f"It ended with status {status} before that: its output should show why",
        )


def _is_reported(error: Event, record: Record) -> bool:
    """Returns True if an error is TensorFlow's refusal of a recorded call, which has its own finding."""
    first = _first_line(error["message"])[:60]  # both messages may be cut
    return any(first in (event.get("error") or "") for event in record.of("session", "start", "setting"))


OUT_OF_MEMORY = Kind.error(
    "TFD219",
    "The script ran out of GPU memory.",
    "Use a smaller batch, a larger memory limit or `allow_growth`; `tf1mem.explain_oom` explains the error",
)
NO_SUCH_DEVICE = Kind.error(
    "TFD230",
    "An op asks for a device that isn't there, and soft placement is off.",
    "Name a device that is there, or `allow_soft_placement=True`",
)
GRAPHS = Kind.error(
    "TFD232",
    "The script is written for graphs of TensorFlow 1, and eager execution is on.",
    "`tf1mem run`, or `import tf1mem.v1 as tf`",
    CodemodRewrite("shim"),
)
OTHER_ERROR = Kind.note("TFD220", "The script ended with an error that isn't about settings.", "Read its traceback")


def _error_finding(error: Event, script: str) -> Finding:
    message, where = error["message"], Place(error["file"], error["line"])
    at = where.short if where.file else "the end"
    head = "{} at {}: {}".format(error["kind"], at, _first_line(message))
    if error["kind"] == "ResourceExhaustedError" or any(word in message for word in _MEMORY):
        remedy = "Use a smaller batch, a larger memory limit or allow_growth"
        return OUT_OF_MEMORY.finding(head, remedy, where, error["note"] or "")
    if "Cannot assign a device" in message or "Could not satisfy explicit device" in message:
        remedy = "Name a device that is there, or ConfigProto(allow_soft_placement=True): off is TensorFlow 1's default"
        return NO_SUCH_DEVICE.finding(head, remedy, where)
    name_error = _missing_name(error["kind"], message, script)
    if name_error is not None:
        kind, remedy = name_error
        return kind.finding(head, remedy, where)
    if any(word in message for word in _GRAPHS):
        return GRAPHS.finding(head, _RUN.format(script) + "; it turns eager execution off too", where)
    return OTHER_ERROR.finding(head, "Its traceback is above", where)


NAME_GONE = Kind.error(
    "TFD215",
    "The script uses a name of TensorFlow 1 that is gone.",
    "`tf1mem run`, or `import tf1mem.v1 as tf`",
    CodemodRewrite("shim"),
)
KERAS_GONE = Kind.error(
    "TFD216",
    "The script uses Sessions of Keras, which Keras 3 doesn't have.",
    "`tf1mem run`, or `import tf1mem.v1 as tf`",
    CodemodRewrite("shim"),
)
CONTRIB_GONE = Kind.error(
    "TFD217",
    "The script uses tf.estimator or tf.contrib, which is gone.",
    "`tf1mem run`, or `import tf1mem.v1 as tf`: they find what has moved",
    CodemodRewrite("shim"),
)
NEVER_THERE = Kind.error(
    "TFD218",
    "The script uses a name that TensorFlow never had.",
    "Use the right name, which the codemod knows",
    CodemodRewrite("apply", ("TFM401",)),
)


def _missing_name(kind: str, message: str, script: str) -> tuple[Kind, str] | None:
    """Returns the kind and the remedy of an error about a missing name; None for another error."""
    run = _RUN.format(script)
    if "compat.v1.keras` is not available with Keras 3" in message:
        return KERAS_GONE, run
    name_error = _MISSING.search(message) or _IMPORT.search(message)
    if name_error is not None and kind in ("AttributeError", "ImportError"):
        module, name = name_error.group("module"), name_error.group("name")
        if module.startswith("keras") or ".keras" in module or name in ("set_session", "get_session"):
            return KERAS_GONE, run
        if not module.startswith("tensorflow"):
            return None
        if name in ("contrib", "estimator"):
            return CONTRIB_GONE, run + "; they find what has moved"
        path = ".".join([*(part for part in module.split(".") if part not in _PRIVATE), name])
        remedy = _remedy_for_unknown(path)
        if remedy is not None:
            return NEVER_THERE, remedy
        if tf1_names.lists_gone(path):
            return NAME_GONE, run
    missing = _MODULE.search(message)
    if missing is not None and missing.group("module") == "tensorflow":
        return installation.NO_TENSORFLOW, installation.GET_TENSORFLOW
    if missing is not None and re.match(
        r"tensorflow\.(contrib|estimator)(\.|$)|tensorflow_estimator$", missing.group("module")
    ):
        return CONTRIB_GONE, run + "; they find what has moved"
    return None


def _remedy_for_unknown(path: str) -> str | None:
    """Returns the remedy for a name of tf.config, without "tf.", that never existed; None for any other name."""
    if path in never_names.RENAMED:
        return f"tf.{never_names.RENAMED[path].name} is the right name"
    if path in never_names.EVERY:
        return never_names.REPORTED.get(path, "Call tf1mem.apply(tf1mem.config(…)) instead")
    # The submodule itself, as in tf.config.gpu.set_per_process_memory_fraction.
    if any(other.startswith(path + ".") for other in never_names.EVERY):
        return "Call tf1mem.apply(tf1mem.config(…)) instead"
    return None


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 300 else line[:297] + "..."
