"""Runs one program of training.py by `tf1mem run`: `training_program.py OUT STEPS [-m] SCRIPT ARGUMENTS…`.

After the program's first STEPS training steps it writes their losses to OUT, as JSON, and on a GPU the allocator's own
peak, and ends the program. A training step is a Session's run that updates variables by gradients. Its losses are the
tensors whose gradients these are; they are fetched along with the program's own fetches.

Every graph, NumPy and `random` have the same seed, and ops run one at a time. The peak may still differ between runs:
an op that needs a copy from the host starts only when TensorFlow has noticed the end of the copy.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any, Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tf1mem.__main__ import main as run_tf1mem  # before TensorFlow, whose start it sees

SEED = 1
# Assign, AssignSubVariableOp, ApplyAdam, ResourceSparseApplyAdam, ScatterSub
_UPDATES = re.compile("Assign|Apply|Scatter.*(Add|Sub|Update)$")
ONE_AT_A_TIME = {"inter_op_parallelism_threads": 1, "intra_op_parallelism_threads": 1}


class Steps:
    """Detects a program's training steps, and records their losses.

    Attributes:
        losses: The losses of each step so far.
    """

    def __init__(self, out: Path, count: int) -> None:
        self.losses: list[list[float]] = []
        self._out, self._count = out, count
        self._gradients: list[tuple[list[Any], set[Any]]] = []  # losses, and the ops that compute their gradients
        self._losses_of_op: dict[Any, list[Any]] = {}

    def record_gradients(self, ys: Any, gradients: Any) -> None:
        """Records that gradients of `ys` were created."""
        gradient_ops = {getattr(gradient, "values", gradient).op for gradient in gradients if gradient is not None}
        of = ys if isinstance(ys, (list, tuple)) else [ys]
        self._gradients.append(([y for y in of if hasattr(y, "op")], gradient_ops))

    def losses_of(self, fetches: Any, graph: Any) -> list[Any]:
        """Returns the losses of a run that trains, or an empty list for any other run."""
        losses: list[Any] = []
        for op in _ops(fetches, graph):
            if op not in self._losses_of_op:
                updates = [_before(earlier) for earlier in _before(op) if _UPDATES.search(earlier.type)]
                self._losses_of_op[op] = [
                    y
                    for ys, gradient_ops in self._gradients
                    for y in ys
                    if any(before & gradient_ops for before in updates) and graph.is_fetchable(y)
                ]
            losses += [y for y in self._losses_of_op[op] if not any(y is other for other in losses)]
        return losses

    def record_losses(self, values: list[Any]) -> None:
        """Records the losses of a step. After the last step it writes the results and ends the program."""
        import numpy as np

        self.losses.append([float(np.mean(value, dtype=np.float64)) for value in values])
        if len(self.losses) == self._count:
            self._out.write_text(json.dumps({"losses": self.losses, "peak": _peak()}), encoding="utf-8")
            raise SystemExit(0)


def _ops(fetches: Any, graph: Any) -> Iterator[Any]:
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for fetch in fetches:
            yield from _ops(fetch, graph)
    elif isinstance(fetches, str):
        yield from _ops(graph.as_graph_element(fetches), graph)
    elif fetches is not None:
        op = getattr(fetches, "op", fetches)
        if hasattr(op, "control_inputs"):
            yield op


def _before(op: Any) -> set[Any]:
    """Returns an op and all ops that run before it."""
    seen, next_ones = {op}, [op]
    while next_ones:
        current = next_ones.pop()
        new = {*(tensor.op for tensor in current.inputs), *current.control_inputs} - seen
        seen |= new
        next_ones.extend(new)
    return seen


def _peak() -> int | None:
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None


def watch(steps: Steps) -> None:
    """Hooks TensorFlow's gradients and Sessions' runs to record steps, and gives graphs a seed."""
    from tensorflow.python.client import session
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import gradients_util

    helper, run = gradients_util._GradientsHelper, session.BaseSession.run

    def gradients(ys: Any, *args: Any, **kwargs: Any) -> Any:
        result = helper(ys, *args, **kwargs)
        steps.record_gradients(ys, result)
        return result

    def run_with_losses(self: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        losses = steps.losses_of(fetches, self.graph)
        if not losses:
            return run(self, fetches, *args, **kwargs)
        result, values = run(self, [fetches, losses], *args, **kwargs)
        steps.record_losses(values)
        return result

    gradients_util._GradientsHelper = gradients
    session.BaseSession.run = run_with_losses
    ops.Graph.seed = property(lambda graph: SEED, lambda graph, seed: None)  # whatever the program sets


def main() -> None:
    """Runs the program until its last step."""
    import numpy as np

    out, count, *program = sys.argv[1:]
    override = Path(out).with_suffix(".settings.json")
    override.write_text(json.dumps(ONE_AT_A_TIME), encoding="utf-8")
    random.seed(SEED)
    np.random.seed(SEED)
    sys.path.insert(0, os.getcwd())
    watch(Steps(Path(out), int(count)))
    sys.exit(run_tf1mem(["run", "--override", str(override), *program]))


if __name__ == "__main__":
    main()
