"""The calls that a setting becomes on each TensorFlow, from tf1mem's own plans.

tests/guide/test_columns.py compares the plans for a TensorFlow that isn't installed with those for the installed one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterable, NamedTuple, Sequence

from packaging.version import Version

from tf1mem.machine.eager_context import FREE, TAKEN
from tf1mem.machine.runtime import Runtime, suppose
from tf1mem.machine.versions import TESTED
from tf1mem.planning.plan import make
from tf1mem.planning.steps import ALL, Step
from tf1mem.settings.settings import Settings

# The TensorFlow versions that the table of fields was read from (tf1mem/settings/fields.py): those that tests run on,
# and one more.
VERSIONS = sorted({"2.1"}.union("{}.{}".format(*row.release) for row in TESTED), key=Version)
GIB = 2**30
TENSORFLOW_FIRST = "TensorFlow imported before tf1mem"


class Cell(NamedTuple):
    """A setting's own steps of a plan.

    Attributes:
        routes: The route of each step.
        calls: The call of each step.
        reasons: The reason of each step.
    """

    routes: tuple[str, ...]
    calls: tuple[str, ...]
    reasons: tuple[str, ...]


class Column(NamedTuple):
    """A TensorFlow to plan for.

    Attributes:
        version: TensorFlow's version.
        has_context: True if TensorFlow has created its eager context while it was imported, before tf1mem could give
            it a ConfigProto.
    """

    version: str
    has_context: bool = False


def columns() -> list[Column]:
    """Returns a column for every version, two if the order of the imports matters."""
    all_columns = []
    for version in VERSIONS:
        all_columns.append(Column(version))
        if supposed(Column(version)).context == FREE and _makes_its_context(version):
            all_columns.append(Column(version, has_context=True))
    return all_columns


def _makes_its_context(version: str) -> bool:
    runtime = suppose(version, None)
    return not runtime.is_tf1 and runtime.context == TAKEN


def supposed(column: Column, gpus: Any = None) -> Runtime:
    """Returns facts about a column's TensorFlow, in a fresh process: tf1mem came first unless `has_context`."""
    runtime = suppose(column.version, gpus)
    if column.has_context or runtime.is_tf1:
        return runtime
    return replace(runtime, context=FREE)


def steps(config: Any, runtime: Runtime, path: str) -> list[Step]:
    """Returns the steps of one field in the plan for a config, and the step for all settings, if any."""
    planned = make(Settings.of(config), runtime).steps
    return [step for step in planned if step.setting in (path, ALL)]


def cell(config: Any, column: Column, path: str, gpus: Any) -> Cell:
    """Returns the cell of a field of a config on one TensorFlow."""
    own_steps = steps(config, supposed(column, gpus), path)
    return Cell(
        tuple(step.route for step in own_steps),
        tuple(step.call for step in own_steps),
        tuple(step.reason for step in own_steps),
    )


def groups(config: Any, path: str, gpus: Any = (8 * GIB,), since: str = "1.13") -> list[tuple[Cell, list[Column]]]:
    """Groups the columns with the same steps for a field, in the order of their first versions.

    Args:
        config: The config.
        path: The field.
        gpus: The sizes of the GPUs, in bytes.
        since: The first TensorFlow that has the field.
    """
    grouped: dict[Cell, list[Column]] = {}
    for column in columns():
        if Version(column.version) >= Version(since):
            grouped.setdefault(cell(config, column, path, list(gpus)), []).append(column)
    return list(grouped.items())


def named(group: Sequence[Column]) -> str:
    """Returns the versions of a group as text: "1.14, 1.15", "2.15 to 2.18"."""
    everything = columns()
    twice = {column.version for column in everything if column.has_context}
    here = {column.version for column in group}
    # If both columns of a version are in the group, the order of imports makes no difference to it.
    late = {column.version for column in group if column.has_context}
    early = {column.version for column in group if not column.has_context}
    if late and not early:
        return f"{_ranges(late)}, {TENSORFLOW_FIRST}"
    words = _ranges(here)
    only_early = sorted((early & twice) - late, key=Version)
    return words + (f" ({_ranges(only_early)} with tf1mem imported first)" if only_early else "")


def _ranges(versions: Iterable[str]) -> str:
    """Returns versions as text, with consecutive ones as "2.15 to 2.18"."""
    places = sorted(VERSIONS.index(version) for version in versions)
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    words = []
    for run in runs:
        first, last = VERSIONS[run[0]], VERSIONS[run[-1]]
        words.append(first if len(run) == 1 else "{}{}{}".format(first, ", " if len(run) == 2 else " to ", last))
    return ", ".join(words)
