"""Starts a recorded process: sets seeds, wraps TensorFlow, and runs the program by Python or by `tf1mem run`."""

from __future__ import annotations

import atexit
import json
import os
import platform
import runpy
import sys
import time
from typing import Any, Callable, Sequence

from tf1mem.hooks import finder
from tf1mem.hooks.wrappers import put_around
from tf1mem.verifying.recording import order
from tf1mem.verifying.recording.causes import cause
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.recording.notes import UNWRITTEN, Notes
from tf1mem.verifying.recording.processes import Children, end_with_parent
from tf1mem.verifying.recording.sessions import Recorder
from tf1mem.verifying.recording.written_files import WrittenFiles


def main(text: str) -> None:
    """Runs the program of a job.

    Args:
        text: The job's fields, as JSON.
    """
    end_with_parent()
    job = Job(**json.loads(text))
    notes = Notes(job.folder)
    started = time.time()
    exit_now = os._exit

    written = WrittenFiles(job.root)

    def finish(end: str) -> None:
        written.note(notes)
        applied = sys.modules.get("tf1mem.applying.in_force")
        if applied is not None and applied.NOW.config is not None:
            notes.fields["applied"] = str(applied.NOW.config)
        notes.fields.update(versions=versions(), seconds=round(time.time() - started, 3), end=end, peak=_peak())
        try:
            recorder.data.write()
            notes.write()
        except OSError as error:
            print(error, file=sys.stderr)
            exit_now(UNWRITTEN)

    def count(processes: int) -> None:
        notes.fields["processes"] = processes

    recorder = Recorder(job, notes, finish)
    put_around(os, "_exit", lambda original: _after(recorder.exit, original))
    Children(count, recorder.turn_off)
    notes.fields.update(seeds=job.seed, root=job.root)
    if job.cpu >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {job.cpu})  # kernels split their sums by the number of CPUs
    _seed(job.seed)
    finder.install()
    finder.when_loaded("python.client.session", recorder.around)
    finder.when_loaded("python.ops.resource_variable_ops", recorder.eager.around_variables)
    finder.when_loaded("python.ops.gradients_util", recorder.around_gradients)
    finder.when_loaded("python.ops.control_flow_ops", order.around_loops)
    finder.when_loaded("python.ops.while_v2", order.around_loops_of_functions)
    finder.when_loaded("python.framework.importer", order.around_imports)
    finder.when_loaded("python.data.ops.dataset_ops", order.around_datasets)
    finder.when_loaded("python.eager.context", recorder.eager.around)
    finder.when_loaded("python.summary.writer.event_file_writer", written.around)
    atexit.register(recorder.exit)
    sys.argv[:] = [job.program, *job.arguments]
    try:
        _run(job)
    except SystemExit:
        raise  # the exit status says it
    except BaseException as error:
        notes.fields["raised"] = ": ".join(filter(None, (type(error).__name__, cause(str(error)))))
        raise


def _after(act: Callable[[], None], original: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        act()
        return original(*args, **kwargs)

    return wrapped


def _seed(seed: int) -> None:
    import random

    random.seed(seed)
    try:
        import numpy as np
    except ImportError:
        return
    np.random.seed(seed)


def _run(job: Job) -> None:
    # The first entry is the program's folder; under `tf1mem run`, the runner replaces it.
    sys.path[:] = [os.path.dirname(os.path.abspath(job.program)), *job.paths, *_without(job.paths, sys.path)]
    if job.paths:
        os.environ["PYTHONPATH"] = os.pathsep.join(job.paths)  # for Python processes that the program starts
    if job.mode == "plain":
        runpy.run_path(job.program, run_name="__main__")
        return
    from tf1mem import runner

    repair_options = runner.RepairOptions(packages=job.packages)
    runner.launch(runner.script(job.program, job.arguments), repair_options=repair_options)


def _without(paths: Sequence[str], others: Sequence[str]) -> list[str]:
    return [path for path in others if path not in paths]


def versions() -> dict[str, str]:
    """Returns the versions of Python and of the loaded libraries that affect numbers."""
    numbers = {"python": platform.python_version()}
    for name in ("tensorflow", "numpy", "keras", "tf_keras", "pandas", "sklearn", "scipy", "PIL"):
        module: Any = sys.modules.get(name)
        version = getattr(module, "__version__", None)
        if isinstance(version, str):
            numbers[name] = version
    return numbers


def _peak() -> int:
    """Returns the process's peak of memory in bytes; 0 if the system doesn't report it."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
