"""Draws few combinations of values that contain all pairs of values, and as many triples as possible."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import combinations, product
from typing import Callable, Iterator, Mapping, Sequence

Values = Mapping[str, str]


def meetings(values: Values, size: int) -> set[tuple[tuple[str, str], ...]]:
    """Returns the pairs (size 2) or triples (size 3) of values in a combination."""
    return set(combinations(sorted(values.items()), size))


def draw(factors: Mapping[str, Sequence[str]], fits: Callable[[Values], bool], most: int) -> Iterator[Values]:
    """Draws combinations greedily, the same ones every time.

    Args:
        factors: The values of each factor.
        fits: A function that returns True for values that can be combined.
        most: The number of combinations to draw; more are drawn if the pairs need more.

    Yields:
        Combinations. Each is the one with the most pairs that no earlier one contains, or, once all pairs are
        contained, with the most such triples.
    """
    possible = [dict(zip(factors, row)) for row in product(*factors.values())]
    fitting = [(values, meetings(values, 2), meetings(values, 3)) for values in possible if fits(values)]
    pairs: set[tuple[tuple[str, str], ...]] = set().union(*(entry[1] for entry in fitting))
    triples: set[tuple[tuple[str, str], ...]] = set().union(*(entry[2] for entry in fitting))
    # Numbers of new pairs and triples, negative, and the place. The numbers only shrink, so the first combination whose
    # numbers are still right is the best.
    left = [(-len(entry[1]), -len(entry[2]), place) for place, entry in enumerate(fitting)]
    heapify(left)
    drawn = 0
    while left and (pairs or (triples and drawn < most)):
        place = heappop(left)[2]
        values, its_pairs, its_triples = fitting[place]
        now = (-len(its_pairs & pairs), -len(its_triples & triples), place)
        if left and left[0] < now:
            heappush(left, now)
            continue
        pairs -= its_pairs
        triples -= its_triples
        drawn += 1
        yield values
