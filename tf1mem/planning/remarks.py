"""Plans the lines about the runtime, TensorFlow 1's Sessions and TF32, and remarks on settings."""

from __future__ import annotations

from typing import Iterator

from tf1mem.machine import tf32
from tf1mem.machine.runtime import FORCE_GROWTH
from tf1mem.machine.versions import NEWEST, SPAN
from tf1mem.planning.draft import Draft
from tf1mem.planning.memory import above_one
from tf1mem.planning.steps import ALL, CONFIG, DETECT, ENVIRONMENT, SESSION, TF_CONFIG, Step, handed, nothing
from tf1mem.settings.field_names import COUNT, FRACTION, GROWTH, SOFT
from tf1mem.settings.units import gib

# The name of TF32 in the column of settings: no ConfigProto has a field for it.
_TF32 = "TF32"


def detected(draft: Draft) -> Step:
    """Returns the first step of every plan: the TensorFlow version and the GPUs."""
    gpus = draft.runtime.gpus
    if gpus is None:
        seen = "GPUs not counted"
    elif not gpus:
        seen = "no GPU here: GPU settings have nothing to act on"
    else:
        sizes = ", ".join("?" if gpu.total_bytes is None else gib(gpu.total_bytes) for gpu in gpus)
        seen = "{} GPU{} ({})".format(len(gpus), "" if len(gpus) == 1 else "s", sizes)
    version = draft.runtime.version
    untested = version.release[:2] > NEWEST
    if untested:
        seen += f"; tf1mem is tested on TensorFlow {SPAN}, and treats a newer one like the newest of these"
    return Step("TensorFlow", str(version), DETECT, "", seen, listed=untested)


def handed_to_sessions(draft: Draft) -> Iterator[Step]:
    """Yields the steps for TensorFlow 1, where Sessions get every setting by the returned config."""
    for path in draft.settings.values:
        if path == COUNT and draft.ignored_types() and len(draft.counts()) == len(draft.ignored_types()):
            continue
        if draft.no_gpu and (path.startswith("gpu_options.") or (path == COUNT and set(draft.counts()) == {"GPU"})):
            continue  # Another step says that there is no GPU.
        why = "TensorFlow 1's own way"
        if path == FRACTION and draft.settings.get(path) > 1:
            why += "; " + above_one(draft.settings)
        yield draft.step(path, SESSION, "tf.Session(config=…)", why, "hand")
    if not draft.has_tf_config and draft.settings.values:
        why = f"TensorFlow {draft.runtime.version} has no tf.config: Sessions without a config use this one"
        yield Step(ALL, "", SESSION, "tf.Session()", why, "give_to_sessions", (CONFIG,))


def environment(draft: Draft) -> Iterator[Step]:
    """Yields remarks on TF_FORCE_GPU_ALLOW_GROWTH, if the user's environment sets it against the config."""
    forced = draft.runtime.environment.get(FORCE_GROWTH)
    if forced == "true" and not draft.settings.get(GROWTH) and not draft.no_gpu:
        why = "set outside: TensorFlow lets GPUs grow whatever the config says"
        yield Step(FORCE_GROWTH, "true", ENVIRONMENT, "", why)
    elif forced == "false" and draft.settings.get(GROWTH) and not draft.no_gpu:
        draft.planned.add(GROWTH)
        why = f"{FORCE_GROWTH}=false is set outside, and overrides the config in TensorFlow"
        yield nothing(GROWTH, draft.value(GROWTH), why)


def tensor_float_32(draft: Draft) -> Iterator[Step]:
    """Yields the step that turns TF32 off if the user wants that, or the remark that a GPU computes in TF32."""
    runtime, gpus = draft.runtime, draft.runtime.gpus
    if not runtime.uses_tf32 or gpus == ():
        return
    known = [gpu.compute_capability for gpu in gpus or () if gpu.compute_capability is not None]
    if known and max(known) < tf32.FIRST_CAPABILITY:
        return
    if tf32.is_refused(runtime.environment):
        why = "matmuls and convolutions of float32 give TensorFlow 1.15's numbers"
        yield Step(_TF32, False, TF_CONFIG, f"tf.{tf32.SETTER}(False)", why, "tf32", (False,))
    elif known:
        why = (
            "this GPU rounds the factors of float32 matmuls and convolutions to 10 bits: other numbers than 1.15's; "
            f"{tf32.VARIABLE}=false turns it off"
        )
        yield Step(_TF32, True, TF_CONFIG, "", why)


def unknown_fields_and_defaults(draft: Draft) -> Iterator[Step]:
    """Yields remarks on fields unknown to this TensorFlow, and on defaults that the config spells out."""
    for name in draft.settings.unknown:
        why = f"a field that TensorFlow {draft.runtime.version} does not know; passed on unchanged"
        yield handed(name, "(set)", why)
    for path in draft.settings.spelled_defaults:
        if path != SOFT or draft.runtime.is_tf1:
            why = "set to ConfigProto's default, which changes nothing"
            yield nothing(path, None, why, harmless=True)
