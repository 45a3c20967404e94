"""Takes the steps of a plan in order, with a line of the report for each, and undoes them."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Callable, Iterable

from tf1mem.applying.report import DONE, HANDED, NO_EFFECT, REFUSED, STANDS, Line
from tf1mem.errors import TensorFlowRefusedError, Tf1memError
from tf1mem.machine import own_changes
from tf1mem.planning.plan import Plan
from tf1mem.planning.steps import CONFIG, DETECT, NONE, Step, shown
from tf1mem.routes import ROUTES
from tf1mem.routes.tf_config import NoGpuError
from tf1mem.settings import protos
from tf1mem.settings.values import parse_visible

log = logging.getLogger("tf1mem")

# Functions to call when the report has new lines.
listeners: list[Callable[[], object]] = []


def perform(tf: Any, plan: Plan, config: Any, undo: list[Callable[[], None]]) -> list[Line]:
    """Takes the steps of a plan.

    Args:
        tf: TensorFlow.
        plan: The plan whose steps to take.
        config: The ConfigProto with the plan's settings, as TensorFlow gets it.
        undo: A list. Each step that succeeds appends the function that undoes it, so the list is right even if a later
            step fails.

    Returns:
        A line of the report for each step.

    Raises:
        TensorFlowRefusedError: TensorFlow refused a call.
    """
    return [_take(tf, step, config, undo) for step in plan.steps]


def _take(tf: Any, step: Step, config: Any, undo: list[Callable[[], None]]) -> Line:
    """Takes a step, and returns its line of the report; the arguments are those of `perform`."""
    if step.route == NONE:
        return Line(step, NO_EFFECT, step.reason)
    if step.route == DETECT or not step.action:
        return Line(step, STANDS, step.reason)
    args = [for_session(config) if arg == CONFIG else arg for arg in step.args]
    try:
        undo.append(ROUTES[step.route].ACTIONS[step.action](tf, *args))
    except NoGpuError:
        why = "TensorFlow registers no GPU (it logs which CUDA library is missing)"
        return Line(replace(step, harmless=True), NO_EFFECT, why)
    except Tf1memError:
        raise
    except Exception as error:
        raise TensorFlowRefusedError(
            f"{step.setting}={shown(step.value)}",
            f"TensorFlow refused {step.call} ({error})",
            "What this call had changed is restored; check what the program itself set through tf.config",
        ) from error
    return Line(step, HANDED if step.action == "hand" else DONE, step.reason)


def undo_all(undo: list[Callable[[], None]]) -> None:
    """Calls all functions of a list, the last first, even if one fails; empties the list.

    Raises:
        TensorFlowRefusedError: TensorFlow refused one of the calls.
    """
    refused: list[Exception] = []
    while undo:
        try:
            undo.pop()()
        except Exception as error:
            refused.append(error)
    if refused:
        raise TensorFlowRefusedError(
            "the settings applied before",
            "TensorFlow refused to restore them ({})".format("; ".join(map(str, refused))),
            "Change what tf1mem set by tf1mem alone, or restart the program",
        ) from refused[0]


def for_session(config: Any) -> Any:
    """Returns a copy of a config for a Session, whose `visible_device_list` has the GPUs' numbers in this process.

    They differ from the config's if tf1mem has started CUDA with some of the GPUs, or in another order.
    """
    order = own_changes.cuda_order
    out = type(config)()
    out.CopyFrom(config)
    listed = out.gpu_options.visible_device_list
    if not listed.strip():
        if listed:
            out.gpu_options.visible_device_list = ""  # it holds only spaces, which a Session would refuse
        return out
    visible = parse_visible(listed)
    out.gpu_options.visible_device_list = ",".join(map(str, visible))  # without spaces
    if order is not None and all(gpu in order for gpu in visible):
        protos.renumber(out, ",".join(str(order.index(gpu)) for gpu in visible))
    return out


def tell(lines: Iterable[Line]) -> None:
    """Logs the report's new lines, those of refused and lost settings as warnings, and calls the listeners."""
    for line in (line for line in lines if line.step.listed):
        level = logging.WARNING if line.outcome == REFUSED or line.lost else logging.INFO
        log.log(level, "%s", line)
    for listener in listeners:
        listener()
