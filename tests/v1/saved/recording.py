"""Saves the net of net.py in three ways, and checkpoints of the nets of nets.py; or checks their recorded results.

Usage, from the root of the repository, on TensorFlow 1.15.5:

    python -m tests.v1.saved.recording             saves them in tests/v1/saved/data/
    python -m tests.v1.saved.recording --check     exits with 1 if a result differs from its recording
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from . import net, nets

DATA = Path(__file__).resolve().parent / "data"
TENSORFLOW = "1.15.5"


def save(tf: Any, sess: Any, words: Any, lengths: Any, likely: Any) -> None:
    """Saves the net in `DATA`: as a checkpoint, as a frozen graph, and as a SavedModel."""
    shutil.rmtree(str(DATA), ignore_errors=True)
    (DATA / "trained").mkdir(parents=True)
    (DATA / "nets").mkdir()
    tf.train.Saver(save_relative_paths=True).save(sess, str(DATA / "trained" / "model"))
    frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, [likely.op.name])
    tf.train.write_graph(frozen, str(DATA), "frozen.pb", as_text=False)
    inputs = {"words": words, "lengths": lengths}
    tf.saved_model.simple_save(sess, str(DATA / "saved_model"), inputs, {"likely": likely})


def computed(sess: Any, fetches: list[Any]) -> Any:
    """Runs a net's fetches in order; returns the last one's values, as lists of numbers."""
    *_, last = [sess.run(fetch) for fetch in fetches]
    return [value.tolist() for value in (last if isinstance(last, list) else [last])]


def _results_of_nets(tf: Any, folder: Any) -> dict[str, Any]:
    """Returns the results of the nets of nets.py; saves their checkpoints in a folder, unless that is None."""
    computed_by = {}
    for name, build in nets.NETS.items():
        with tf.Graph().as_default(), tf.Session() as sess:
            fetches = build(tf)
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            net.fill(tf, sess, 0.5)
            if folder is not None:
                tf.train.Saver().save(sess, str(folder / name), write_meta_graph=False, write_state=False)
            computed_by[name] = computed(sess, fetches)
    return computed_by


def main(arguments: list[str]) -> int:
    """Saves or checks; returns 1 if a result differs."""
    import tensorflow as tf

    assert tf.__version__ == TENSORFLOW, f"this Python has TensorFlow {tf.__version__}"
    if arguments not in ([], ["--check"]):
        raise SystemExit(__doc__)
    words, lengths, likely = net.build(tf)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        net.fill(tf, sess)
        likely_words = sess.run(likely, {words: net.WORDS, lengths: net.LENGTHS}).tolist()
        if not arguments:
            save(tf, sess, words, lengths, likely)
    results = _results_of_nets(tf, None if arguments else DATA / "nets")
    recorded = {"likely.json": likely_words, "nets.json": results}
    if arguments:
        return int(any(json.loads((DATA / name).read_text("utf-8")) != value for name, value in recorded.items()))
    for name, value in recorded.items():
        (DATA / name).write_text(json.dumps(value, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
