"""What came too late, was ignored, or was overridden: TensorFlow reads these settings once.

The first GPU device that is made in a process decides (tensorflow/core/common_runtime/gpu/gpu_device.cc and
gpu_process_state.cc); thread pools are made with the first devices (local_device.cc, direct_session.cc).
"""

from __future__ import annotations

from typing import Any, Iterator

from tf1mem.doctor.findings import Finding
from tf1mem.doctor.judging import settings as told
from tf1mem.doctor.observed import Event, Observed, place

_WITHOUT = ("the eager context", "a listing of devices")  # what starts the runtime and is no Session


def findings(seen: Observed) -> Iterator[Finding]:
    """Findings about what held and what didn't.

    Args:
        seen: What was seen of the script.
    """
    start = seen.start
    if not seen.reports_of_tf1mem:  # tf1mem carries settings by other fields, and says itself what became of them
        if start is not None:
            yield from _sessions(seen, start)
            yield from _overridden(seen, start)
        yield from _lists_of_gpus(seen)
    yield from _calls(seen, start)
    yield from _eager(seen)
    yield from _variables(seen, start)


def _sessions(seen: Observed, start: Event) -> Iterator[Finding]:
    first = place(start)
    by_session = start["by"] not in _WITHOUT and any(it["given"] for it in seen.of("session") if not it["late"])
    for session in seen.of("session"):
        if not session["late"] or not session["given"] or session.get("error"):
            continue
        where = place(session)
        lost = _lost(told.of_gpus(session["given"]), told.of_gpus(start["settings"]))
        if lost:
            yield Finding(
                "TFD207" if by_session else "TFD201",
                "The {} at {} asks for {}, and is ignored: the GPU runtime was started at {}, with {}.".format(
                    session["kind"], where.short, told.text(lost), first, told.text(told.of_gpus(start["settings"]))
                ),
                "Give the first Session all that is to hold, or use one config for all"
                if by_session
                else f"Call tf1mem.apply(config) before {first.short}, or make this Session there",
                where.file,
                where.line,
            )
        threads = _lost(told.of_threads(session["given"]), told.of_threads(start["settings"]))
        if threads:
            yield Finding(
                "TFD211",
                "The {} at {} asks for {}, and is ignored: the thread pools were made at {}.".format(
                    session["kind"], where.short, told.text(threads), first
                ),
                f"Say it before {first.short}, or give this Session use_per_session_threads=True",
                where.file,
                where.line,
            )


def _lost(asked: dict[str, Any], in_force: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if in_force.get(name) != value}


def _overridden(seen: Observed, start: Event) -> Iterator[Finding]:
    """What tf.config was told before a Session with a ConfigProto started the runtime, which takes that only."""
    first = next((session for session in seen.of("session") if not session["late"] and session["given"]), None)
    if first is None or start["by"] in _WITHOUT:
        return
    where = place(first)
    for event in seen.of("setting"):
        if event["late"] or event.get("error") or _says_the_same(event, first["given"]):
            continue
        yield Finding(
            "TFD203",
            "{} at {} is overridden by the ConfigProto of the {} at {}: a Session that is given a config takes "
            "nothing from tf.config.".format(told.call_text(event), place(event).short, first["kind"], where.short),
            "Say all of it in the ConfigProto, or give the Session no config; tf1mem.apply(config) makes one config "
            "hold for both",
            where.file,
            where.line,
        )


def _says_the_same(event: Event, given: dict[str, Any]) -> bool:
    """Whether a ConfigProto says what a call of tf.config said, or the call says nothing that could be lost."""
    call, value = event["call"], event["arguments"][-1] if event["arguments"] else ""
    if call == "set_memory_growth":
        return value == str(bool(given.get(told.GROWTH)))
    if call in ("set_virtual_device_configuration", "set_logical_device_configuration"):
        return bool(given.get(told.VIRTUAL) or given.get(told.FRACTION))
    if call == "set_visible_devices":
        return bool(given.get(told.VISIBLE) or given.get("device_count"))
    if call == "set_soft_device_placement":
        return value == str(bool(given.get("allow_soft_placement")))
    if call == "set_log_device_placement":
        return value == str(bool(given.get("log_device_placement")))
    if call in told.OF_THREADS:
        return value == str(given.get(call[len("set_") :]))
    return True


