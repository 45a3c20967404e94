"""A process that imports TensorFlow once and forks for each case, before the runtime starts.

Usage: server.py [MODULE ...]: imports the modules, in that order; then reads a request a line from its input, and
writes an answer a line to its output. A request: {"number", "program" (argv), "run" (by tf1mem run), "folder",
"environment" (null takes a variable out)}. An answer: {"number", "status"}, as `os.waitpid` gives it. Requests are
served side by side, because TensorFlow waits ten seconds for memory to come back before it refuses an allocation
(tensorflow/core/common_runtime/allocator_retry.cc), and that costs nothing but time.

It stands alone: it runs on every TensorFlow's Python, and imports nothing but what it was asked to.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import time
import traceback


def run_program(argv: list[str], by_tf1mem_run: bool) -> None:
    """Runs a script as Python runs it, or as `tf1mem run` does."""
    if by_tf1mem_run:
        from tf1mem import runner

        runner.launch(runner.script(argv[0], argv[1:]))
    else:
        import runpy

        sys.argv = argv
        sys.path[0] = os.path.dirname(argv[0])
        runpy.run_path(argv[0], run_name="__main__")


def child(request: dict) -> None:
    """The case's own process, from the fork to its end."""
    status = 1
    try:
        os.chdir(request["folder"])
        with open("output.txt", "wb") as output, open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        for name, value in request["environment"].items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        try:
            run_program(request["program"], request["run"])
            status = 0
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def serve() -> None:
    """Serves until the input ends and the last case has."""
    gc.collect()
    gc.freeze()  # a collection in a child would write into, and so copy, every page that holds an object
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what TensorFlow prints is not an answer
    requests, unread, running = 0, b"", {}
    while requests is not None or running:
        if requests is not None and select.select([0], [], [], 0.02)[0]:
            got = os.read(0, 1 << 16)
            requests = None if not got else requests
            *lines, unread = (unread + got).split(b"\n")
            for line in lines:
                request = json.loads(line.decode())
                process = os.fork()
                if process == 0:
                    answers.close()
                    signal.signal(signal.SIGINT, signal.SIG_DFL)
                    child(request)
                running[process] = request["number"]
        elif requests is None:
            time.sleep(0.02)
        while running:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                break
            number = running.pop(process, None)
            if number is not None:
                answers.write(json.dumps({"number": number, "status": status}) + "\n")
                answers.flush()


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # replaced by each program's own folder
    for module in sys.argv[1:]:
        importlib.import_module(module)
    serve()
