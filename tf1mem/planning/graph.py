"""Everything that isn't a GPU's: placement, threads, graph options and all other fields."""

from __future__ import annotations

from typing import Iterator

from tf1mem.planning.situation import LACKING, Situation
from tf1mem.planning.steps import (
    IN_THE_SESSION,
    SESSION,
    TF_CONFIG,
    Step,
)
from tf1mem.settings import fields
from tf1mem.settings.settings import LOG, SOFT

# The setters reach a running context from 2.3 on: TFE_ContextSetSoftDevicePlacement in eager/context.py.
_PLACEMENT_IS_LIVE = (2, 3)
_READ_ONCE = "the eager context has started, and reads this once before TensorFlow 2.3: holds for Sessions only"


def placement(at: Situation) -> Iterator[Step]:
    """Soft placement, which TF2 turned round, and logging of placement."""
    at.planned.update((SOFT, LOG))
    soft = bool(at.settings.get(SOFT, False))
    if at.runtime.context_started and at.runtime.version.release < _PLACEMENT_IS_LIVE:
        asked = {SOFT: soft, LOG: at.settings.get(LOG)}  # without soft placement TF1 moves no op, set or not
        for path, value in asked.items():
            if not at.runtime.is_tf1 and value is not None:
                yield Step(path, str(bool(value)), SESSION, IN_THE_SESSION, _READ_ONCE, "hand", loud=True)
        return
    if not at.can_call(fields.SOFT):
        if not at.runtime.is_tf1:
            yield Step(SOFT, str(soft), SESSION, IN_THE_SESSION, LACKING + "; holds for Sessions only", "hand")
    elif soft or not at.runtime.is_tf1:
        why = "ops move where they have a kernel" if soft else "TF1's default, which TF2 turned round: no op is moved"
        yield Step(SOFT, str(soft), TF_CONFIG, f"{fields.SOFT}({soft})", why, "soft", (soft,))
    if at.settings.get(LOG) and at.has_tf_config:
        if at.runtime.has("debugging.set_log_device_placement"):
            yield at.step(LOG, TF_CONFIG, fields.LOG + "(True)", "for eager ops and tf.function too", "log", (True,))
        else:
            yield from at.otherwise(LOG, LACKING)


def rest(at: Situation) -> Iterator[Step]:
    """Every field that has no step yet: threads first, then the graph."""
    order = sorted(
        (path for path in at.settings.values if path not in at.planned),
        key=lambda path: (not path.endswith("parallelism_threads"), "threads" not in path),
    )
    for path in order:
        yield from _field(at, fields.field(path))


def _field(at: Situation, row: fields.Field) -> Iterator[Step]:
    value = at.settings.get(row.path)
    if row.path.startswith("gpu_options.") and at.no_gpu:
        yield at.nothing_to_act_on(row.path)
    elif at.is_late(row.path):
        yield at.late_step(row.path)
    elif not at.has_tf_config:
        return  # 1.13: handed to Sessions above
    elif row.call is not None and not at.can_call(row.call):
        yield from at.otherwise(row.path, LACKING)
    elif row.path.endswith("parallelism_threads"):
        action = "intra" if row.path.startswith("intra") else "inter"
        yield at.step(
            row.path,
            TF_CONFIG,
            f"{row.call}({value})",
            "the same thread pool",
            action,
            (value,),
        )
    elif row.call == fields.JIT and not (value == "ON_2" and at.carries):
        why = "the same level" if value != "ON_2" else "tf.config knows one level: ON_2 in a Session, ON_1 elsewhere"
        on = value != "OFF"
        yield at.step(row.path, TF_CONFIG, f"{row.call}({on})", why, "jit", (on,))
    elif row.call == fields.OPTIONS and (row.kind != "enum" or value in ("ON", "OFF")):
        said = value if row.kind != "enum" else value == "ON"
        yield at.step(
            row.path,
            TF_CONFIG,
            f"{row.call}({{{row.name!r}: {said}}})",
            "the same optimizer",
            "options",
            (row.name, said),
        )
    elif row.path in fields.SESSION_ONLY:
        if not at.runtime.is_tf1:
            yield at.step(row.path, SESSION, IN_THE_SESSION, "belongs to a Session: eager ops have none", "hand")
    else:
        yield from at.otherwise(row.path, "no tf.config call says it")
