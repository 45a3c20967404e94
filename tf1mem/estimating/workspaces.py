"""Computes a convolution's workspace in cuDNN from its shapes, since only cuDNN on a real GPU reports it.

cuDNN computes a convolution by one of several algorithms. TensorFlow measures them when a convolution first runs, and
takes the fastest whose workspace fits into the remaining memory (and into TF_CUDNN_WORKSPACE_LIMIT_IN_MB). Implicit
GEMM needs no workspace, so a step doesn't fail if there is no room for one; it gets slower. The figures here are
computed for two algorithms:

- Winograd, non-fused, for filters of 3x3 at stride 1: transformed input and output, in tiles of 6x6 for each 4x4 of the
  output, and the transformed filter (F(4x4, 3x3) in Lavin and Gray, "Fast Algorithms for Convolutional Neural
  Networks", 2015).
- explicit GEMM, for all other filters above 1x1: the matrix of all patches ("im2col") of the whole batch.

cuDNN's own figures differ: they are smaller if it splits a batch, and larger for its FFT algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Iterable

WINOGRAD, EXPLICIT_GEMM, NONE = "Winograd", "explicit GEMM", "none"


@dataclass(frozen=True)
class Convolution:
    """One convolution, in either direction.

    Attributes:
        batch: The number of images.
        channels: The number of channels of the input.
        filters: The number of channels of the output.
        kernel: The filter's height and width (in 3D depth, height and width).
        results: The output's height and width (in 3D depth, height and width).
        strides: The strides, in the same order.
        dilations: The dilations, in the same order.
        item_bytes: The size of one number, in bytes.
    """

    batch: int
    channels: int
    filters: int
    kernel: tuple[int, ...]
    results: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    item_bytes: int


def workspace(convolution: Convolution) -> tuple[int, str]:
    """Returns the workspace of a convolution in bytes, and its algorithm."""
    kernel, results = convolution.kernel, convolution.results
    batch, channels, filters = convolution.batch, convolution.channels, convolution.filters
    is_dense = all(step == 1 for step in (*convolution.strides, *convolution.dilations))
    if all(size == 1 for size in kernel):
        return 0, NONE
    if kernel == (3, 3) and is_dense:
        tiles = batch * _quarter(results[0]) * _quarter(results[1])
        return 36 * (tiles * (channels + filters) + channels * filters) * convolution.item_bytes, WINOGRAD
    return batch * product(results) * channels * product(kernel) * convolution.item_bytes, EXPLICIT_GEMM


def _quarter(size: int) -> int:
    return -(-size // 4)


def product(sizes: Iterable[int]) -> int:
    """Returns the product of the sizes: the number of elements in a tensor of that shape."""
    return reduce(mul, sizes, 1)
