"""One process of figures.py, on a simulated GPU: `figures_program.py OUT TRAINING BATCH…`; TRAINING is JSON.

It is a TensorFlow 1 program: the graph of a model of tf.keras.applications without weights, with `image` (height,
width), `classes` and `optimizer`, of which a Session runs the training step. For each batch size, in ascending order,
it writes bytes to OUT, as JSON: `peak` and `limit` of `tf1mem.estimate` for the step, and `simulated`, the most that
TensorFlow's allocator had in use on the GPU in two runs of it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Mapping

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

MIB = 2**20
OPTIMIZERS = {
    "adagrad": "AdagradOptimizer",
    "adam": "AdamOptimizer",
    "rmsprop": "RMSPropOptimizer",
    "sgd": "GradientDescentOptimizer",
}


def graph(tf: Any, training: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Returns the placeholders of images and labels, and the training step."""
    shape = (*training["image"], 3)
    images, labels = tf.placeholder(tf.float32, (None, *shape)), tf.placeholder(tf.int32, (None,))
    tf.keras.backend.set_learning_phase(1)
    create = getattr(tf.keras.applications, training["model"])
    inputs = tf.keras.Input(tensor=images)
    model = create(weights=None, input_shape=shape, input_tensor=inputs, classes=training["classes"])
    loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, model.output))
    optimizer = getattr(tf.train, OPTIMIZERS[training["optimizer"]])(0.001)
    return images, labels, tf.group(optimizer.minimize(loss), *model.updates)


def main() -> None:
    """Writes the figures."""
    import numpy as np

    import tf1mem
    import tf1mem.v1 as tf

    out, training, batches = sys.argv[1], json.loads(sys.argv[2]), sorted(map(int, sys.argv[3:]))
    images, labels, step = graph(tf, training)
    shape = training["image"]
    figures: dict[int, dict[str, int]] = {}
    for batch in batches:
        specs = {images: ((batch, *shape, 3), "float32"), labels: ((batch,), "int32")}
        estimate = tf1mem.estimate(step, specs, on="gpu")
        figures[batch] = {"peak": estimate.peak, "limit": estimate.limit_mib * MIB}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for batch in batches:
            feeds = {images: np.zeros((batch, *shape, 3), np.float32), labels: np.zeros((batch,), np.int32)}
            for _ in range(2):
                session.run(step, feeds)
            with tf.device("/gpu:0"):
                figures[batch]["simulated"] = int(session.run(tf.contrib.memory_stats.MaxBytesInUse()))
    Path(out).write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
