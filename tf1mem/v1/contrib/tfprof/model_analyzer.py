# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What a model takes, op by op: the profiler's functions, with options that print something useful."""

from __future__ import annotations

from typing import Any

from tensorflow.python.profiler.model_analyzer import ALL_ADVICE, Profiler
from tensorflow.python.profiler.model_analyzer import advise as _advise
from tensorflow.python.profiler.model_analyzer import profile as _profile

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler",
    "advise",
    "print_model_analysis",
]

# The profiler's sign for its own options.
_DEFAULT_OPTIONS = 0


def _options(**others: Any) -> dict[str, Any]:
    return {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "output": "stdout",
        "dump_to_file": "",
        **others,
    }


# Options of `print_model_analysis`: how many parameters there are,
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _options(account_type_regexes=["_trainable_variables"], select=["params"])
# how many floating-point operations a step takes,
FLOAT_OPS_OPTIONS = _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])
# how much time and memory a step took.
PRINT_ALL_TIMING_MEMORY = _options(min_bytes=1, min_micros=1, select=["micros", "bytes"])


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = _DEFAULT_OPTIONS) -> Any:
    """What could be better, as tf.profiler.advise says it."""
    return _advise(graph, run_meta, tfprof_options)


def print_model_analysis(
    graph: Any,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = _DEFAULT_OPTIONS,
) -> Any:
    """Prints what a model takes, as tf.profiler.profile does.

    Args:
        graph: The graph.
        run_meta: RunMetadata of a step, for time and memory.
        op_log: What is known beside.
        tfprof_cmd: "op", "scope", "graph" or "code".
        tfprof_options: One of the three dicts of this module, or another.

    Returns:
        The profile, a message.
    """
    return _profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
