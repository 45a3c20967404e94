"""Runs tf_upgrade_v2 on the files that standard input names, in a Python with TensorFlow that may lack tf1mem."""

from __future__ import annotations

import ast
import json
import os
import signal
import sys
import time


def _too_long(number, frame):  # type: ignore[no-untyped-def]
    raise TimeoutError


def main():  # type: ignore[no-untyped-def]
    folder, seconds = sys.argv[1], int(sys.argv[2])
    import tensorflow
    from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    out.write(json.dumps({"tensorflow": tensorflow.__version__, "start_cpu_seconds": time.process_time()}) + "\n")
    signal.signal(signal.SIGALRM, _too_long)
    upgraded = os.path.join(folder, "upgraded.py")
    for path in sys.stdin.read().splitlines():
        started = time.process_time()
        signal.alarm(seconds)
        try:
            upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
            # The same as tf_upgrade_v2's main() with --infile and --outfile.
            if path.endswith(".ipynb"):
                from tensorflow.tools.compatibility import ipynb

                ipynb.process_file(path, upgraded, upgrader)
            else:
                upgrader.process_file(path, upgraded)
            outcome = _outcome(path, upgraded)
        except TimeoutError:
            outcome = "took too long"
        except BaseException as error:
            outcome = "traceback: " + type(error).__name__
        finally:
            signal.alarm(0)
        out.write(json.dumps({"outcome": outcome, "cpu_seconds": time.process_time() - started}) + "\n")
        out.flush()


def _outcome(path, upgraded):  # type: ignore[no-untyped-def]
    with open(path, "rb") as old, open(upgraded, "rb") as new:
        before, after = old.read(), new.read()
    if not after and before:
        return "cut to 0 bytes"
    if not path.endswith(".ipynb"):
        try:
            ast.parse(before)
        except (SyntaxError, ValueError):
            return "rewritten, Python 2"
        try:
            ast.parse(after)
        except (SyntaxError, ValueError):
            return "doesn't parse any more"
    return "unchanged" if before.split() == after.split() else "rewritten"


if __name__ == "__main__":
    main()
