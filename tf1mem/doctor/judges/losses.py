"""Findings about settings that came too late, were ignored, or were overridden.

TensorFlow reads these settings once, when a process makes its first GPU device
(tensorflow/core/common_runtime/gpu/gpu_device.cc and gpu_process_state.cc); it makes thread pools with the first
devices (local_device.cc, direct_session.cc).
"""

from __future__ import annotations

from typing import Any, Iterator

from tf1mem.applying.report import NO_EFFECT, REFUSED, REPLACED
from tf1mem.doctor.checkup.variables import CUDA, RUNTIME, read_by
from tf1mem.doctor.finding import CodemodRewrite, Finding, Kind
from tf1mem.doctor.watch.record import (
    GPU_CALLS,
    LIMIT_CALLS,
    THREAD_CALLS,
    Event,
    Record,
    call_text,
    gpu_settings,
    place,
    settings_text,
    thread_settings,
)
from tf1mem.doctor.watch.within.record import EAGER_CONTEXT, LISTING
from tf1mem.planning.steps import DEFAULT_CONFIG, shown
from tf1mem.settings.field_names import FRACTION, GROWTH, VIRTUAL, VISIBLE

_SESSIONLESS = (EAGER_CONTEXT, LISTING)  # these start the runtime without a Session


def findings(record: Record) -> Iterator[Finding]:
    """Yields findings about the settings that took effect and those that did not.

    Args:
        record: record of the script's process.
    """
    start = record.start
    if not record.reports_of_tf1mem:  # tf1mem uses other fields for settings and reports their outcomes itself
        if start is not None:
            yield from _sessions(record, start)
            yield from _overridden(record, start)
        yield from _lists_of_gpus(record)
    yield from _calls(record, start)
    yield from _eager(record)
    yield from _variables(record, start)


LATE = Kind.error(
    "TFD201",
    "A config came after the GPU runtime had started, and was ignored.",
    "`tf1mem.apply(config)` before the line that started the runtime",
    reported_by=("TFM403",),
)
SESSIONS_DIFFER = Kind.warning(
    "TFD207",
    "Sessions have different GPU settings: the first one's count.",
    "Use one config for all, or put all settings into the first",
    reported_by=("TFM222",),
)
LATE_THREADS = Kind.warning(
    "TFD211",
    "Thread settings came after the thread pools had been made.",
    "Set them earlier, or `use_per_session_threads=True`",
    reported_by=("TFM403",),
)


def _sessions(record: Record, start: Event) -> Iterator[Finding]:
    """Yields findings about settings of Sessions that came after the runtime had started."""
    first, in_force = place(start), gpu_settings(start["settings"])
    by_session = start["by"] not in _SESSIONLESS and any(it["given"] for it in record.of("session") if not it["late"])
    for session in record.of("session"):
        if not session["late"] or not session["given"] or session.get("error"):
            continue
        where = place(session)
        head = f"The {session['kind']} at {where.short} asks for"
        lost = _lost(gpu_settings(session["given"]), in_force)
        if lost:
            yield (SESSIONS_DIFFER if by_session else LATE).finding(
                f"{head} {settings_text(lost)}, and is ignored: the GPU runtime was started at {first}, with "
                f"{settings_text(in_force)}.",
                "Put all settings into the first Session's config, or use one config for all"
                if by_session
                else f"Call tf1mem.apply(config) before {first.short}, or make this Session there",
                where,
            )
        threads = _lost(thread_settings(session["given"]), thread_settings(start["settings"]))
        if threads:
            yield LATE_THREADS.finding(
                f"{head} {settings_text(threads)}, and is ignored: the thread pools were made at {first}.",
                f"Set it before {first.short}, or give this Session use_per_session_threads=True",
                where,
            )


def _lost(session_settings: dict[str, Any], in_force: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in session_settings.items() if in_force.get(name) != value}


OVERRIDDEN = Kind.error(
    "TFD203",
    "A Session's ConfigProto overrode settings that tf.config had made before.",
    "Put all settings into the ConfigProto; `tf1mem.apply(config)` applies to both",
)


