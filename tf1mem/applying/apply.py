"""Puts the settings of a config in force in this process: all of them or none.

Until TensorFlow's runtime starts, a config replaces the one before. After that, only settings that each Session reads
for itself can change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from tf1mem.applying import late
from tf1mem.applying.execution import for_session, log, perform, tell, undo_all
from tf1mem.applying.in_force import NOW
from tf1mem.applying.outside import apply_override
from tf1mem.applying.report import OVERRIDDEN, Line, Report
from tf1mem.errors import RuntimeAlreadyStarted
from tf1mem.hooks.starts import last_before_first_start
from tf1mem.machine import cuda, eager_context
from tf1mem.machine.runtime import Runtime, cuda_started, detect
from tf1mem.machine.tensorflow import import_tensorflow, is_tf1
from tf1mem.planning import default_config
from tf1mem.planning.plan import Plan, make
from tf1mem.routes import session
from tf1mem.settings import protos
from tf1mem.settings.field_names import COUNT, SOFT
from tf1mem.settings.settings import Settings

if TYPE_CHECKING:
    from tf1mem.settings.accepted import Config
    from tf1mem.settings.proto_types import ConfigProto


def apply(config: Config | None = None) -> ConfigProto:
    """Puts a TensorFlow 1 config in force for this process, on whichever TensorFlow is installed.

    Call it before the first op, Session or device listing: TensorFlow reads these settings once. It can also be called
    while a Session is created, as in `tf.Session(config=tf1mem.apply(config))`.

    Args:
        config: A `tf.ConfigProto`, `tf.GPUOptions`, dict in the shape of ConfigProto, serialized bytes, path of a
            `.pbtxt`, `.json` or `.yaml` file, or `Settings`. A field that a ConfigProto doesn't set has TensorFlow 1's
            default, so soft placement is off. A field that a dict, JSON, YAML or `tf1mem.config` doesn't set is left
            to TensorFlow. None stands for an empty ConfigProto.

    Returns:
        A new ConfigProto for a Session, with every setting. A program without Sessions can ignore it.

    Raises:
        SettingError: TensorFlow 1 refuses a value or has no such field, or a value doesn't fit this machine's GPUs;
            nothing was changed.
        SettingTypeError: A value has the wrong type; or `config` is not a config (`NotAConfigError`).
        ConfigFileError: The file is missing, or can't be read as a config.
        RuntimeAlreadyStarted: The runtime has started with other settings; the message names the line that started it.
        TensorFlowRefusedError: TensorFlow refused a call that makes a setting; the earlier settings are restored.
        TensorFlowNotFoundError: No TensorFlow is installed.
        TensorFlowTooOldError: TensorFlow is older than 1.13.
    """
    applied: ConfigProto = _apply(config, strict=True)
    return applied


def apply_to_session(config: Any = None, alone: bool = True) -> Any:
    """Applies a config like `apply`, for a Session of `tf1mem.v1`, with a warning for settings that come too late.

    TensorFlow 1 kept the first Session's settings and went on, so a program with a second config must go on here, too.

    Args:
        config: The config, as for `apply`.
        alone: True if the config is for this Session alone: its device_count then holds for this Session only, and
            Servers and other calls without a config don't get the config. With False, all of it also holds for eager
            ops and for these calls.

    Returns:
        The ConfigProto for the Session, as `apply` returns it.
    """
    return _apply(config, strict=False, alone=alone)


def report() -> Report:
    """Returns the outcome of each setting that was applied in this process: `print(tf1mem.report())`."""
    with NOW.lock:
        return NOW.report


def config_for_sessions() -> Any:
    """Returns the ConfigProto for Sessions without one; None if such Sessions get the eager context's settings."""
    return session.config_for_sessions()


class _Request(NamedTuple):
    """One call of `apply`.

    Attributes:
        tf: TensorFlow.
        settings: The settings of the config.
        proto: The config as a ConfigProto.
        alone: True if the config is for one Session alone.
        late: The dotted names of the fields that come too late.
    """

    tf: Any
    settings: Settings
    proto: Any
    alone: bool
    late: list[str]

    def plan(self, runtime: Runtime) -> Plan:
        return make(self.settings, runtime, self.alone)


def _apply(config: Any, strict: bool, alone: bool = False) -> Any:
    """Applies a config; settings that come too late raise an error if `strict`, else lead to a warning."""
    tf = import_tensorflow()
    settings = Settings.of(config)
    proto = settings.to_proto()
    if settings.serialized is None:
        settings = replace(Settings.of(proto), spelled_defaults=settings.spelled_defaults)
    with NOW.lock:
        overridden: list[Line] = []
        if NOW.override is not None:
            settings, proto, overridden = apply_override(settings, proto, NOW.override)
            settings = _without_replaced_defaults(tf, settings, overridden)
        applied = _put_in_force(tf, settings, proto, strict, alone)
        overridden = [line for line in overridden if line not in NOW.report.lines]
        if overridden:
            NOW.report = NOW.report.and_then(overridden)
            tell(overridden)
        return for_session(applied)


def _without_replaced_defaults(tf: Any, settings: Settings, overridden: list[Line]) -> Settings:
    """Returns the settings without spelled-out defaults that an override has replaced.

    The report has an "overridden" line for each replaced default. So its earlier line, which says that the default
    changes nothing, is removed from the report.
    """
    lines = [*NOW.report.lines, *overridden]
    replaced = {line.step.setting for line in lines if line.outcome == OVERRIDDEN}
    NOW.report = replace(
        NOW.report,
        lines=tuple(
            line
            for line in NOW.report.lines
            if not (line.step.setting in replaced and line.step.harmless and line.step.value is None)
        ),
    )
    if not is_tf1(tf):
        replaced.discard(SOFT)  # on TF2 its default gets a real step, and no remark
    defaults = tuple(path for path in settings.spelled_defaults if path not in replaced)
    return replace(settings, spelled_defaults=defaults)


