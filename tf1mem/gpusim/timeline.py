"""The memory of each GPU over time, as the plot and the page draw it: an area for each process, stacked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import accumulate
from typing import Iterable, Sequence, Tuple

from tf1mem.errors import printable
from tf1mem.gpusim.histories import Histories, History, ProcessHistory

Steps = Sequence[Tuple[float, int]]

_MOST_LETTERS = 44
# If less than this share of a GPU was used, the panel's axis ends just above the highest use, not at the GPU's size.
_SMALL = 0.4


@dataclass
class Area:
    """One area: the memory of one process, or of all the smaller processes together.

    Attributes:
        label: The text in the legend, such as "4711: python train.py".
        shares: The histories that the area adds up.
        place: The index of the area's style or colour; None for the area of the smaller processes.
    """

    label: str
    shares: list[History]
    place: int | None


@dataclass
class Stack:
    """The stacked areas of one GPU.

    Attributes:
        times: The times at which anything changes, in seconds since 1970, with the start and the end of the simulation.
        levels: For each area the bytes that it holds from each of the times on.
    """

    times: list[float]
    levels: list[list[int]]

    @property
    def totals(self) -> list[int]:
        """Returns the bytes that all areas hold from each of the times on."""
        return [sum(level) for level in zip(*self.levels)] if self.levels else [0] * len(self.times)

    def downsampled(self, most: int) -> Stack:
        """Returns the same areas with at most about `most` times: see `worth_drawing`."""
        indices = worth_drawing(self.totals, most)
        return Stack([self.times[i] for i in indices], [[level[i] for i in indices] for level in self.levels])


def areas(histories: Histories, styles: int) -> list[Area]:
    """Returns the areas, in the order of the processes' starts.

    Args:
        histories: The histories.
        styles: The number of styles or colours. If there are more processes, the largest have an area each, and the
            others share one.
    """
    by_process: dict[int, list[History]] = {}
    for share in histories.shares:
        by_process.setdefault(id(share.process), []).append(share)
    groups = list(by_process.values())
    own_styles = groups
    if len(groups) > styles:
        largest = sorted(groups, key=lambda shares: -max(share.peak for share in shares))[: styles - 1]
        own_styles = [shares for shares in groups if any(shares is large for large in largest)]
    named = [Area(name(shares[0].process), shares, place) for place, shares in enumerate(own_styles)]
    smaller = [share for shares in groups if not any(shares is each for each in own_styles) for share in shares]
    count = len(groups) - len(own_styles)
    return [*named, *([Area(f"{count} smaller processes", smaller, None)] if count else [])]


def span(histories: Histories) -> tuple[float, float]:
    """Returns the first and the last time of a simulation, in seconds since 1970."""
    times = [process.started for process in histories.processes]
    times += [time for share in histories.shares for time, _ in share.steps]
    times += [refusal.time for share in histories.shares for refusal in share.refusals]
    if not times:
        return 0.0, 1.0
    start, end = min(times), max(times)
    # A margin at the end, so that the last step is visible.
    return start, max(end + (end - start) * 0.02, start + 1e-3)


def stack(held: Sequence[Iterable[Steps]], within: tuple[float, float]) -> Stack:
    """Returns areas stacked on each other.

    Args:
        held: For each area the steps of its processes.
        within: The first and the last time, which are always among the times.
    """
    # Time -> number of an area -> the bytes by which it grows then.
    changes: dict[float, dict[int, int]] = {time: {} for time in within}
    for place, processes in enumerate(held):
        for steps in processes:
            before = 0
            for time, total in sorted(steps, key=lambda step: step[0]):
                change = changes.setdefault(time, {})
                change[place] = change.get(place, 0) + total - before
                before = total
    times = sorted(changes)
    return Stack(
        times, [list(accumulate(changes[time].get(place, 0) for time in times)) for place, _ in enumerate(held)]
    )


def worth_drawing(totals: Sequence[int], most: int) -> list[int]:
    """Returns the indices of the totals to draw: all, if there are few.

    Otherwise it divides the totals into equal stretches, and returns the highest, the lowest and the last of each.

    Args:
        totals: The totals over time.
        most: The number of indices, about.
    """
    if len(totals) <= most:
        return list(range(len(totals)))
    indices, count = {0}, most // 3
    for number in range(count):
        stretch = range(len(totals) * number // count, len(totals) * (number + 1) // count)
        indices |= {max(stretch, key=totals.__getitem__), min(stretch, key=totals.__getitem__), stretch[-1]}
    return sorted(indices)


def name(process: ProcessHistory) -> str:
    """Returns a process's name for people: its id and its command line, cut."""
    # There is little room, and a program's folder matters least.
    program, space, arguments = process.command.partition(" ")
    command = os.path.basename(program) + space + arguments
    named = printable(f"{process.pid}: {command}" if command else f"process {process.pid}")
    return named if len(named) <= _MOST_LETTERS else named[: _MOST_LETTERS - 3] + "..."


def ends_below_capacity(used: float, top: float, capacity: float) -> bool:
    """Returns True if the axis of memory ends below a GPU's capacity, which would leave the areas too flat.

    Args:
        used: The memory that others use, in any unit.
        top: The most memory in use, in the same unit.
        capacity: The GPU's memory, in the same unit.
    """
    return used < top < capacity * _SMALL