def _lists_of_gpus(seen: Observed) -> Iterator[Finding]:
    first: Event | None = None
    for session in seen.of("session"):
        given = session["given"] or {}
        listed = given.get(told.VISIBLE)
        where = place(session)
        if first is not None and listed and listed != (first["given"] or {}).get(told.VISIBLE):
            before = (first["given"] or {}).get(told.VISIBLE)
            yield Finding(
                "TFD208",
                "The {} at {} has visible_device_list={!r}, and the one at {} had {}: TensorFlow maps GPUs once in a "
                "process{}.".format(
                    session["kind"],
                    where.short,
                    listed,
                    place(first).short,
                    "none" if before is None else repr(before),
                    ", and refuses" if session.get("error") else "",
                ),
                "Make all GPUs visible to both, and place ops with tf.device('/gpu:1'); or a process for each",
                where.file,
                where.line,
            )
        variable = seen.environment_at(session["order"]).get("CUDA_VISIBLE_DEVICES")
        if listed and variable is not None:
            yield Finding(
                "TFD229",
                "visible_device_list={!r} at {} counts within CUDA_VISIBLE_DEVICES={}: 0 is its first.{}".format(
                    listed, where.short, variable, " " + session["error"] + "." if session.get("error") else ""
                ),
                "Choose GPUs in one of the two places, not in both",
                where.file,
                where.line,
            )
        first = first or session


def _calls(seen: Observed, start: Event | None) -> Iterator[Finding]:
    first = None if start is None else place(start)
    for event in seen.of("setting"):
        where, error = place(event), event.get("error")
        text = f"{told.call_text(event)} at {where.short}"
        if error and "virtual devices configured" in error:
            yield Finding(
                "TFD205",
                f"{text} is refused, because the GPU has a memory limit already: tf.config has not both.",
                "tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…)) gives both",
                where.file,
                where.line,
            )
        elif event["late"] and first is not None and (error or event["call"] in told.OF_GPUS + told.OF_THREADS):
            outcome = "is refused ({})".format(error.split(": ", 1)[-1]) if error else "is ignored without a word"
            code = "TFD211" if event["call"] in told.OF_THREADS else "TFD202" if error else "TFD201"
            yield Finding(
                code,
                f"{text} {outcome}: the runtime was started at {first}.",
                f"Move it before {first.short}; in a notebook, restart the kernel",
                where.file,
                where.line,
            )
        elif error:
            yield Finding(
                "TFD227",
                "{} is refused: {}.".format(text, error.rstrip(".")),
                "See TensorFlow's words",
                where.file,
                where.line,
            )


def _eager(seen: Observed) -> Iterator[Finding]:
    for event in seen.of("eager_config"):
        if event["ignored"]:
            where = place(event)
            yield Finding(
                "TFD214",
                "enable_eager_execution(config=…) at {} asks for {}, and is ignored: eager execution is on "
                "already.".format(where.short, told.text(event["given"])),
                "Call tf1mem.apply(config) in its place, before the first op",
                where.file,
                where.line,
            )


# Which of the variables are read when, and not again.
_AT_START = (
    "TF_FORCE_GPU_ALLOW_GROWTH TF_GPU_ALLOCATOR TF_GPU_THREAD_MODE TF_GPU_THREAD_COUNT "
    "TF_ENABLE_GPU_GARBAGE_COLLECTION TF_PER_DEVICE_MEMORY_LIMIT_MB TF_DEVICE_MIN_SYS_MEMORY_IN_MB TF_XLA_FLAGS "
    "TF_NUM_INTRAOP_THREADS TF_NUM_INTEROP_THREADS"
).split()
_BY_CUDA = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")


def _variables(seen: Observed, start: Event | None) -> Iterator[Finding]:
    listing = next(iter(seen.of("cuda")), None)
    for event in seen.of("variable"):
        name, where, by = event["name"], place(event), None
        if name in _BY_CUDA and listing is not None and listing["order"] < event["order"]:
            by = f"CUDA was started at {place(listing)}"
        elif name in _BY_CUDA + tuple(_AT_START) and event["late"] and start is not None:
            by = f"the runtime was started at {place(start)}"
        elif name == "TF_USE_LEGACY_KERAS" and "tensorflow" in event["loaded"]:
            by = "TensorFlow was imported before, and reads it then"
        elif name == "KERAS_BACKEND" and "keras" in event["loaded"]:
            by = "Keras was imported before, and reads it then"
        if by is not None:
            yield Finding(
                "TFD210",
                "{}={} is set at {}, too late: {}.".format(name, event["value"], where.short, by),
                "Set it at the top of the script, before TensorFlow is imported, or outside of it",
                where.file,
                where.line,
            )
