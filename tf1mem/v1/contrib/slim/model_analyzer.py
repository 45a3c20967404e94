# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Counts and prints the sizes of a model's ops and variables."""

from __future__ import annotations

from typing import Any


def tensor_description(var: Any) -> str:
    """Returns a tensor's dtype and shape as a string, such as "(float32 3x5)"."""
    return f"({var.dtype.name} {'x'.join(str(size) for size in var.get_shape())})"


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """Returns the number of elements of all op outputs of a graph, by their static shapes.

    Args:
        graph: The tf.Graph to analyze.
        print_info: True to print a line for each op.
    """
    _print_title("Operations: name -> (type, shapes) [elements]", print_info)
    total = 0
    for op in graph.get_operations():
        size = sum(output.get_shape().num_elements() or 0 for output in op.outputs)
        if print_info:
            shapes = ", ".join(tensor_description(output) for output in op.outputs if output.get_shape())
            print(op.name, "\t->", shapes, f"[{size}]")
        total += size
    return total


def analyze_vars(variables: Any, print_info: bool = False) -> tuple[int, int]:
    """Counts the elements and bytes of variables, by their static shapes.

    Args:
        variables: List of variables.
        print_info: True to print a line for each variable.

    Returns:
        The number of elements, and of bytes.
    """
    _print_title("Variables: name (type shape) [size]", print_info)
    total_size = total_bytes = 0
    for var in variables:
        size = var.get_shape().num_elements() or 0
        size_in_bytes = size * var.dtype.size
        if print_info:
            print(var.name, tensor_description(var), f"[{size}, bytes: {size_in_bytes}]")
        total_size += size
        total_bytes += size_in_bytes
    if print_info:
        print(f"Total size of variables: {total_size}")
        print(f"Total bytes of variables: {total_bytes}")
    return total_size, total_bytes


def _print_title(title: str, print_info: bool) -> None:
    if print_info:
        print("---------", title, "---------", sep="\n")
