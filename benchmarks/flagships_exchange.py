"""Runs a program on one side; when it ends, reads the checkpoint that the other side's program wrote.

Usage: flagships_exchange.py MINE THEIRS SECONDS SCRIPT [ARGUMENT …]

Each checkpoint that the program writes by a `tf.train.Saver` is copied into the folder MINE, the last one stays. Beside
it are the values of all variables at that time, and a batch: what the losses, of which the program has computed
gradients, are computed from apart from variables (examples, random draws, results of Python functions).

When the program has ended, its own Saver restores that checkpoint into a new Session of its graph, which computes the
losses of the batch. Then this waits for the other side's checkpoint in the folder THEIRS, for at most SECONDS, and does
the same with it. Every variable is compared with the value that the other side had, and the losses of the other side's
batch with those that it computed. MINE/result.json has the outcome, or why there is none.

Every graph without a seed gets one, and loops run one iteration at a time, so that random ops inside loops, which can't
be fed, draw the same in new Sessions.

This file is copied beside SCRIPT, as a part of the program: it is TensorFlow 1's, and independent of tf1mem's code.
"""

from __future__ import annotations

import collections
import glob
import json
import os
import pickle
import re
import runpy
import shutil
import sys
import time

import numpy as np
import tensorflow as tf
from tensorflow.python.client.session import BaseSession
from tensorflow.python.ops import control_flow_ops, gradients_util

MINE, THEIRS, SECONDS, SCRIPT = sys.argv[1:5]
_losses = collections.defaultdict(list)  # type: ignore[var-annotated] # graph -> loss tensors
_feeds = {}  # type: ignore[var-annotated] # graph -> name of a placeholder -> the value that was fed last
_last = None  # the last (Saver, graph, config) by which the program wrote a checkpoint
_helper, _run, _save = gradients_util._GradientsHelper, BaseSession.run, tf.train.Saver.save
_make_graph, _seed, _make_loop = tf.Graph.__init__, tf.Graph.seed, control_flow_ops.WhileContext.__init__
# Ops of which each run may give other values: those of batches, random numbers and Python functions.
_DRAWN = re.compile("IteratorGetNext|Dequeue|Random|TruncatedNormal|Multinomial|CandidateSampler|PyFunc")


def _seeding(graph, *args, **kwargs):
    """Makes a graph, and seeds it unless it is a function's, which takes the seed of the graph around it."""
    _make_graph(graph, *args, **kwargs)
    if type(graph).__name__ == "Graph":
        graph.seed = 1


def _set_seed(graph, seed):
    """Seeds a graph; None, as an Estimator without a seed sets it, becomes 1."""
    _seed.fset(graph, 1 if seed is None and type(graph).__name__ == "Graph" else seed)


def _looping(context, *args, **kwargs):
    """Makes a loop's context; iterations at once would take random numbers in any order."""
    _make_loop(context, *args, **kwargs)
    context._parallel_iterations = 1


def _gradients(ys, *args, **kwargs):
    """Computes gradients, and keeps what they are computed of."""
    for y in ys if isinstance(ys, (list, tuple)) else [ys]:
        if isinstance(y, tf.Tensor) and y.dtype.is_floating and y.op._get_control_flow_context() is None:
            _losses[y.graph].append(y)
    return _helper(ys, *args, **kwargs)


def _running(session, fetches, feed_dict=None, *args, **kwargs):
    """Runs a Session, and keeps what is fed."""
    for key, value in (feed_dict or {}).items():
        if isinstance(key, tf.Tensor):
            _feeds.setdefault(session.graph, {})[key.name] = value
    return _run(session, fetches, feed_dict, *args, **kwargs)


def _saving(saver, session, save_path, *args, **kwargs):
    """Saves a checkpoint, copies it, and keeps the values of variables, and a batch."""
    global _last
    path = _save(saver, session, save_path, *args, **kwargs)
    raw = session
    while not isinstance(raw, BaseSession) and hasattr(raw, "_sess"):
        raw = raw._sess
    for name in glob.glob(MINE + "/model.ckpt*"):
        os.remove(name)
    for name in glob.glob(glob.escape(path) + ".*"):
        if not name.endswith(".meta"):
            shutil.copy(name, MINE + "/model.ckpt" + name[len(path) :])
    saved = [name for name, _ in tf.train.list_variables(MINE + "/model.ckpt")]
    kept = {"values": _plain(_values(raw)), "saved": saved, "writes": os.path.basename(path), **_batch(raw)}
    with open(MINE + "/kept.partial", "wb") as file:
        pickle.dump(kept, file, 2)
    os.replace(MINE + "/kept.partial", MINE + "/kept.pickle")
    _last = saver, raw.graph, raw._config
    return path


def _plain(arrays):
    """Returns arrays in a form that any NumPy reads, by name: a pickled array of NumPy 2 is none to NumPy 1."""
    plain = {}
    for name, value in arrays.items():
        array = np.asarray(value)
        is_text = array.dtype.kind in "OSU"
        plain[name] = array.shape, "O" if is_text else array.dtype.str, array.tolist() if is_text else array.tobytes()
    return plain


def _arrays(plain):
    """Returns the arrays that `_plain` has made, by name."""
    arrays = {}
    for name, (shape, dtype, value) in plain.items():
        is_text = dtype == "O"
        arrays[name] = np.array(value, object).reshape(shape) if is_text else np.frombuffer(value, dtype).reshape(shape)
    return arrays


