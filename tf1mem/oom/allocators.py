"""What TensorFlow's own calls say of a GPU's allocator, after the failed step has let go of its tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tf1mem.machine.tensorflow import is_tf1, lookup
from tf1mem.oom.snapshots import Snapshot


@dataclass(frozen=True)
class Limited:
    """Figures that come with the limit.

    Attributes:
        snapshot: What is in use.
        limit_bytes: The most that the allocator may take.
    """

    snapshot: Snapshot
    limit_bytes: int


def after(tf: Any, session: Any, eager: Any, device: str) -> Snapshot | Limited | None:
    """What is in use now on a logical GPU; None where this TensorFlow has no way of saying it.

    Args:
        tf: TensorFlow.
        session: The Session that failed, or None.
        eager: The eager context, if it has started.
        device: Such as "GPU:0".

    Raises:
        Exception: TensorFlow's own, where it doesn't answer.
    """
    if is_tf1(tf):
        return _by_ops(tf, session, device)
    if eager is None:
        return None  # asking would start it
    info = lookup(tf, "config.experimental.get_memory_info")  # 2.5 and up
    if info is not None:
        told = info(device)
        return Snapshot("", told["current"], told["peak"])
    usage = lookup(tf, "config.experimental.get_memory_usage")  # 2.4
    return None if usage is None else Snapshot("", usage(device))


def _by_ops(tf: Any, session: Any, device: str) -> Limited | None:
    """By the ops of tf.contrib.memory_stats, whose outputs lie in the host's memory.

    A Session of its own runs them; it shares the GPU's allocator, which is one for the process, and reserves nothing.
    """
    try:
        from tensorflow.contrib.memory_stats.python.ops import memory_stats_ops as ops
    except ImportError:
        return None
    config = None if session is None else session._config
    graph = tf.Graph()
    with graph.as_default(), tf.device("/device:" + device):
        wanted = [ops.BytesInUse(), ops.MaxBytesInUse(), ops.BytesLimit()]
    with tf.compat.v1.Session(graph=graph, config=config) as asking:
        in_use, peak, limit = (int(figure) for figure in asking.run(wanted))
    return Limited(Snapshot("", in_use, peak), limit)
