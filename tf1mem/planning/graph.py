"""Plans every setting that isn't about GPUs: placement, threads, graph options and all other fields."""

from __future__ import annotations

from typing import Iterator

from tf1mem.planning.draft import LACKING, Draft
from tf1mem.planning.steps import TF_CONFIG, Step, handed
from tf1mem.settings import fields
from tf1mem.settings.field_names import LOG, SOFT

# The first version in which tf.config's setters of placement reach an eager context that has started: see
# TFE_ContextSetSoftDevicePlacement in tensorflow/python/eager/context.py.
_PLACEMENT_IS_LIVE = (2, 3)
_READ_ONCE = "the eager context has started, and reads this once before TensorFlow 2.3: holds for Sessions only"


def placement(draft: Draft) -> Iterator[Step]:
    """Yields the steps for soft placement, whose default TF2 reversed, and for logging of placement."""
    draft.planned.update((SOFT, LOG))
    soft = draft.settings.soft_placement
    if draft.runtime.context_started and draft.runtime.version.release < _PLACEMENT_IS_LIVE:
        # For a ConfigProto that doesn't set it, `soft` is False: TF1's default.
        values = {SOFT: soft, LOG: draft.settings.get(LOG)}
        for path, value in values.items():
            if not draft.runtime.is_tf1 and value is not None:
                yield handed(path, bool(value), _READ_ONCE, loud=True)
        return
    if soft is None:
        pass  # left to TensorFlow
    elif not draft.can_call(fields.SET_SOFT_PLACEMENT):
        if not draft.runtime.is_tf1:
            yield handed(SOFT, soft, LACKING + "; holds for Sessions only")
    elif soft or not draft.runtime.is_tf1:
        why = "ops move to where they have a kernel" if soft else "TF1's default, which TF2 reversed: no op is moved"
        yield Step(SOFT, soft, TF_CONFIG, f"{fields.SET_SOFT_PLACEMENT}({soft})", why, "soft", (soft,))
    if draft.settings.get(LOG) and draft.has_tf_config:
        if draft.runtime.has("debugging.set_log_device_placement"):
            yield draft.call(LOG, fields.SET_LOG_PLACEMENT + "(True)", "for eager ops and tf.function too", "log", True)
        else:
            yield from draft.otherwise(LOG, LACKING)


def other_fields(draft: Draft) -> Iterator[Step]:
    """Yields the steps for every field that has none yet: those about threads first."""
    order = sorted(
        (path for path in draft.settings.values if path not in draft.planned),
        key=lambda path: (not path.endswith("parallelism_threads"), "threads" not in path),
    )
    for path in order:
        yield from _field(draft, fields.field(path))


def _field(draft: Draft, row: fields.Field) -> Iterator[Step]:
    """Yields the step for a field that no other function plans."""
    value = draft.settings.get(row.path)
    if row.path.startswith("gpu_options.") and draft.no_gpu:
        yield draft.nothing_to_act_on(row.path)
    elif draft.is_late(row.path):
        yield draft.late_step(row.path)
    elif not draft.has_tf_config:
        return  # 1.13: `remarks.handed_to_sessions` has one step for all fields
    elif row.call is not None and not draft.can_call(row.call):
        yield from draft.otherwise(row.path, LACKING)
    elif row.path.endswith("parallelism_threads"):
        action = "intra" if row.path.startswith("intra") else "inter"
        yield draft.call(row.path, f"{row.call}({value})", "the same thread pool", action, value)
    elif row.call == fields.SET_JIT and not (value == "ON_2" and draft.carries):
        why = "the same level" if value != "ON_2" else "tf.config knows one level: ON_2 in a Session, ON_1 elsewhere"
        on = value != "OFF"
        yield draft.call(row.path, f"{row.call}({on})", why, "jit", on)
    elif row.call == fields.SET_OPTIMIZER_OPTIONS and (row.kind != "enum" or value in ("ON", "OFF")):
        option = value if row.kind != "enum" else value == "ON"
        call = f"{row.call}({{{row.name!r}: {option}}})"
        yield draft.call(row.path, call, "the same optimizer", "options", row.name, option)
    elif row.path in fields.SESSION_ONLY:
        if not draft.runtime.is_tf1:
            yield handed(row.path, draft.value(row.path), "belongs to a Session: eager ops have none")
    else:
        yield from draft.otherwise(row.path, "no tf.config call sets it")
