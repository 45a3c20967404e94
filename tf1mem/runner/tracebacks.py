"""Tracebacks of the program, without the frames that tf1mem added below it."""

from __future__ import annotations

import os
import sys
from types import TracebackType

_OURS = os.path.dirname(__file__) + os.sep


def hide_our_frames(error: BaseException) -> None:
    """Makes the traceback of `error` begin where the program does, when Python comes to show it.

    The error still has to go up through tf1mem's frames. So `sys.excepthook`, the program's own if it set one, is
    wrapped at the last moment; everything else that Python does at the end stays Python's.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    clean = trace
    show = sys.excepthook

    def excepthook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = show
        if value is error:
            trace = value.__traceback__ = clean
        show(kind, value, trace)

    sys.excepthook = excepthook