def _overridden(record: Record, start: Event) -> Iterator[Finding]:
    """Yields findings for tf.config settings before the first Session with a ConfigProto, which ignores tf.config."""
    first = next((session for session in record.of("session") if not session["late"] and session["given"]), None)
    if first is None or start["by"] in _SESSIONLESS:
        return
    where = place(first)
    for event in record.of("setting"):
        if event["late"] or event.get("error") or _sets_the_same(event, first["given"]):
            continue
        yield OVERRIDDEN.finding(
            f"{call_text(event)} at {place(event).short} is overridden by the ConfigProto of the {first['kind']} at "
            f"{where.short}: a Session with a config takes nothing from tf.config.",
            "Put all settings into the ConfigProto, or give the Session no config; tf1mem.apply(config) applies one "
            "config to both",
            where,
        )


def _sets_the_same(event: Event, config: dict[str, Any]) -> bool:
    """Returns True if a ConfigProto sets what a tf.config call sets, or if the call sets nothing that could be lost."""
    call, value = event["call"], event["arguments"][-1] if event["arguments"] else ""
    if call in LIMIT_CALLS:
        return bool(config.get(VIRTUAL) or config.get(FRACTION))
    if call == "set_visible_devices":
        return bool(config.get(VISIBLE) or config.get("device_count"))
    if call in THREAD_CALLS:
        return value == str(config.get(call[len("set_") :]))
    flag = {
        "set_memory_growth": GROWTH,
        "set_soft_device_placement": "allow_soft_placement",
        "set_log_device_placement": "log_device_placement",
    }.get(call)
    return flag is None or value == str(bool(config.get(flag)))


LISTS_DIFFER = Kind.error(
    "TFD208",
    "Sessions have different visible_device_lists, which TensorFlow refuses.",
    "Make all GPUs visible, and place ops by `tf.device`; or use a process for each",
)
LIST_WITHIN = Kind.note(
    "TFD229",
    "A visible_device_list counts the GPUs that CUDA_VISIBLE_DEVICES leaves.",
    "Choose GPUs in one of the two places",
)


def _lists_of_gpus(record: Record) -> Iterator[Finding]:
    """Yields findings about lists of visible GPUs: Sessions' that differ, and one within CUDA_VISIBLE_DEVICES."""
    first: Event | None = None
    for session in record.of("session"):
        listed, error = (session["given"] or {}).get(VISIBLE), session.get("error")
        where = place(session)
        before = (first["given"] or {}).get(VISIBLE) if first is not None else listed
        if first is not None and listed and listed != before:
            yield LISTS_DIFFER.finding(
                f"The {session['kind']} at {where.short} has visible_device_list={listed!r}, and the one at "
                f"{place(first).short} had {'none' if before is None else repr(before)}: TensorFlow maps GPUs once in "
                f"a process{', and refuses' if error else ''}.",
                "Make all GPUs visible to both, and place ops with tf.device('/gpu:1'); or use a process for each",
                where,
            )
        variable = record.environment_at(session["order"]).get("CUDA_VISIBLE_DEVICES")
        if listed and variable is not None:
            yield LIST_WITHIN.finding(
                f"visible_device_list={listed!r} at {where.short} counts within CUDA_VISIBLE_DEVICES={variable}: 0 is "
                f"the first GPU there.{f' {error}.' if error else ''}",
                "Choose GPUs in one of the two places, not in both",
                where,
            )
        first = first or session


BOTH_REFUSED = Kind.error(
    "TFD205",
    "Growth was refused, because the GPU had a memory limit.",
    "`tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…))`",
    CodemodRewrite("apply", ("TFM402",)),
)
LATE_REFUSED = Kind.error(
    "TFD202",
    "A tf.config call came after the GPU runtime had started, and was refused.",
    "Move the call before that line; in a notebook, restart the kernel",
    reported_by=("TFM403",),
)
REFUSED_SETTING = Kind.warning("TFD227", "TensorFlow refused a setting.", "See TensorFlow's message")


