"""Plan -> effects -> Report: the only place where something is changed, all of it or nothing.

TensorFlow reads GPU settings once per process, so what is in force is kept here, per process, under one lock.
"""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import replace
from typing import Any, Callable

from tf1mem import routes
from tf1mem.applying.report import DONE, HANDED, NO_EFFECT, REFUSED, STANDS, Line, Report
from tf1mem.errors import RuntimeAlreadyStarted, TensorFlowRefusedError, Tf1memError
from tf1mem.hooks import watch
from tf1mem.machine import cuda as driver
from tf1mem.machine import runtime as facts
from tf1mem.planning import memory_pages as pages
from tf1mem.planning import plan as planning
from tf1mem.planning.plan import Plan
from tf1mem.planning.situation import Situation, is_late
from tf1mem.planning.steps import DETECT, EAGER, NONE, SESSION, Step, shown
from tf1mem.settings import protos
from tf1mem.settings.settings import COUNT, Settings, parse_visible

log = logging.getLogger("tf1mem")

_lock = threading.RLock()


class _InForce:
    """What this process lives under.

    Attributes:
        settings: The settings applied last, or None before the first.
        told: The ConfigProto that carries them, as TensorFlow is told.
        undo: How to put back what they changed, last first.
        report: What became of each setting of each config that was applied.
        pending: Settings for programs that bring none, applied when the runtime starts without any.
    """

    def __init__(self) -> None:
        self.settings: Settings | None = None
        self.told: Any = None
        self.undo: list[Callable[[], None]] = []
        self.report = Report()
        self.pending: Settings | None = None


_now = _InForce()


def _forget_in_child() -> None:
    """A lock that another thread held at the time of a fork would never be released in the child."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def apply(config: Any = None) -> Any:
    """Makes a TF1 config hold in this process, on whichever TensorFlow is installed.

    Stands inside an expression, `tf.Session(config=tf1mem.apply(config))`; a program without Sessions ignores what it
    returns. Call it before the first op, Session or device listing: TensorFlow reads these settings once.

    Args:
        config: A `tf.ConfigProto`, `tf.GPUOptions`, dict in the shape of ConfigProto, serialized bytes, path of a
            `.pbtxt`, `.json` or `.yaml` file, or `Settings`. What it leaves out has TF1's default, so soft
            placement is off unless it is asked for.

    Returns:
        A new ConfigProto for a Session, which carries every setting.

    Raises:
        SettingError: A value can't hold; nothing was changed.
        SettingTypeError: It is not a config.
        RuntimeAlreadyStarted: The runtime has started under other settings; the message says where.
        TensorFlowNotFoundError: No TensorFlow is installed.
    """
    return _apply(config, strict=True)


def apply_to_session(config: Any = None, alone: bool = True) -> Any:
    """As `apply`, for a Session of `tf1mem.v1`: settings that come too late are a warning.

    TensorFlow 1 took the first Session's settings and went on, so a program with a second config must go on here too.

    Args:
        config: As for `apply`.
        alone: Whether it is for this Session alone, which leaves to it what Sessions don't share, such as device_count;
            otherwise eager ops live under it too.
    """
    return _apply(config, strict=False, for_session=alone)


def apply_if_none(config: Any, on_error: Callable[[Tf1memError], None]) -> None:
    """Keeps settings ready for a program that brings none: applied just before the runtime starts.

    Nothing is started or changed before that, so what the program does to its environment first still counts.

    Args:
        config: As for `apply`.
        on_error: Called with what is wrong if they can't be applied.
    """
    settings = Settings.of(config)
    with _lock:
        _now.pending = settings

    def start() -> None:
        try:
            apply_pending()
        except Tf1memError as error:
            on_error(error)

    watch.before_first_start(start)


def apply_pending() -> None:
    """Applies the settings that were kept ready, if the program has brought none."""
    with _lock:
        pending, _now.pending = _now.pending, None
        if pending is None:
            return
        if _now.settings is None:
            _apply(pending, strict=False)
            return
        _leave(pending, "kept ready for a program without settings; this one has its own")


def close_pending() -> None:
    """Says of settings that are still kept ready that nothing came of them."""
    with _lock:
        pending, _now.pending = _now.pending, None
        if pending is not None:
            unused = "the program never started TensorFlow's runtime"
            _leave(pending, unused if _now.settings is None else "the program has its own")


def _leave(settings: Settings, why: str) -> None:
    lines = [Line(Step(path, shown(value), NONE, "", ""), NO_EFFECT, why) for path, value in settings.values.items()]
    _now.report = _now.report.and_then(lines)
    _tell(lines)


def report() -> Report:
    """What `apply` did in this process: `print(tf1mem.report())`."""
    with _lock:
        return _now.report


def session_default() -> Any:
    """The ConfigProto for Sessions without one, on a TensorFlow whose context can't hold it; else None."""
    from tf1mem.routes import session

    return session.default_config()


