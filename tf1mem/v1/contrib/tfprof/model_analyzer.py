# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Prints a model's parameters, floating-point operations, time and memory, by TensorFlow's profiler."""

from __future__ import annotations

from typing import Any

from tensorflow.python.profiler.model_analyzer import ALL_ADVICE, Profiler
from tensorflow.python.profiler.model_analyzer import advise as _advise
from tensorflow.python.profiler.model_analyzer import profile as _profile

from tf1mem.v1.contrib.tfprof.profile_context import ProfileContext

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "ProfileContext",
    "Profiler",
    "advise",
    "print_model_analysis",
]

# The profiler's value for its own default options.
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


# Options of `print_model_analysis` for the number of parameters.
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _options(account_type_regexes=["_trainable_variables"], select=["params"])
# Options for the number of floating-point operations of a step.
FLOAT_OPS_OPTIONS = _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])
# Options for the time and memory of a step.
PRINT_ALL_TIMING_MEMORY = _options(min_bytes=1, min_micros=1, select=["micros", "bytes"])


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = _DEFAULT_OPTIONS) -> Any:
    """Returns the advice of tf.profiler.advise.

    Args:
        graph: The tf.Graph.
        run_meta: RunMetadata of a step, for time and memory.
        tfprof_options: Options of the advice; the profiler's by default.
    """
    return _advise(graph, run_meta, tfprof_options)


def print_model_analysis(
    graph: Any,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = _DEFAULT_OPTIONS,
) -> Any:
    """Prints a profile of a model by tf.profiler.profile.

    Args:
        graph: The tf.Graph.
        run_meta: RunMetadata of a step, for time and memory.
        op_log: OpLogProto with further data, for example shapes and operations.
        tfprof_cmd: View of the profile: "op", "scope", "graph" or "code".
        tfprof_options: Options of the profile: one of this module's three dicts, or another.

    Returns:
        Profile, a protocol buffer.
    """
    return _profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
