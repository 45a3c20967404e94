"""The C and C++ sources of simulated GPUs have an order, too: no two need each other."""

from __future__ import annotations

import pytest

from .c_files import c_graph
from .imports import circles

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return c_graph(tmp_path_factory.mktemp("objects"))


def test_no_c_files_need_each_other(graph):
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("file", "needed"),
    [
        ("driver/memory/stream_memory", "driver/memory/pools"),  # by its header
        ("driver/core/exporttables", "driver/work/modules"),  # by a function alone
        ("cudnn/empty_workspaces", "cudnn/version"),  # by a function of a header of another name
        ("runtime/streams", "driver/work/streams"),  # of another library
        ("values/values", "values/ways"),
    ],
)
def test_the_files_that_a_c_file_needs_are_listed(graph, file, needed):
    assert needed in graph[file]