def _apply(config: Any, strict: bool, for_session: bool = False) -> Any:
    tf = facts.import_tensorflow()
    settings = Settings.of(config)
    proto = settings.to_proto()
    if settings.serialized is None:
        settings = replace(Settings.of(proto), spelled_defaults=settings.spelled_defaults)
    with _lock:
        if settings == _now.settings:
            return _for_others(_for_session(_now.told), for_session)
        runtime = _detect(tf, settings)
        late = _differing_late(settings, runtime)
        if late and strict:
            raise _too_late(settings, late)
        proto = _told(proto, settings, runtime)
        if runtime.gpus_started or runtime.context_started:
            _apply_late(tf, settings, proto, runtime, late, for_session)
        else:
            _replace(tf, settings, proto, runtime, late, for_session)
        return _for_others(_for_session(proto), for_session)


def _told(proto: Any, settings: Settings, runtime: facts.Runtime) -> Any:
    """What TensorFlow is told: the config that was asked for, but for caps that it would not hold."""
    if not pages.are_needed(runtime):
        return proto
    try:
        used = Situation(settings, runtime).used_gpus()
    except Tf1memError:
        return proto  # the plan says what is wrong
    return pages.in_pages(proto, settings, runtime, used)


def _detect(tf: Any, settings: Settings) -> facts.Runtime:
    """The runtime's facts. Where tf.config is about to start CUDA here anyway, the driver is asked here."""
    if not any(path.startswith("gpu_options.") or path == COUNT for path in settings.values):
        return facts.detect(lambda: None if driver.is_there() else ())  # no reason to start CUDA
    visible = settings.visible_gpus
    reorders = visible is not None and list(visible) != sorted(visible)
    elsewhere = facts.is_tf1(tf) or (reorders and not facts.cuda_started(tf))
    return facts.detect(driver.ask if elsewhere else driver.ask_here)


def _for_others(config: Any, for_session: bool) -> Any:
    """The config, which others that have none take from now on, unless it is one Session's own."""
    if not for_session:
        routes.servers.set_default(config)
        tf = facts.import_tensorflow()
        routes.keras.set_default(tf, config)
        routes.listings.set_default(tf, config)
    return config


def _for_session(proto: Any) -> Any:
    """The config for a Session: GPUs by the numbers that they have in this process."""
    from tf1mem.routes import environment

    order = environment.cuda_order()
    out = type(proto)()
    out.CopyFrom(proto)
    listed = out.gpu_options.visible_device_list
    if not listed.strip():
        if listed:
            out.gpu_options.visible_device_list = ""  # spaces alone, which a Session would refuse
        return out
    visible = parse_visible(listed)
    out.gpu_options.visible_device_list = ",".join(map(str, visible))  # without spaces
    if order is not None and all(gpu in order for gpu in visible):
        protos.renumber(out, ",".join(str(order.index(gpu)) for gpu in visible))
    return out


# --- before the runtime has started ----------------------------------------------------------------------------


def _replace(  # noqa: PLR0917 - the parts of one call of _apply
    tf: Any, settings: Settings, proto: Any, runtime: facts.Runtime, late: list[str], for_session: bool
) -> None:
    """Applies settings in place of those before; if a step fails, those before are back in force."""
    plan = planning.make(settings, runtime, for_session)
    before, undo = _now.undo, []  # type: tuple[list[Callable[[], None]], list[Callable[[], None]]]
    _now.undo = []
    undone = bool(before)
    try:
        if undone:
            _undo(before)
            plan = planning.make(settings, _detect(tf, settings), for_session)
        lines = [_late_line(line, late) for line in _perform(tf, plan, proto, undo)]
    except BaseException:
        try:
            _undo(undo)
        finally:
            if undone:
                _reinstate(tf)
        raise
    lines += _unplanned(settings, lines, late)
    report = _now.report.replaced_by(lines) if undone else _now.report.and_then(lines)
    _now.settings, _now.told, _now.undo = settings, proto, undo
    _now.report = Report(plan.runtime, report.lines)
    _tell(lines)


def _reinstate(tf: Any) -> None:
    """Does again what was undone to make way for settings that then failed."""
    settings = _now.settings
    assert settings is not None
    try:
        _perform(tf, planning.make(settings, _detect(tf, settings)), _now.told, _now.undo)
    except Exception as error:  # the error that led here says more: let that one be raised
        _now.settings = None
        log.error("the settings before could not be put back: %s", error)


def _undo(undos: list[Callable[[], None]]) -> None:
    """Puts everything back, last first, whatever one of them comes to.

    Raises:
        TensorFlowRefusedError: TensorFlow refused some of it.
    """
    refused: list[Exception] = []
    while undos:
        try:
            undos.pop()()
        except Exception as error:
            refused.append(error)
    if refused:
        raise TensorFlowRefusedError(
            "the settings applied before",
            "TensorFlow refused to take them back ({})".format("; ".join(map(str, refused))),
            "Leave what tf1mem set to tf1mem, or restart the program",
        ) from refused[0]


