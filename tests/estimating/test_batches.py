"""The search for the largest batch size that fits."""

from __future__ import annotations

import pytest

from tf1mem.estimating.batches import LargestBatch


@pytest.mark.parametrize(
    ("fixed", "each", "most_tries"),
    [
        (300, 0.5, 8),
        (300, 64, 6),  # as of MobileNetV2 with images of 224 pixels
        (8191, 0.9, 5),  # one fits, and two don't
        (8000, 150, 5),
        (9000, 1, 5),  # none fits
    ],
)
def test_the_largest_batch_is_within_three_percent(fixed, each, most_tries):
    room = 8192
    search = LargestBatch(room)
    tried = []
    for size in search:
        tried.append(size)
        search.note(size, fixed + int(size * each * (1 + 0.02 * (size % 3))))  # needs aren't quite in proportion
    assert len(tried) == len(set(tried)) <= most_tries
    if fixed > room:
        assert (search.best, search.too_large) == (None, 1)
    else:
        assert search.best < search.too_large <= max(search.best * 1.03, search.best + 1)


def test_a_step_that_needs_the_same_for_each_size_ends_the_search():
    search = LargestBatch(100)
    for size in search:
        search.note(size, 50)
    assert search.too_large is None
    assert search.best == 2**20
