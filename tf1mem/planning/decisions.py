"""The thinking behind a plan: which route each setting takes, and why. Pure, one module per kind of setting."""

from __future__ import annotations

from typing import Iterator

from tf1mem.machine.runtime import Runtime
from tf1mem.planning import devices, graph, memory, remarks
from tf1mem.planning.situation import Situation
from tf1mem.planning.steps import Step
from tf1mem.settings.settings import Settings


def steps(settings: Settings, runtime: Runtime, for_session: bool = False) -> Iterator[Step]:
    """The steps for settings on a runtime, in the order in which a person reads them."""
    at = Situation(settings, runtime, for_session)
    yield remarks.detected(at)
    if runtime.is_tf1:
        yield from remarks.handed_to_sessions(at)
    yield from remarks.environment(at)
    yield from devices.steps(at)
    yield from memory.steps(at)
    yield from graph.placement(at)
    yield from graph.rest(at)
    yield from remarks.fields_beside(at)