def _calls(record: Record, start: Event | None) -> Iterator[Finding]:
    """Yields findings about calls of tf.config that came too late, or were refused."""
    first = None if start is None else place(start)
    for event in record.of("setting"):
        where, error = place(event), event.get("error")
        text = f"{call_text(event)} at {where.short}"
        if error and "virtual devices configured" in error:
            yield BOTH_REFUSED.finding(
                f"{text} is refused, because the GPU has a memory limit already: tf.config can't set both.",
                "tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…)) gives both",
                where,
            )
        elif event["late"] and first is not None and (error or event["call"] in GPU_CALLS + THREAD_CALLS):
            outcome = "is refused ({})".format(error.split(": ", 1)[-1]) if error else "is silently ignored"
            yield (LATE_THREADS if event["call"] in THREAD_CALLS else LATE_REFUSED if error else LATE).finding(
                f"{text} {outcome}: the runtime was started at {first}.",
                f"Move it before {first.short}; in a notebook, restart the kernel",
                where,
            )
        elif error:
            yield REFUSED_SETTING.finding(
                "{} is refused: {}.".format(text, error.rstrip(".")), "See TensorFlow's message", where
            )


EAGER_IGNORED = Kind.error(
    "TFD214",
    "A config given to enable_eager_execution was ignored.",
    "Call `tf1mem.apply(config)` instead",
    CodemodRewrite("apply", ("TFM208",)),
)


def _eager(record: Record) -> Iterator[Finding]:
    """Yields a finding for each config that `enable_eager_execution` ignored."""
    for event in record.of("eager_config"):
        if event["ignored"]:
            where = place(event)
            yield EAGER_IGNORED.finding(
                f"enable_eager_execution(config=…) at {where.short} asks for {settings_text(event['given'])}, and is "
                "ignored: eager execution is on already.",
                "Call tf1mem.apply(config) instead, before the first op",
                where,
            )


LATE_VARIABLE = Kind.error(
    "TFD210",
    "The script set an environment variable after TensorFlow or CUDA had read it.",
    "Set it before TensorFlow is imported, or outside of the script",
    reported_by=("TFM407",),
)


def _variables(record: Record, start: Event | None) -> Iterator[Finding]:
    """Yields findings about environment variables that were set after they had been read."""
    listing = next(iter(record.of("cuda")), None)
    for event in record.of("variable"):
        where, reader = place(event), read_by(event["name"])
        if reader == CUDA and listing is not None and listing["order"] < event["order"]:
            by = f"CUDA was started at {place(listing)}"
        elif reader in (CUDA, RUNTIME) and event["late"] and start is not None:
            by = f"the runtime was started at {place(start)}"
        elif reader.lower() in event["loaded"]:
            by = f"{reader} was imported before, and reads it at its import"
        else:
            continue
        yield LATE_VARIABLE.finding(
            f"{event['name']}={event['value']} is set at {where.short}, too late: {by}.",
            "Set it at the top of the script, before TensorFlow is imported, or outside of it",
            where,
        )


LOST_UNDER_TF1MEM = Kind.warning("TFD225", "tf1mem reports that a setting was lost.", "`print(tf1mem.report())`")


def under_tf1mem(record: Record) -> Iterator[Finding]:
    """Yields a finding for each setting that tf1mem reports as lost, if tf1mem was in use (`tf1mem.report()`).

    Args:
        record: record of the script's process.
    """
    for line in record.reports_of_tf1mem:
        if line["route"] == DEFAULT_CONFIG or line["value"] is None:
            continue  # replaced by another config, which has its own lines, or never set
        if line["outcome"] in (NO_EFFECT, REFUSED, REPLACED):
            yield LOST_UNDER_TF1MEM.finding(
                "{}={}: {} ({}).".format(line["setting"], shown(line["value"]), line["outcome"], line["why"]),
                "print(tf1mem.report()) shows all of them",
            )
