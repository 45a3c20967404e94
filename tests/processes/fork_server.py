"""A process that imports modules once and forks for each program: 0.3 s a program instead of 3 to 6 s.

Usage: fork_server.py [MODULE ...]

It imports the modules in that order. Then it reads requests from its standard input and writes answers to its standard
output, each a line of JSON. The keys of a request are "number"; "argv", the program's path and arguments; "by_run",
true to run the program as `tf1mem run` does; "folder", the working directory; "environment", variables to set, or to
remove if null; "out" and "err", files for the output. There are two answers: {"number", "pid"} when the program has
started, and {"number", "status"} at its end, with the status of `os.waitpid`.

Programs run side by side, because TensorFlow waits ten seconds for memory before it refuses an allocation
(tensorflow/core/common_runtime/allocator_retry.cc), which takes no processor time. Each program has a process in which
nothing has been set and no runtime started, as after the imports in a new Python. A test of imports themselves needs a
new Python.

This file is independent of tf1mem's code: it runs on every TensorFlow's Python, and imports only the standard library
and the MODULEs.
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import gc
import importlib
import json
import os
import select
import signal
import sys
import threading
import time


def serve():
    """Serves requests until the input has ended, and the last program, too. Returns in a child only: its request."""
    gc.collect()
    gc.freeze()  # a garbage collection in a child would write to every page with an object, which copies the page
    answers = os.dup(1)
    os.dup2(2, 1)  # so that the output of modules doesn't mix with the answers
    reading, unread, running = True, b"", {}
    while reading or running:
        if not reading:
            time.sleep(0.02)
        elif select.select([0], [], [], 0.02 if running else None)[0]:
            received = os.read(0, 1 << 16)
            reading = bool(received)
            *lines, unread = (unread + received).split(b"\n")
            for line in lines:
                request = json.loads(line.decode())
                process = os.fork()
                if process == 0:
                    os.close(answers)
                    return request
                running[process] = request["number"]
                answer(answers, number=request["number"], pid=process)
        while running:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                break
            if process in running:
                answer(answers, number=running.pop(process), status=status)
    os._exit(0)


def answer(file, **message):
    """Writes an answer to a file descriptor."""
    os.write(file, json.dumps(message).encode() + b"\n")


def become(request):
    """Gives this child the streams, the folder and the environment of a request."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["folder"])
    written = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    for number, path in enumerate((os.devnull, request["out"], request["err"])):
        file = os.open(path, written if number else os.O_RDONLY)
        os.dup2(file, number)
        os.close(file)
    faulthandler.register(signal.SIGUSR2)  # writes where each thread is, for a program that doesn't end
    for name, value in request["environment"].items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def run(argv, by_run):
    """Runs a program as Python runs it, or as `tf1mem run` does."""
    if by_run:
        from tf1mem import runner

        runner.launch(runner.script(argv[0], argv[1:]))
    else:
        import runpy

        sys.argv, sys.path[0] = argv, os.path.dirname(argv[0])
        runpy.run_path(argv[0], run_name="__main__")


def run_and_end(argv, by_run):
    """Runs a program and ends this process as Python does, but without deleting Python's objects.

    Deleting all of TensorFlow's objects would be ten times the work of most programs here. The steps that a program can
    notice are done: waiting for threads, calling the functions registered with atexit, and C's exit.
    """
    status = 1
    try:
        run(argv, by_run)
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if not isinstance(stop.code, (int, type(None))):
            print(stop.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).exit(status & 0xFF)


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # replaced by each program's own folder
    gc.disable()  # collections take a seventh of TensorFlow's import, and find hardly anything
    for module in sys.argv[1:]:
        importlib.import_module(module)
    gc.enable()
    request = serve()
    become(request)
    run_and_end(request["argv"], request["by_run"])
