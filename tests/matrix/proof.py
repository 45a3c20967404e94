"""Marks those values of a parametrized test that only `make proof` runs."""

from __future__ import annotations

from typing import Any, Container, Iterable, Iterator

import pytest


def in_ci_or_proof(values: Iterable[Any], in_ci: Container[Any]) -> Iterator[Any]:
    """Yields values for pytest's `parametrize`; those that aren't `in_ci` with the mark `proof`.

    Args:
        values: All values of the test.
        in_ci: The values that `make test` and CI run, too: those that stand for the others.
    """
    return (value if value in in_ci else pytest.param(value, marks=pytest.mark.proof) for value in values)
