"""Records how the script ended, and TensorFlow's own count of its memory at that time."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator

from . import hooks, lines, record, set_variables

_ended = False
_error_noted = False


def is_error_noted() -> bool:
    """Returns True if `note_error` has recorded the error that ends the script."""
    return _error_noted


def note_error(error: BaseException, trace: Any) -> None:
    """Records the error that ends the script before Python prints it; explains an out-of-memory error first."""
    global _error_noted
    _error_noted = True
    record.close_soon()
    # On a full GPU, a copy raises InternalError, the first op FailedPreconditionError, a convolution UnknownError.
    possibly_memory = ("ResourceExhaustedError", "InternalError", "FailedPreconditionError", "UnknownError")
    note = _explained(error) if type(error).__name__ in possibly_memory else None
    places = list(_places(trace))
    own = [place for place in places if not (lines.is_packaged(place[0]) or place[0].startswith("<frozen "))] or places
    record.write(
        "error",
        kind=type(error).__name__,
        module=type(error).__module__,
        message=_message(error)[:2000],
        file=own[-1][0] if own else None,
        line=own[-1][1] if own else 0,
        note=note,
    )


def _places(trace: Any) -> Iterator[tuple[str, int]]:
    """Yields file and line of each frame, without the traceback module.

    That module may import something that calls eval, and after an eval Python ends with status 1 where Ctrl-C would
    have ended it by SIGINT.
    """
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"  # as Python says it


def without_ours(trace: Any) -> Any:
    """Returns a traceback without the frames that watching added to it."""
    here = os.path.dirname(os.path.abspath(__file__)) + os.sep
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(here):
        trace = trace.tb_next
    last = trace
    while last is not None and last.tb_next is not None:
        if last.tb_next.tb_frame.f_code.co_filename.startswith(here):
            last.tb_next = last.tb_next.tb_next
        else:
            last = last.tb_next
    return trace


def _explained(error: BaseException) -> str | None:
    """Lets tf1mem add its note to the error, and returns the note."""
    root = os.path.abspath(os.path.join(__file__, *[os.pardir] * 5))
    sys.path.append(root)
    try:
        from tf1mem import oom

        if oom.note_of(error) is None:
            try:
                with oom.explain_oom():
                    raise error
            except BaseException as raised:
                if raised is not error:
                    raise
        return oom.note_of(error)
    except Exception as problem:  # the script's own error is what counts
        record.write("unseen", what=f"why memory ran out ({type(problem).__name__}: {problem})")
        return None
    finally:
        if root in sys.path:
            sys.path.remove(root)


def note_end() -> None:
    """Records the state at the end of the script, once; starts nothing."""
    global _ended
    if _ended:
        return
    _ended = True
    tf = sys.modules.get("tensorflow")
    record.write(
        "end",
        tensorflow=getattr(tf, "__version__", None),
        keras={
            name: str(getattr(sys.modules[name], "__version__", "?"))
            for name in ("keras", "tf_keras")
            if name in sys.modules
        },
        environment=set_variables.snapshot(),
        sessions=hooks.session_counts(),
        memory=_memory(tf),
        soft_placement=_soft_placement(),
        tf1mem=_tf1mem_report(),
    )


def _context() -> Any:
    """Returns the eager context if it has started, or None."""
    context = getattr(hooks.context_module(), "_context", None)
    return context if getattr(context, "_context_handle", None) is not None else None


def _memory(tf: Any) -> dict[str, Any]:
    """Returns the memory that TensorFlow's allocators report for each logical GPU, if the eager context has started."""
    context = _context()
    config: Any = getattr(getattr(tf, "config", None), "experimental", None)
    usage: dict[str, Any] = {}
    for device in getattr(context, "_logical_devices", None) or ():
        if device.device_type != "GPU":
            continue
        name = device.name.rsplit("device:", 1)[-1]
        try:
            if hasattr(config, "get_memory_info"):
                usage[name] = {key: int(value) for key, value in config.get_memory_info(name).items()}
            elif hasattr(config, "get_memory_usage"):
                usage[name] = {"current": int(config.get_memory_usage(name))}
        except Exception as error:
            usage[name] = {"error": f"{type(error).__name__}: {error}"[:200]}
    return usage


def _soft_placement() -> bool | None:
    context = _context()
    try:
        return None if context is None else bool(context.soft_device_placement)
    except Exception:
        return None


def _tf1mem_report() -> list[dict[str, Any]]:
    """Returns tf1mem's own report, a line a setting, if the script used tf1mem."""
    try:
        report_lines: list[dict[str, Any]] = sys.modules["tf1mem.applying.apply"].report().as_dict()["lines"]
        return report_lines
    except Exception:  # KeyError: it isn't loaded
        return []
