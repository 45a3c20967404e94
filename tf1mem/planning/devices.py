"""Plans the visible GPUs, their order, and the number of devices of each type."""

from __future__ import annotations

from typing import Iterator

from tf1mem.planning.draft import LACKING, Draft
from tf1mem.planning.steps import CONFIG, ENVIRONMENT, SESSION, TF_CONFIG, Step, handed, nothing
from tf1mem.settings import fields
from tf1mem.settings.field_names import COUNT, VISIBLE


def steps(draft: Draft) -> Iterator[Step]:
    """Yields the steps for visible devices and for the number of each type."""
    counts = draft.counts()
    draft.planned.update((VISIBLE, COUNT))
    for name in draft.ignored_types():
        why = f"no device type is called {name!r}, so TensorFlow 1 ignored it, too (the type is {name.upper()!r})"
        yield nothing(COUNT, {name: counts.pop(name)}, why)
    if draft.for_session and counts:
        yield handed(COUNT, dict(counts), "other Sessions have their own")
        counts = {}
    gpu_count = counts.pop("GPU", None)
    cpu_count = counts.pop("CPU", None)
    if draft.settings.visible_gpus is not None:
        yield from _visible_steps(draft)
    if gpu_count is not None:
        yield from _gpu_count_step(draft, gpu_count)
    if cpu_count == 1:
        if not draft.runtime.is_tf1:  # on TensorFlow 1 the Session's config carries it
            yield nothing(COUNT, {"CPU": 1}, "TensorFlow makes one logical CPU on its own")
    elif cpu_count is not None:
        yield _cpu_count_step(draft, cpu_count)
    for name, count in counts.items():
        yield handed(COUNT, {name: count}, "only a Session's config can set it")


def _visible_steps(draft: Draft) -> Iterator[Step]:
    visible = draft.visible
    if draft.no_gpu:
        yield draft.nothing_to_act_on(VISIBLE)
    elif draft.is_late(VISIBLE):
        yield draft.late_step(VISIBLE)
    elif visible is None:
        yield draft.step(VISIBLE, ENVIRONMENT, "", "CUDA was started with this order")
    elif list(visible) != sorted(visible):
        yield _order_step(draft, visible)
        if not draft.runtime.is_tf1 and not draft.runtime.reorderable and draft.can_call(fields.SET_VISIBLE_DEVICES):
            draft.order_lost = True
            yield _shown_step(draft, tuple(sorted(visible)))
    elif not draft.has_tf_config:
        return  # 1.13: Sessions carry it, with or without a config
    elif not draft.can_call(fields.SET_VISIBLE_DEVICES):
        yield from draft.otherwise(VISIBLE, LACKING)
    else:
        yield _shown_step(draft, visible)


def _shown_step(draft: Draft, visible: tuple[int, ...]) -> Step:
    order = draft.settings.visible_gpus or visible
    first = min(order) if draft.order_lost else order[0]
    call = "{}([{}], 'GPU')".format(
        draft.call_name("set_visible_devices"), ", ".join(f"gpus[{gpu}]" for gpu in visible)
    )
    return draft.call(VISIBLE, call, f"hides the other GPUs; /gpu:0 is physical GPU {first}", "visible", visible, None)


def _order_step(draft: Draft, visible: tuple[int, ...]) -> Step:
    order = ",".join(map(str, visible))
    if draft.runtime.is_tf1:
        why = "tf.config loses the order: Sessions without a config use this one"
        return draft.step(VISIBLE, SESSION, "tf.Session()", why, "give_to_sessions", (CONFIG,))
    if not draft.runtime.reorderable:
        why = f"CUDA has started: only a Session can still put GPU {visible[0]} first. "
        why += "Call tf1mem.apply before anything lists devices"
        return handed(VISIBLE, draft.value(VISIBLE), why, loud=True)
    why = "tf.config and the eager context lose the order; set for that moment only, so that child processes see all"
    call = f"CUDA_VISIBLE_DEVICES={order} while CUDA starts"
    return draft.step(VISIBLE, ENVIRONMENT, call, why, "cuda_order", (visible,))


def _gpu_count_step(draft: Draft, count: int) -> Iterator[Step]:
    value = {"GPU": count}
    if draft.no_gpu:
        yield nothing(COUNT, value, "no GPU here", harmless=True)
    elif draft.runtime.gpus_started:
        yield handed(COUNT, value, "the runtime has started: holds for this Session only")
    elif draft.has_tf_config and not draft.can_call(fields.SET_VISIBLE_DEVICES):
        yield handed(COUNT, value, LACKING + "; holds for Sessions only", loud=True)
    elif draft.has_tf_config:
        order = draft.visible
        if order is not None and list(order) != sorted(order):
            order = None  # no order is needed: CUDA is started with exactly these GPUs, in that order
        call = "{}(gpus[:{}], 'GPU')".format(draft.call_name("set_visible_devices"), count)
        why = "hides {} GPU".format("every" if count == 0 else "every further")
        yield Step(COUNT, value, TF_CONFIG, call, why, "visible", (order, count))


def _cpu_count_step(draft: Draft, count: int) -> Step:
    value = {"CPU": count}
    if count < 1 or draft.runtime.started or not draft.can_call(fields.SET_LOGICAL_DEVICES):
        why = "the runtime has started" if draft.runtime.started else "only a Session's config can set it here"
        return handed(COUNT, value, why)
    # The eager context then drops growth as with a limit, and refuses a fraction: `_compute_device_options`.
    draft.limited = draft.splits = True
    setter, make = draft.call_name("set_logical_device_configuration"), draft.call_name("LogicalDeviceConfiguration")
    call = f"{setter}(cpu, [{make}()] * {count})"
    return Step(
        COUNT, value, TF_CONFIG, call, "one logical device for each CPU of device_count", "logical_cpus", (count,)
    )