def _perform(tf: Any, plan: Plan, proto: Any, undo: list[Callable[[], None]]) -> list[Line]:
    if any(step.route == EAGER for step in plan.steps):
        routes.eager_config.claim()  # before anything asks for the context
    # Starting CUDA in an order comes before tf.config lists devices; a Session made at once comes last.
    ranked = sorted(plan.steps, key=lambda step: {"carry": 0, "cuda_order": 1, "start_now": 3}.get(step.action, 2))
    outcomes = {id(step): _one(tf, step, proto, undo) for step in ranked}
    return [outcomes[id(step)] for step in plan.steps if step.route != DETECT]


def _one(tf: Any, step: Step, proto: Any, undo: list[Callable[[], None]]) -> Line:
    if step.route in (NONE, DETECT):
        return Line(step, NO_EFFECT, step.reason)
    if not step.action:
        return Line(step, STANDS, step.reason)
    args = [_for_session(proto) if arg == "config" else arg for arg in step.args]
    try:
        undo.append(routes.ROUTES[step.route].ACTIONS[step.action](tf, *args))
    except routes.tf_config.NoGpuError:
        return Line(step, NO_EFFECT, "TensorFlow registers no GPU (it logs which CUDA library is missing)")
    except Tf1memError:
        raise
    except Exception as error:
        raise TensorFlowRefusedError(
            f"{step.setting}={step.value}",
            f"TensorFlow refused {step.call} ({error})",
            "What this call changed before is put back; see what the program set through tf.config itself",
        ) from error
    return Line(step, HANDED if step.action == "hand" else DONE, step.reason)


# --- after it has started --------------------------------------------------------------------------------------


def _apply_late(  # noqa: PLR0917 - the parts of one call of _apply
    tf: Any, settings: Settings, proto: Any, runtime: facts.Runtime, late: list[str], for_session: bool
) -> None:
    """After the runtime has started: what belongs to a Session still holds, the rest is what it was."""
    try:
        plan = planning.make(settings, runtime, for_session)
    except RuntimeAlreadyStarted:  # another order of GPUs: reported below as refused
        plan = Plan(settings, runtime, ())
    undo: list[Callable[[], None]] = []
    try:
        lines = _perform(tf, plan, proto, undo)
    except BaseException:
        _undo(undo)
        raise
    lines = [_late_line(line, late) for line in lines]
    lines += _unplanned(settings, lines, late)
    _now.report = Report(plan.runtime, _now.report.and_then(lines).lines)
    if not late:
        _now.settings, _now.told = settings, proto
    _tell(lines)


def _unplanned(settings: Settings, lines: list[Line], late: list[str]) -> list[Line]:
    """Lines for what the plan has none for: settings that went missing too late, and a Session's own."""
    planned = {line.step.setting for line in lines}
    missing = [Step(path, _value(settings, path), NONE, "", "", late=True) for path in late if path not in planned]
    handed = [
        Line(Step(path, shown(value), SESSION, "", "", "hand"), HANDED, "in the config for this Session")
        for path, value in settings.values.items()
        if path not in planned and path not in late
    ]
    return [_late_line(Line(step, NO_EFFECT, ""), late) for step in missing] + handed


def _late_line(line: Line, late: list[str]) -> Line:
    path = line.step.setting
    if path in late:
        if line.outcome == HANDED:
            return line  # the Session is given it all the same; that TensorFlow refuses it is another line
        why = "the runtime was started by {} with {}".format(watch.first_start() or "an eager op", _in_force(path))
        return Line(line.step, REFUSED, why)
    if line.step.late:
        return Line(line.step, STANDS, "in force since the runtime started")
    return line


def _differing_late(settings: Settings, runtime: facts.Runtime) -> list[str]:
    """The settings that differ from those in force, and that TensorFlow won't read again."""
    here: dict[str, Any] = dict(_now.settings.values) if _now.settings else {}
    paths = [*settings.values, *(path for path in here if path not in settings.values)]
    return [path for path in paths if settings.get(path) != here.get(path) and is_late(path, settings, runtime)]


def _too_late(settings: Settings, differing: list[str]) -> RuntimeAlreadyStarted:
    asked = ", ".join(f"{path}={_value(settings, path)}" for path in differing)
    here = ", ".join(_in_force(path) for path in differing)
    start = watch.first_start() or "an eager op"
    return RuntimeAlreadyStarted(
        asked,
        f"TensorFlow's runtime was started by {start}, and {here} is in force",
        "Call tf1mem.apply before that, or give every config the same settings",
    )


def _in_force(path: str) -> str:
    if _now.settings is None:
        return f"{path} as TensorFlow or the program set it"
    return f"{path}={_value(_now.settings, path)}"


def _value(settings: Settings | None, path: str) -> str:
    value = None if settings is None else settings.get(path)
    return "(default)" if value is None else shown(value)


# --- telling ---------------------------------------------------------------------------------------------------


def _tell(lines: list[Line]) -> None:
    """One log line a setting."""
    for line in lines:
        level = logging.WARNING if line.outcome == REFUSED or line.lost else logging.INFO
        log.log(level, "%s", line)
