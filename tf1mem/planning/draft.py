"""A plan in the making: the settings, the runtime, and the decisions so far, which every later decision reads."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

from tf1mem.errors import RuntimeAlreadyStarted, SettingError
from tf1mem.machine.call_versions import spellings
from tf1mem.machine.cuda import CudaGpu
from tf1mem.machine.eager_context import FREE, OURS
from tf1mem.machine.runtime import Runtime
from tf1mem.planning.steps import CARRY_CALL, CONFIG, EAGER, TF_CONFIG, Step, handed, nothing
from tf1mem.settings import fields
from tf1mem.settings.field_names import COUNT, VIRTUAL, VISIBLE
from tf1mem.settings.settings import Settings
from tf1mem.settings.values import assignment

# The reason for taking the next route if TensorFlow lacks the call that a route needs.
LACKING = "this TensorFlow lacks the tf.config call"


class Draft:
    """A plan in the making, for one Settings on one Runtime.

    Attributes:
        for_session: True for one Session's settings; fields of a Session's scope are then left to that Session.
        planned: The fields that have their steps.
        carries: True if a ConfigProto can reach the eager context, and through it Sessions without a config.
        has_tf_config: True if TensorFlow has tf.config (False on 1.13).
        no_gpu: True if the machine is known to have no GPU.
        visible: The configured GPUs, as CUDA numbers them in this process from here on, or None for all.
        limited: True if tf.config gets a limit or logical CPUs; growth must take another route then.
        order_lost: True if eager ops see the GPUs in numeric order, not in the configured order.
        splits: True if logical devices other than a GPU's limit rule out a ConfigProto's fraction.
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
        """Returns a step for one field, with its configured value."""
        return Step(path, self.value(path), route, call, reason, action, args)

    def value(self, path: str) -> Any:
        """Returns a field's configured value."""
        return self.settings.get(path)

    def call(self, path: str, call: str, reason: str, action: str, *args: Any) -> Step:
        """Returns a step that calls tf.config or tf.debugging."""
        return self.step(path, TF_CONFIG, call, reason, action, args)

    def carry(self, path: str, reason: str) -> Step:
        """Returns a step that writes a field into the eager context's ConfigProto."""
        return self.step(path, EAGER, CARRY_CALL, reason, "carry", (path, CONFIG))

    def can_call(self, call: str | None) -> bool:
        """Returns True if this TensorFlow has a call, by its plain or its older name, whatever its version."""
        return call is not None and self.runtime.has(self.call_name(call[len("tf.config.") :])[len("tf.") :])

    def otherwise(self, path: str, reason: str) -> Iterator[Step]:
        """Yields the step for a field without a tf.config call: by the context's ConfigProto, else by the Session."""
        if self.carries:
            yield self.carry(path, reason)
        elif not self.runtime.is_tf1:  # on TensorFlow 1 Sessions get every field anyway
            yield handed(path, self.value(path), reason + "; holds for Sessions, not for eager ops")

    def nothing_to_act_on(self, path: str) -> Step:
        """Returns a step without effect, for a GPU setting on a machine without a GPU."""
        return nothing(path, self.value(path), "no GPU here", harmless=True)

    def is_late(self, path: str) -> bool:
        """Returns True if the runtime has started, and reads the field only once."""
        return is_late(path, self.settings, self.runtime)

    def late_step(self, path: str) -> Step:
        """Returns a step without effect, for a field that the runtime has read already."""
        return nothing(path, self.value(path), "the runtime has started, and read its settings", late=True)

    def call_name(self, name: str) -> str:
        """Returns a call's name in this TensorFlow: 2.1 moved the calls out of tf.config.experimental."""
        plain, older = spellings(name)
        return "tf." + (older if self.runtime.has(older) and not self.runtime.has(plain) else plain)

    def counts(self) -> dict[str, int]:
        """Returns device_count as a dict, device type -> number."""
        return dict(self.settings.get(COUNT, {}))

    def find_visible(self) -> tuple[int, ...] | None:
        """Returns the configured GPUs as CUDA numbers them in this process from here on, or None for all.

        Raises:
            SettingError: A configured GPU doesn't exist.
        """
        configured = self.settings.visible_gpus
        order = self.runtime.order
        if order is not None:
            return self.in_cuda_order(configured, order)
        gpus = self.runtime.gpus
        if configured is not None and gpus:
            for gpu in configured:
                if gpu >= len(gpus):
                    raise SettingError(
                        assignment(VISIBLE, self.settings.get(VISIBLE)),
                        f"there is no GPU {gpu}: this process sees {_gpu_numbers(len(gpus))}",
                        "List GPUs by their number within CUDA_VISIBLE_DEVICES",
                    )
        return configured

    def in_cuda_order(self, configured: tuple[int, ...] | None, order: tuple[int, ...]) -> tuple[int, ...] | None:
        """Returns each configured GPU's index in `order`, the GPUs that tf1mem started CUDA with; None for all of them.

        Raises:
            RuntimeAlreadyStarted: CUDA was started without a configured GPU, or in another order.
        """
        if configured == order:
            return None
        visible = configured if configured is not None else tuple(sorted(order))
        places = tuple(order.index(gpu) for gpu in visible if gpu in order)
        if len(places) < len(visible) or list(places) != sorted(places):
            raise RuntimeAlreadyStarted(
                assignment(VISIBLE, self.settings.get(VISIBLE, "")),
                "CUDA has started in this process with the GPUs {} in that order".format(",".join(map(str, order))),
                "Apply this config first, or in a separate process",
            )
        return places

    def used_gpus(self) -> Sequence[CudaGpu] | None:
        """Returns the GPUs in use, in order, or None if they weren't counted."""
        shown = self.shown_gpus()
        return None if shown is None else shown[: self.counts().get("GPU", len(shown))]

    def shown_gpus(self) -> Sequence[CudaGpu] | None:
        """Returns the visible GPUs, even those that device_count leaves unused, or None if they weren't counted."""
        gpus = self.runtime.gpus
        if gpus is None:
            return None
        order = self.settings.visible_gpus if self.runtime.order is None else self.visible
        if order is None:
            order = self.runtime.shown
        return list(gpus) if order is None else [gpus[gpu] for gpu in order if gpu < len(gpus)]

    def shown_by_program(self) -> tuple[int, ...] | None:
        """Returns the GPUs that the program made visible by tf.config; None if it hid none or the config decides."""
        return self.runtime.shown if self.settings.visible_gpus is None else None

    def virtual_devices(self) -> Sequence[Any]:
        """Returns the entries of virtual_devices; of entries for all GPUs, those of the GPUs that the program shows."""
        entries: Sequence[Any] = self.settings.get(VIRTUAL, ())
        shown = self.shown_by_program()
        if shown is None or len(entries) != len(self.runtime.gpus or ()):
            return entries
        return [entries[gpu] for gpu in shown]

    def paired(self, devices: Sequence[Any]) -> tuple[Any, ...]:
        """Returns the visible GPUs' entries in the order in which tf.config lists the GPUs."""
        visible = self.visible
        if not self.order_lost or visible is None or len(devices) != len(visible):
            return tuple(devices)
        return tuple(entry for _, entry in sorted(zip(visible, devices), key=lambda pair: pair[0]))

    def ignored_types(self) -> list[str]:
        """Returns the device types in device_count that no TensorFlow knows."""
        return [name for name in self.counts() if name != name.upper()]


def is_late(path: str, settings: Settings, runtime: Runtime) -> bool:
    """Returns True if TensorFlow has read a field already, and reads it only once in a process."""
    if fields.field(path).scope != fields.PROCESS:
        return False
    if path.startswith(("gpu_options.", "pluggable_device_options.")):
        return runtime.gpus_started
    if path == "inter_op_parallelism_threads" and settings.get("use_per_session_threads"):
        return False  # that Session creates its own thread pool
    return runtime.started


def _gpu_numbers(count: int) -> str:
    return "GPU 0" if count == 1 else f"GPUs 0 to {count - 1}"
