"""One process of estimates.py: `estimates_program.py OUT estimate|train MODEL SIZE BATCH [LIMIT_MIB]`.

It creates a model of tf.keras.applications without weights. With `estimate` it writes the figures of `tf1mem.estimate`
for the model's training step to OUT, as JSON. With `train` it writes the allocator's own peak for three calls of
`train_on_batch` on the first GPU. LIMIT_MIB is TensorFlow's memory_limit; "ran" is false if a call failed under it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def compiled(tf: Any, name: str, size: int) -> Any:
    model = getattr(tf.keras.applications, name)(weights=None, input_shape=(size, size, 3))
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", jit_compile=False)
    return model


def estimated(tf: Any, name: str, size: int, batch: int) -> dict[str, Any]:
    import tf1mem

    model = compiled(tf, name, size)
    start, used = time.monotonic(), os.times()
    estimate = tf1mem.estimate(model, batch_size=batch, on="gpu")
    wall_s = time.monotonic() - start
    cpu_s = sum(os.times()[:4]) - sum(used[:4])
    values = estimate.as_dict()
    kept = ("peak", "growth_peak", "fit_mib", "limit_mib", "tries")
    return {**{name: values[name] for name in kept}, "wall_s": wall_s, "cpu_s": cpu_s}


def trained(tf: Any, name: str, size: int, batch: int, limit_mib: int | None) -> dict[str, Any]:
    import numpy as np

    if limit_mib:
        (gpu,) = tf.config.list_physical_devices("GPU")
        tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=limit_mib)])
    model = compiled(tf, name, size)
    images, labels = np.zeros((batch, size, size, 3), np.float32), np.zeros((batch,), np.int32)
    try:
        model.train_on_batch(images, labels)
        first = tf.config.experimental.get_memory_info("GPU:0")["peak"]
        tf.config.experimental.reset_memory_stats("GPU:0")
        for _ in range(2):
            model.train_on_batch(images, labels)
    except tf.errors.OpError as error:
        return {"ran": False, "why": f"{type(error).__name__}: {error.message[:300]}"}
    return {"ran": True, "first_peak": first, "peak": tf.config.experimental.get_memory_info("GPU:0")["peak"]}


def main() -> None:
    """Writes the figures."""
    import tensorflow as tf

    out, what, name, size, batch, *limit = sys.argv[1:]
    arguments = (tf, name, int(size), int(batch))
    result = estimated(*arguments) if what == "estimate" else trained(*arguments, int(limit[0]) if limit else None)
    Path(out).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
