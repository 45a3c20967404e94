"""Drawing combinations so that few of them hold all pairs, or as many triples as they can."""

from __future__ import annotations

from itertools import combinations, product
from typing import Callable, Iterator, Mapping, Sequence

Values = Mapping[str, str]


def meetings(values: Values, size: int) -> set[tuple[tuple[str, str], ...]]:
    """The pairs (size 2) or triples (size 3) of values that meet in a combination."""
    return set(combinations(sorted(values.items()), size))


def draw(factors: Mapping[str, Sequence[str]], fits: Callable[[Values], bool], most: int) -> Iterator[Values]:
    """Draws combinations greedily, the same ones every time.

    Args:
        factors: The values of each factor.
        fits: Returns True for values that can stand together.
        most: The number to draw, or more if all pairs need more. Those that pairs don't need add triples.

    Returns:
        Each the combination with the most pairs that no earlier one holds; when there are none left, triples.
    """
    possible = [dict(zip(factors, row)) for row in product(*factors.values())]
    left = [(values, meetings(values, 2), meetings(values, 3)) for values in possible if fits(values)]
    pairs: set[tuple[tuple[str, str], ...]] = set().union(*(entry[1] for entry in left))
    triples: set[tuple[tuple[str, str], ...]] = set().union(*(entry[2] for entry in left))
    drawn = 0
    while left and (pairs or (triples and drawn < most)):
        best = max(left, key=lambda entry: (len(entry[1] & pairs), len(entry[2] & triples)))
        left.remove(best)
        pairs -= best[1]
        triples -= best[2]
        drawn += 1
        yield best[0]
