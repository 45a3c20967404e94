"""Chooses batch sizes to estimate, in search of the largest that fits."""

from __future__ import annotations

from typing import Iterator

# The size that is tried first: small enough for most GPUs, large enough to show how memory grows with it.
_FIRST = 8
# The precision of the search, as a share of the size: an estimate's limit isn't more precise, see measurement.py.
_CLOSE = 0.03
# The most tries by interpolation; after them, intervals are halved. More are seldom needed, since memory grows almost
# in proportion to the size.
_INTERPOLATED = 8
_MOST = 2**20  # the largest size to try


class LargestBatch:
    """A search for about the largest batch size with which a step fits.

    Iterating over it yields the sizes to try. Before the caller takes the next one, it passes a size's need to `note`.

    Args:
        room_mib: The available memory in MiB.
    """

    def __init__(self, room_mib: int) -> None:
        self._room = room_mib
        self._needs: dict[int, int] = {}

    def note(self, size: int, need_mib: int) -> None:
        """Records the memory that the step needs with a batch size.

        Args:
            size: The batch size.
            need_mib: The memory in MiB.
        """
        self._needs[size] = need_mib

    @property
    def best(self) -> int | None:
        """The largest tried size that fits; None if none does."""
        return max((size for size, need in self._needs.items() if need <= self._room), default=None)

    @property
    def too_large(self) -> int | None:
        """The smallest tried size that doesn't fit; None if all fit."""
        return min((size for size, need in self._needs.items() if need > self._room), default=None)

    def __iter__(self) -> Iterator[int]:
        size: int | None = _FIRST
        while size is not None:
            yield size
            size = self._next()

    def _next(self) -> int | None:
        """Returns the next size to try; None if the search is over.

        As long as all sizes fit, the next one is at most eight times the largest.
        """
        best, above = self.best or 0, self.too_large
        step = max(int(best * _CLOSE), 1)
        if best >= _MOST or (above is not None and above - best <= step):
            return None
        likely = self._interpolated() if len(self._needs) <= _INTERPOLATED else None
        if above is None:
            return min(max(likely or best * 2, best + step), best * 8, _MOST)
        if likely is None:
            likely = (best + above) // 2
        return min(max(likely, best + step), above - 1)

    def _interpolated(self) -> int | None:
        """Returns the size that would need the whole room, by a line through the two tried sizes of nearest needs.

        Returns None if fewer than two sizes were tried, or if the line doesn't rise.
        """
        nearest = sorted(self._needs, key=lambda size: abs(self._needs[size] - self._room))[:2]
        if len(nearest) < 2:
            return None
        low, high = sorted(nearest)
        slope = (self._needs[high] - self._needs[low]) / (high - low)
        return low + int((self._room - self._needs[low]) // slope) if slope > 0 else None