def _variables(graph):
    with graph.as_default():
        return {variable.op.name: variable for variable in tf.global_variables() + tf.local_variables()}


def _values(session):
    """Returns the values of the variables that are initialized, by name; it adds nothing to the graph."""
    variables = _variables(session.graph)
    try:
        return _run(session, variables)
    except tf.errors.FailedPreconditionError:  # some aren't initialized
        values = {}
        for name, variable in variables.items():
            try:
                values[name] = _run(session, variable)
            except tf.errors.FailedPreconditionError:
                pass
        return values


def _sources(loss):
    """Returns the tensors that a loss is computed from and that aren't functions of variables, by name."""
    sources, seen, stack = {}, set(), [loss]
    while stack:
        tensor = stack.pop()
        op = tensor.op
        if op.type.startswith("Placeholder") or (_DRAWN.search(op.type) and op._get_control_flow_context() is None):
            sources[tensor.name] = tensor
        elif op not in seen:
            seen.add(op)
            stack += op.inputs
    return sources


def _batch(session):
    """Returns the values of what the losses are computed from, apart from variables."""
    sources = {}
    for loss in _losses[session.graph]:
        sources.update(_sources(loss))
    fed = {name: value for name, value in _feeds.get(session.graph, {}).items() if name in sources}
    drawn = {name: source for name, source in sources.items() if not source.op.type.startswith("Placeholder")}
    try:
        values = _run(session, drawn, fed, tf.RunOptions(timeout_in_ms=60000)) if drawn else {}
    except (tf.errors.OpError, ValueError, TypeError) as error:
        return {"batch": {}, "no_batch": str(error).splitlines()[0]}
    return {"batch": _plain(dict(values, **fed)), "no_batch": ""}


def _read(folder):
    """Returns what the program of a side has kept."""
    with open(folder + "/kept.pickle", "rb") as file:
        kept = pickle.load(file)
    return dict(kept, values=_arrays(kept["values"]), batch=_arrays(kept["batch"]))


def _restored(folder, kept):
    """Restores a checkpoint in a new Session, where random draws begin anew; returns the variables and the losses."""
    saver, graph, config = _last
    with tf.Session(graph=graph, config=config) as session:
        saver.restore(session, folder + "/model.ckpt")
        values, variables = _values(session), _variables(graph)
        # Variables that the program doesn't save, such as those of another Saver, are what they were at that time.
        for name in set(kept["values"]) & (set(variables) - set(values)):
            variables[name].load(kept["values"][name], session)
        losses = {} if kept["no_batch"] else {loss.name: loss for loss in _losses[graph]}
        return values, _run(session, losses, kept["batch"]) if losses else {}


def _exchange():
    """Reads the other side's checkpoint, and returns how its values compare."""
    end = time.time() + float(SECONDS)
    while not os.path.exists(THEIRS + "/ended"):
        if time.time() > end:
            return {"error": "the other side didn't end"}
        time.sleep(0.2)
    if _last is None or not os.path.exists(THEIRS + "/losses.pickle"):
        return {"error": "no checkpoint was written"}
    theirs = _read(THEIRS)
    with open(THEIRS + "/losses.pickle", "rb") as file:
        expected = _arrays(pickle.load(file))
    values, losses = _restored(THEIRS, theirs)
    different = set(theirs["values"]) & set(theirs["saved"]) - set(values)
    different |= {name for name, value in values.items() if not _is_same(value, theirs["values"].get(name))}
    pairs = [(np.asarray(losses[name]), expected[name]) for name in sorted(set(losses) & set(expected))]
    return {
        "error": "",
        "checkpoint": theirs["writes"],
        "variables": len(values),
        "elements": int(sum(np.size(value) for value in values.values())),
        "different": sorted(different),
        "losses": [[float(mine.mean()), float(other.mean())] for mine, other in pairs],
        "largest_ratio": float(np.max([_ratio(*pair) for pair in pairs])) if pairs else None,  # NaN if one is
        "no_batch": theirs["no_batch"],
    }


def _is_same(value, other):
    return other is not None and np.array_equal(value, other)


def _ratio(value, other):
    """Returns the largest difference of two arrays, relative to the largest magnitude."""
    return float(np.max(np.abs(value - other)) / max(np.max(np.abs(other)), 1e-30))


if __name__ == "__main__":
    gradients_util._GradientsHelper = _gradients
    BaseSession.run, tf.train.Saver.save = _running, _saving
    tf.Graph.__init__, tf.Graph.seed = _seeding, property(_seed.fget, _set_seed)
    control_flow_ops.WhileContext.__init__ = _looping
    sys.argv = sys.argv[4:]
    try:
        runpy.run_path(SCRIPT, run_name="__main__")
    except SystemExit as ended:
        if ended.code:
            raise
    BaseSession.run = _run
    if _last is not None:
        with open(MINE + "/losses.pickle", "wb") as losses:
            pickle.dump(_plain(_restored(MINE, _read(MINE))[1]), losses, 2)
    open(MINE + "/ended", "w").close()
    with open(MINE + "/result.partial", "w", encoding="utf-8") as result:
        json.dump(_exchange(), result)
    os.replace(MINE + "/result.partial", MINE + "/result.json")