def _put_in_force(tf: Any, settings: Settings, proto: Any, strict: bool, alone: bool) -> Any:
    """Puts settings in force, unless they are already; `strict` and `alone` are those of `_apply`.

    Returns:
        The ConfigProto as TensorFlow got it.

    Raises:
        RuntimeAlreadyStarted: Settings come too late, and `strict` is True; or, whatever `strict` is, CUDA has started
            without a configured GPU or in another order, and the runtime has not.
    """
    if settings == NOW.settings:
        if not alone and not NOW.is_shared:
            _share(tf, settings)
        return NOW.config
    runtime = _detect(tf, settings)
    request = _Request(tf, settings, proto, alone, late.differing(settings, runtime))
    if request.late and strict:
        raise late.error(settings, request.late)
    if runtime.gpus_started or runtime.context_started:
        return _apply_late(request, runtime)
    return _replace(request, runtime)


def _detect(tf: Any, settings: Settings) -> Runtime:
    """Returns the facts about the runtime, with the GPUs only if a setting is about GPUs.

    The driver is asked in this process if tf.config is about to start CUDA here anyway, else in a child process.
    """
    if not any(path.startswith("gpu_options.") or path == COUNT for path in settings.values):
        return detect(lambda: None if cuda.load_driver() else ())  # no reason to start CUDA
    visible = settings.visible_gpus
    reorders = visible is not None and list(visible) != sorted(visible)
    elsewhere = is_tf1(tf) or (reorders and not cuda_started())
    return detect(cuda.ask if elsewhere else cuda.ask_here)


def _with_caps(proto: Any, plan: Plan) -> Any:
    """Returns the ConfigProto for TensorFlow: the program's, with the plan's caps if these were rounded to pages."""
    return proto if plan.caps is None else protos.with_memory(proto, *plan.caps)


def _share(tf: Any, settings: Settings) -> None:
    """Makes one Session's settings, which are in force, also those of Servers and other calls without a config."""
    runtime = NOW.report.runtime
    assert runtime is not None
    lines = perform(tf, Plan(settings, runtime, (default_config.step(settings, runtime),)), NOW.config, NOW.undo)
    NOW.is_shared = True
    NOW.report = NOW.report.and_then(lines)
    tell(lines)


def _replace(request: _Request, runtime: Runtime) -> Any:
    """Replaces the settings in force, before the runtime has started; restores them if a step fails.

    Returns:
        The ConfigProto as TensorFlow got it.
    """
    tf, settings = request.tf, request.settings
    plan = request.plan(runtime)
    before, NOW.undo = NOW.undo, []
    undo: list[Callable[[], None]] = []
    undone = bool(before)
    try:
        if undone:
            undo_all(before)
            plan = request.plan(_detect(tf, settings))
        config = _with_caps(request.proto, plan)
        lines = late.lines(settings, perform(tf, plan, config, undo), request.late)
    except BaseException:
        try:
            undo_all(undo)
        finally:
            if undone:
                _reinstate(tf)
        raise
    done = NOW.report.replaced_by(lines) if undone else NOW.report.and_then(lines)
    NOW.settings, NOW.config, NOW.is_shared, NOW.undo = settings, config, not request.alone, undo
    NOW.report = Report(plan.runtime, done.lines)
    NOW.planned_on = eager_context.current(), eager_context.splits()
    last_before_first_start(_plan_again)
    tell(lines)
    return config


def _plan_again() -> None:
    """Plans again just before the runtime starts, if the program has changed the state that the plan was made for.

    The program may have created logical devices, with which TensorFlow drops growth and refuses a fraction. Or a call
    of the program has made TensorFlow create another eager context, which lacks the settings of the first.
    """
    with NOW.lock:
        settings, (context, splits) = NOW.settings, NOW.planned_on
        NOW.planned_on = None, False
        if settings is None or eager_context.has_started():
            return
        is_another = context is not None and eager_context.current() is not context
        if is_another or eager_context.splits() != splits:
            tf = import_tensorflow()
            _replace(_Request(tf, settings, settings.to_proto(), not NOW.is_shared, []), _detect(tf, settings))


def _reinstate(tf: Any) -> None:
    """Applies the earlier settings again, which were undone before the new ones failed; logs an error if it can't."""
    settings = NOW.settings
    assert settings is not None
    try:
        perform(tf, make(settings, _detect(tf, settings), not NOW.is_shared), NOW.config, NOW.undo)
    except Exception as error:  # only logged, since the error of the new settings says more and is raised
        NOW.settings = None
        log.error("the earlier settings could not be restored: %s", error)


def _apply_late(request: _Request, runtime: Runtime) -> Any:
    """Applies settings after the runtime has started: a Session's own fields take effect, all others stay as they were.

    Returns:
        The ConfigProto as TensorFlow got it.
    """
    settings = request.settings
    try:
        plan = request.plan(runtime)
    except RuntimeAlreadyStarted:  # the config has another order of GPUs: reported below as refused
        plan = Plan(settings, runtime, () if request.alone else (default_config.step(settings, runtime),))
    config = _with_caps(request.proto, plan)
    undo: list[Callable[[], None]] = []
    try:
        lines = late.lines(settings, perform(request.tf, plan, config, undo), request.late)
    except BaseException:
        undo_all(undo)
        raise
    NOW.report = Report(plan.runtime, NOW.report.and_then(lines).lines)
    if not request.late:
        NOW.settings, NOW.config, NOW.is_shared = settings, config, not request.alone
    elif not request.alone:
        NOW.is_shared = False  # other calls now get the config that came too late
    tell(lines)
    return config
