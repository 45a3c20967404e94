"""A convolution's computed workspace equals its formula, written out with numbers."""

from __future__ import annotations

import pytest

from tf1mem.estimating.workspaces import EXPLICIT_GEMM, NONE, WINOGRAD, Convolution, workspace


def convolution(kernel=(3, 3), results=(8, 8), strides=(1, 1), dilations=(1, 1)):
    """Returns a convolution of 2 images, with 5 input channels, 7 output channels and numbers of 4 bytes."""
    return Convolution(2, 5, 7, kernel, results, strides, dilations, 4)


@pytest.mark.parametrize(
    ("op", "bytes_", "algorithm"),
    [
        # Winograd: 36 numbers a tile, in 2 images of 2 x 2 tiles, for 5 + 7 channels, and for 5 x 7 filters.
        (convolution(), 4 * 36 * (2 * 2 * 2 * (5 + 7) + 5 * 7), WINOGRAD),
        (convolution(results=(9, 8)), 4 * 36 * (2 * 3 * 2 * (5 + 7) + 5 * 7), WINOGRAD),
        # Explicit GEMM: a row for each of 2 x 8 x 8 results, of the 5 x 3 x 3 numbers of its patch.
        (convolution(strides=(2, 2)), 4 * 2 * 8 * 8 * 5 * 9, EXPLICIT_GEMM),
        (convolution(dilations=(2, 2)), 4 * 2 * 8 * 8 * 5 * 9, EXPLICIT_GEMM),
        (convolution(kernel=(5, 5)), 4 * 2 * 8 * 8 * 5 * 25, EXPLICIT_GEMM),
        (convolution((3, 3, 3), (8, 8, 8), (1, 1, 1), (1, 1, 1)), 4 * 2 * 8**3 * 5 * 27, EXPLICIT_GEMM),
        (convolution(kernel=(1, 1)), 0, NONE),
    ],
)
def test_the_workspace_of_each_algorithm(op, bytes_, algorithm):
    assert workspace(op) == (bytes_, algorithm)
