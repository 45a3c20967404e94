"""What a convolution's workspace may take in cuDNN: computed, since only cuDNN on a real GPU can say.

cuDNN computes a convolution by one of several algorithms. TensorFlow measures them when a convolution first runs, and
takes the fastest whose workspace fits into what is left (and into TF_CUDNN_WORKSPACE_LIMIT_IN_MB). Implicit GEMM needs
none, so a step does not fail for lack of workspace; it gets slower. The figures here are what two algorithms need by
their own arithmetic:

- Winograd, non-fused, for filters of 3x3 at stride 1: input and output in tiles of 6x6 for 4x4 results, and the filter
  likewise (F(4x4, 3x3) in Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
- explicit GEMM, for all other filters above 1x1: the matrix of all patches ("im2col") of the whole batch.

cuDNN's own figures are others: smaller where it cuts a batch to pieces, larger for its FFT algorithms.
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
        batch: Images.
        channels: Of the input.
        filters: Channels of the output.
        kernel: Height and width of the filter (depth before them in 3D).
        results: Height and width of the output (depth before them in 3D).
        strides: In the same order.
        dilations: In the same order.
        item_bytes: Of one number.
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
    """The workspace of a convolution, in bytes, and the algorithm that it is of."""
    it = convolution
    once = all(step == 1 for step in (*it.strides, *it.dilations))
    if all(size == 1 for size in it.kernel):
        return 0, NONE
    if it.kernel == (3, 3) and once:
        tiles = it.batch * _quarter(it.results[0]) * _quarter(it.results[1])
        return 36 * (tiles * (it.channels + it.filters) + it.channels * it.filters) * it.item_bytes, WINOGRAD
    return it.batch * product(it.results) * it.channels * product(it.kernel) * it.item_bytes, EXPLICIT_GEMM


def _quarter(size: int) -> int:
    return -(-size // 4)


def product(sizes: Iterable[int]) -> int:
    """The sizes multiplied: how many numbers a tensor of such a shape has."""
    return reduce(mul, sizes, 1)
