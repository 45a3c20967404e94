"""Runs in each Python process of a program of `tf1mem run`: Python imports a module of this name when it starts.

Afterwards the environment's own module of this name is imported in its place. Every Python must be able to read this
file, even 2.7.
"""

import os
import sys


def _begin():
    # type: () -> None
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        if sys.version_info >= (3, 7) and os.environ.get("TF1MEM_RUN_CHILDREN"):
            begin = __import__("_tf1mem_child").begin
        else:
            begin = None
    finally:
        sys.path[:] = [entry for entry in sys.path if entry != here and os.path.abspath(entry or os.curdir) != here]
    if begin is not None:
        begin()
    elif os.environ.get("TF1MEM_RUN_CHILDREN"):
        _report_too_old()
    mine = sys.modules.pop(__name__)
    try:
        __import__(__name__)
    except ImportError as error:
        if getattr(error, "name", __name__) != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, mine)


def _report_too_old():
    # type: () -> None
    # The third part is the folder of the records, "" without a report: see `value` in _tf1mem_variable.py.
    folder = os.environ["TF1MEM_RUN_CHILDREN"].split("|", 4)[2]
    if folder:
        try:
            with open(os.path.join(folder, "%d.message" % os.getpid()), "w") as file:
                version = "%d.%d" % sys.version_info[:2]
                file.write("python%s\nPython %s is older than tf1mem: it ran unchanged" % (version, version))
        except EnvironmentError:  # noqa: UP024 - Python 2's name of OSError
            pass


if __name__ == "sitecustomize":
    _begin()
