"""What is asked and what is there, with what has been decided so far: what every decision looks at."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

from tf1mem.errors import RuntimeAlreadyStarted, SettingError
from tf1mem.machine.calls import spellings
from tf1mem.machine.cuda import CudaGpu
from tf1mem.machine.eager_context import FREE, OURS
from tf1mem.machine.runtime import Runtime
from tf1mem.planning.steps import CARRY_CALL, CONFIG, EAGER, TF_CONFIG, Step, handed, nothing
from tf1mem.settings import fields
from tf1mem.settings.field_names import COUNT, VIRTUAL, VISIBLE
from tf1mem.settings.settings import Settings
from tf1mem.settings.values import said

# Where a name that a route needs isn't there, the next route is taken.
LACKING = "this TensorFlow lacks the tf.config call"


class Draft:
    """One Settings on one Runtime, while it is planned.

    Attributes:
        for_session: Whether they are one Session's, which leaves what has a Session's scope to it.
        planned: The fields that have their steps.
        carries: Whether a ConfigProto can reach the eager context, and plain Sessions through it.
        has_tf_config: Whether there is a tf.config to look for calls in (not on 1.13).
        no_gpu: Whether there is none.
        visible: The GPUs asked for, as CUDA numbers them in this process from here on, or None for all.
        limited: Whether tf.config is told a limit, or logical CPUs: growth must go another way then.
        order_lost: Whether GPUs are shown to eager ops in numeric order, not the one asked for.
        splits: Whether logical devices that are no limit of a GPU rule out a ConfigProto's fraction.
    """

    def __init__(self, settings: Settings, runtime: Runtime, for_session: bool = False) -> None:
        self.settings = settings
        self.runtime = runtime
        self.for_session = for_session
        self.planned: set[str] = set()
        self.carries = runtime.context in (FREE, OURS)
        self.has_tf_config = not runtime.is_tf1 or runtime.has("config.experimental.set_memory_growth")
        self.no_gpu = runtime.gpus == ()
        self.visible = self.find_visible()
        self.limited = self.splits = runtime.splits
        self.order_lost = False

    def step(  # noqa: PLR0917 - the columns of a step, in order
        self, path: str, route: str, call: str, reason: str, action: str = "", args: tuple[Any, ...] = ()
    ) -> Step:
        """A step for one field, with its value as asked."""
        return Step(path, self.value(path), route, call, reason, action, args)

    def value(self, path: str) -> Any:
        """A field's value as asked."""
        return self.settings.get(path)

    def call(self, path: str, call: str, reason: str, action: str, *args: Any) -> Step:
        """A step that calls tf.config or tf.debugging."""
        return self.step(path, TF_CONFIG, call, reason, action, args)

    def carry(self, path: str, reason: str) -> Step:
        """A step that writes a field into the eager context's ConfigProto."""
        return self.step(path, EAGER, CARRY_CALL, reason, "carry", (path, CONFIG))

    def can_call(self, call: str | None) -> bool:
        """Whether this TensorFlow has a call, in its plain or its older spelling, whatever its version says."""
        return call is not None and self.runtime.has(self.call_name(call[len("tf.config.") :])[len("tf.") :])

    def otherwise(self, path: str, reason: str) -> Iterator[Step]:
        """The routes for a field that no tf.config call says here: the context's ConfigProto, else the Session."""
        if self.carries:
            yield self.carry(path, reason)
        elif not self.runtime.is_tf1:  # there every field is handed to Sessions anyway
            yield handed(path, self.value(path), reason + "; holds for Sessions, not for eager ops")

    def nothing_to_act_on(self, path: str) -> Step:
        """A step for a GPU setting where there is no GPU."""
        return nothing(path, self.value(path), "no GPU here", harmless=True)

    def is_late(self, path: str) -> bool:
        """Whether the runtime has started, and reads the field only once."""
        return is_late(path, self.settings, self.runtime)

    def late_step(self, path: str) -> Step:
        """A step for a field that comes too late."""
        return nothing(path, self.value(path), "the runtime has started, and read its settings", late=True)

    def call_name(self, name: str) -> str:
        """A call as this TensorFlow spells it: 2.1 took them out of tf.config.experimental."""
        plain, older = spellings(name)
        return "tf." + (older if self.runtime.has(older) and not self.runtime.has(plain) else plain)

    def counts(self) -> dict[str, int]:
        """device_count, as a dict."""
        return dict(self.settings.get(COUNT, {}))

    def find_visible(self) -> tuple[int, ...] | None:
        """The GPUs asked for, as CUDA numbers them in this process from here on; checked against those there."""
        asked = self.settings.visible_gpus
        order = self.runtime.order
        if order is not None:
            return self.in_latched_order(asked, order)
        gpus = self.runtime.gpus
        if asked is not None and gpus:
            for gpu in asked:
                if gpu >= len(gpus):
                    raise SettingError(
                        said(VISIBLE, self.settings.get(VISIBLE)),
                        f"there is no GPU {gpu}: this process sees {_numbers(len(gpus))}",
                        "List GPUs by their number within CUDA_VISIBLE_DEVICES",
                    )
        return asked

    def in_latched_order(self, asked: tuple[int, ...] | None, order: tuple[int, ...]) -> tuple[int, ...] | None:
        """CUDA was started with an order that tf1mem chose: the same GPUs, by their places in it."""
        if asked == order:
            return None
        wanted = asked if asked is not None else tuple(sorted(order))
        places = tuple(order.index(gpu) for gpu in wanted if gpu in order)
        if len(places) < len(wanted) or list(places) != sorted(places):
            raise RuntimeAlreadyStarted(
                said(VISIBLE, self.settings.get(VISIBLE, "")),
                "CUDA has started in this process with the GPUs {} in that order".format(",".join(map(str, order))),
                "Apply this config first, or in a process of its own",
            )
        return places

    def used_gpus(self) -> Sequence[CudaGpu] | None:
        """The GPUs in use, in order, or None where they weren't counted."""
        shown = self.shown_gpus()
        return None if shown is None else shown[: self.counts().get("GPU", len(shown))]

    def shown_gpus(self) -> Sequence[CudaGpu] | None:
        """The GPUs that are visible, whether device_count leaves them in use or not; None as above."""
        gpus = self.runtime.gpus
        if gpus is None:
            return None
        order = self.settings.visible_gpus if self.runtime.order is None else self.visible
        if order is None:
            order = self.runtime.shown
        return list(gpus) if order is None else [gpus[gpu] for gpu in order if gpu < len(gpus)]

    def shown_by_program(self) -> tuple[int, ...] | None:
        """The GPUs that the program shows by tf.config; None where it hid none, or where the config says which."""
        return self.runtime.shown if self.settings.visible_gpus is None else None

    def virtual_devices(self) -> Sequence[Any]:
        """The entries of virtual_devices: of those for all GPUs, the ones for GPUs that the program shows."""
        entries: Sequence[Any] = self.settings.get(VIRTUAL, ())
        shown = self.shown_by_program()
        if shown is None or len(entries) != len(self.runtime.gpus or ()):
            return entries
        return [entries[gpu] for gpu in shown]

    def paired(self, devices: Sequence[Any]) -> tuple[Any, ...]:
        """What each visible GPU gets, in the order in which tf.config lists them."""
        visible = self.visible
        if not self.order_lost or visible is None or len(devices) != len(visible):
            return tuple(devices)
        return tuple(entry for _, entry in sorted(zip(visible, devices), key=lambda pair: pair[0]))

    def ignored_types(self) -> list[str]:
        """The device types in device_count that TensorFlow has never known."""
        return [name for name in self.counts() if name != name.upper()]


def is_late(path: str, settings: Settings, runtime: Runtime) -> bool:
    """Whether TensorFlow has read a field already, and reads it only once in a process."""
    if fields.field(path).scope != fields.PROCESS:
        return False
    if path.startswith(("gpu_options.", "pluggable_device_options.")):
        return runtime.gpus_started
    if path == "inter_op_parallelism_threads" and settings.get("use_per_session_threads"):
        return False  # that Session makes a pool of its own
    return runtime.started


def _numbers(count: int) -> str:
    return "GPU 0" if count == 1 else f"GPUs 0 to {count - 1}"
