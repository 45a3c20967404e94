"""What there is, and what has a line in the plan without a call of its own."""

from __future__ import annotations

from typing import Iterator

from tf1mem.machine import runtime as facts
from tf1mem.planning.situation import Situation
from tf1mem.planning.steps import (
    DETECT,
    ENVIRONMENT,
    IN_THE_SESSION,
    NONE,
    SESSION,
    Step,
    gib,
)
from tf1mem.settings.settings import COUNT, GROWTH, SOFT


def detected(at: Situation) -> Step:
    """The first step of every plan: what there is."""
    gpus = at.runtime.gpus
    if gpus is None:
        seen = "GPUs not counted"
    elif not gpus:
        seen = "no GPU here: GPU settings have nothing to act on"
    else:
        sizes = ", ".join("?" if gpu.total_bytes is None else gib(gpu.total_bytes) for gpu in gpus)
        seen = "{} GPU{} ({})".format(len(gpus), "" if len(gpus) == 1 else "s", sizes)
    return Step("TensorFlow", str(at.runtime.version), DETECT, "", seen)


def handed_to_sessions(at: Situation) -> Iterator[Step]:
    """TensorFlow 1: the returned config is the way in, for every setting."""
    for path in at.settings.values:
        if path == COUNT and at.ignored_types() and len(at.counts()) == len(at.ignored_types()):
            continue
        yield at.step(path, SESSION, "tf.Session(config=…)", "TensorFlow 1's own way", "hand")
    if not at.has_tf_config and at.settings.values:
        yield Step(
            "(all of these)",
            "",
            SESSION,
            "tf.Session()",
            f"TensorFlow {at.runtime.version} has no tf.config: Sessions without a config take this one",
            "make_default",
            ("config",),
        )


def environment(at: Situation) -> Iterator[Step]:
    """What TF_FORCE_GPU_ALLOW_GROWTH, set outside, does to the config."""
    forced = at.runtime.environment.get(facts.FORCE_GROWTH)
    if forced == "true" and not at.settings.get(GROWTH) and not at.no_gpu:
        yield Step(
            facts.FORCE_GROWTH,
            "true",
            ENVIRONMENT,
            "",
            "set outside: TensorFlow lets GPUs grow whatever the config says",
        )
    elif forced == "false" and at.settings.get(GROWTH) and not at.no_gpu:
        at.planned.add(GROWTH)
        yield at.step(
            GROWTH,
            NONE,
            "",
            "TF_FORCE_GPU_ALLOW_GROWTH=false is set outside, and TensorFlow puts it above the config",
        )


def fields_beside(at: Situation) -> Iterator[Step]:
    """Fields unknown to this TensorFlow, and defaults that were written out."""
    for name in at.settings.unknown:
        yield Step(
            name,
            "(set)",
            SESSION,
            IN_THE_SESSION,
            f"a field that TensorFlow {at.runtime.version} does not know; handed on as it is",
            "hand",
        )
    for path in at.settings.spelled_defaults:
        if path != SOFT or at.runtime.is_tf1:
            yield Step(
                path,
                "(default)",
                NONE,
                "",
                "written out with ConfigProto's default, which asks for nothing",
            )
