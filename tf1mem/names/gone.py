"""A table of TensorFlow 1's names, outside of contrib, that are gone for good and that public programs use."""

from __future__ import annotations

_TREES = "Use scikit-learn's gradient boosting or tensorflow_decision_forests, or keep TensorFlow 1.15 for it"
FORESTS = "Use scikit-learn's forests or tensorflow_decision_forests, or keep TensorFlow 1.15 for it, which has its ops"
_DEVICE_MAPS = "Strategies have no device maps any more: use their public calls (strategy.run, strategy.reduce)"

# Name -> advice.
ADVICE = {
    **{f"estimator.BoostedTrees{kind}": _TREES for kind in ("Classifier", "Estimator", "Regressor")},
    "python.distribute.cross_device_utils.build_collective_gather": "Use all_gather of tf.distribute's ReplicaContext",
    **{f"python.distribute.values.{name}": _DEVICE_MAPS for name in ("LogicalDeviceSpec", "SingleDeviceMap")},
    "python.distribute.values.regroup": "Use regroup of tensorflow.python.distribute.distribute_utils, which takes no "
    "device map",
    "python.ops.constant_op": "Import tensorflow.python.framework.constant_op, its place since TensorFlow 1.0",
    "python.ops.gen_nn_ops._max_pool_grad": "Use max_pool_grad of the same file, which TensorFlow 1.15 has, too",
    "python.ops.rnn.bidirectional_rnn": "Use tf.nn.static_bidirectional_rnn, its name since TensorFlow 1.0",
    "python.tpu.session_support": "It monitors the workers of TPUs: leave it out without TPUs",
}


def gone(dotted: str) -> str | None:
    """Returns the name in the table that a path equals or lies below, or None.

    Args:
        dotted: The path, such as "python.tpu.session_support.start_worker_watchdog".
    """
    return next((name for name in ADVICE if f"{dotted}.".startswith(name + ".")), None)
