"""Settings + Runtime -> Plan: all of the thinking, and no effects.

Each setting gets at least one step, which names the route it takes, the call that stands for, and why. The documented
`tf.config` calls come first; what they can't say goes through the eager context's ConfigProto, an environment variable,
or the Session. TensorFlow 1's meaning decides throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from tf1mem import fields
from tf1mem import runtime as facts
from tf1mem.errors import RuntimeAlreadyStarted, SettingError
from tf1mem.gpus import Gpu
from tf1mem.runtime import Runtime
from tf1mem.settings import COUNT, FRACTION, GROWTH, LOG, SOFT, VIRTUAL, VISIBLE, Settings

MIB = 2**20

DETECT = "detect"
TF_CONFIG = "tf.config"
EAGER = "eager config"
ENVIRONMENT = "environment"
SESSION = "session"
NONE = "none"

_IN_THE_SESSION = "tf.compat.v1.Session(config=…)"
_CARRY = "tf.compat.v1.enable_eager_execution(config=…)"


@dataclass(frozen=True)
class Step:
    """One setting on one route.

    Attributes:
        setting: The field as TF1 spells it.
        value: What is asked for, as text.
        route: The way it goes: "tf.config", "eager config", "environment", "session", "none" or "detect".
        call: The exact call that the step stands for, or "" where nothing is called.
        reason: Why it goes that way.
        action: What the route does; "" for nothing.
        args: What the action takes.
        late: Whether it is a setting that the runtime has been started without.
    """

    setting: str
    value: str
    route: str
    call: str
    reason: str
    action: str = ""
    args: tuple[Any, ...] = ()
    late: bool = False


@dataclass(frozen=True)
class Plan:
    """What `tf1mem.apply` would do: steps, in the order in which they are taken.

    `print(plan)` shows it as a table.

    Attributes:
        settings: What is asked.
        runtime: What is there.
        steps: The steps.
    """

    settings: Settings
    runtime: Runtime
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, width: int | None = None) -> str:
        """The plan as a table.

        Args:
            width: Columns to fit into; by default the terminal's.
        """
        from tf1mem.reporting import plan_text

        return plan_text(self, width)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values, for JSON."""
        return {
            "tensorflow": str(self.runtime.version),
            "gpus": None if self.runtime.gpus is None else [gpu.total_bytes for gpu in self.runtime.gpus],
            "steps": [
                {name: getattr(step, name) for name in ("setting", "value", "route", "call", "reason")}
                for step in self.steps
            ],
        }


def plan(config: Any = None, tensorflow: Any = None, gpus: Any = None) -> Plan:
    """Says what `tf1mem.apply` would do, without doing any of it.

    Args:
        config: A config of any shape that `tf1mem.apply` takes.
        tensorflow: A TensorFlow version to plan for, such as "2.21.0"; by default the installed one. With a version
            given, no TensorFlow need be installed, as long as the config is a dict, JSON or YAML.
        gpus: How many GPUs that machine has, or a list of their sizes in bytes; by default this machine's are counted
            (with no version given) or left open.

    Returns:
        The plan. Nothing is started or changed.

    Raises:
        Tf1memError: The config, the version or the number of GPUs can't be used.
    """
    settings = Settings.of(config)
    if tensorflow is not None:
        return make(settings, facts.suppose(tensorflow, gpus))
    if gpus is None:
        return make(settings, facts.detect())
    return make(settings, facts.detect(lambda: facts.supposed_gpus(gpus)))


def make(settings: Settings, runtime: Runtime) -> Plan:
    """Plans settings for a runtime.

    Raises:
        SettingError: A setting can't hold on this machine's GPUs.
        RuntimeAlreadyStarted: CUDA has started with another order of GPUs.
    """
    return Plan(settings, runtime, tuple(_Planner(settings, runtime).steps()))


class _Planner:
    """Plans one Settings for one Runtime, from top to bottom in `steps`."""

    def __init__(self, settings: Settings, runtime: Runtime) -> None:
        self.settings = settings
        self.runtime = runtime
        self.planned: set[str] = set()
        # Whether a ConfigProto can reach the eager context, and plain Sessions through it.
        self.carries = runtime.context in (facts.FREE, facts.OURS) and not runtime.started
        self.has_tf_config = runtime.has("config.experimental.set_memory_growth")
        self.no_gpu = runtime.gpus == ()
        self.visible = self._visible()
        self.limited = False  # set when a tf.config limit is planned: growth must go another way then
        self.splits_cpu = False

    def steps(self) -> Iterator[Step]:
        yield self._detect()
        if self.runtime.is_tf1:
            yield from self._handed_to_sessions()
        yield from self._environment_remarks()
        yield from self._devices()
        yield from self._memory()
        yield from self._placement()
        yield from self._rest()
        yield from self._remarks()

    # --- what is there ---------------------------------------------------------------------------------------

    def _detect(self) -> Step:
        gpus = self.runtime.gpus
        if gpus is None:
            seen = "GPUs not counted"
        elif not gpus:
            seen = "no GPU here: GPU settings have nothing to act on"
        else:
            sizes = ", ".join("?" if gpu.total_bytes is None else gib(gpu.total_bytes) for gpu in gpus)
            seen = "{} GPU{} ({})".format(len(gpus), "" if len(gpus) == 1 else "s", sizes)
        return Step("TensorFlow", str(self.runtime.version), DETECT, "", seen)

    def _handed_to_sessions(self) -> Iterator[Step]:
        """TensorFlow 1: the returned config is the way in, for every setting."""
        for path in self.settings.values:
            if path == COUNT and self._ignored_types() and len(self._counts()) == len(self._ignored_types()):
                continue
            yield self._step(path, SESSION, "tf.Session(config=…)", "TensorFlow 1's own way", "hand")
        if not self.has_tf_config and self.settings.values:
            yield Step(
                "(all of these)",
                "",
                SESSION,
                "tf.Session()",
                "TensorFlow {} has no tf.config: Sessions without a config take this one".format(self.runtime.version),
                "make_default",
                ("config",),
            )

    def _environment_remarks(self) -> Iterator[Step]:
        forced = self.runtime.environment.get(facts.FORCE_GROWTH)
        if forced == "true" and not self.settings.get(GROWTH) and not self.no_gpu:
            yield Step(
                facts.FORCE_GROWTH,
                "true",
                ENVIRONMENT,
                "",
                "set outside: TensorFlow lets GPUs grow whatever the config says",
            )
        elif forced == "false" and self.settings.get(GROWTH) and not self.no_gpu:
            self.planned.add(GROWTH)
            yield self._step(
                GROWTH,
                NONE,
                "",
                "TF_FORCE_GPU_ALLOW_GROWTH=false is set outside, and TensorFlow puts it above the config",
            )

    # --- devices ---------------------------------------------------------------------------------------------

    def _counts(self) -> dict[str, int]:
        return dict(self.settings.get(COUNT, {}))

    def _ignored_types(self) -> list[str]:
        return [name for name in self._counts() if name != name.upper()]

    def _visible(self) -> tuple[int, ...] | None:
        """The GPUs asked for, as CUDA numbers them in this process from here on; checked against those there."""
        asked = self.settings.visible_gpus
        order = self.runtime.order
        if order is not None:
            return self._in_latched_order(asked, order)
        gpus = self.runtime.gpus
        if asked is not None and gpus:
            for gpu in asked:
                if gpu >= len(gpus):
                    raise SettingError(
                        "{}={!r}".format(VISIBLE, self.settings.get(VISIBLE)),
                        "there is no GPU {}: this process sees {}".format(gpu, _numbers(len(gpus))),
                        "List GPUs by their number within CUDA_VISIBLE_DEVICES",
                    )
        return asked

    def _in_latched_order(self, asked: tuple[int, ...] | None, order: tuple[int, ...]) -> tuple[int, ...] | None:
        """CUDA was started with an order that tf1mem chose: the same GPUs, by their places in it."""
        if asked == order:
            return None
        wanted = asked if asked is not None else tuple(sorted(order))
        places = tuple(order.index(gpu) for gpu in wanted if gpu in order)
        if len(places) < len(wanted) or list(places) != sorted(places):
            raise RuntimeAlreadyStarted(
                "{}={!r}".format(VISIBLE, self.settings.get(VISIBLE, "")),
                "CUDA has started in this process with the GPUs {} in that order".format(",".join(map(str, order))),
                "Apply this config first, or in a process of its own",
            )
        return places

    def _devices(self) -> Iterator[Step]:
        counts = self._counts()
        self.planned.update((VISIBLE, COUNT))
        for name in self._ignored_types():
            yield Step(
                COUNT,
                "{{{!r}: {}}}".format(name, counts.pop(name)),
                NONE,
                "",
                "no device type is called {!r}: TensorFlow 1 ignored it too (it is {!r})".format(name, name.upper()),
            )
        gpu_count = counts.pop("GPU", None)
        cpu_count = counts.pop("CPU", 1)
        if self.settings.visible_gpus is not None:
            yield from self._visible_steps(gpu_count)
        if gpu_count is not None:
            yield from self._gpu_count_step(gpu_count)
        if cpu_count != 1:
            yield self._cpu_count_step(cpu_count)
        for name, count in counts.items():
            yield Step(
                COUNT,
                "{{{!r}: {}}}".format(name, count),
                SESSION,
                _IN_THE_SESSION,
                "only a Session's config can say it",
                "hand",
            )

    def _visible_steps(self, gpu_count: int | None) -> Iterator[Step]:
        visible = self.visible
        if self.no_gpu:
            yield self._nothing_to_act_on(VISIBLE)
        elif self._late(VISIBLE):
            yield self._late_step(VISIBLE)
        elif visible is None:
            yield self._step(VISIBLE, ENVIRONMENT, "", "CUDA was started with this order")
        elif list(visible) != sorted(visible):
            yield self._order_step(visible)
        elif not self.has_tf_config:
            return  # 1.13: Sessions carry it, with or without a config
        else:
            cut = "" if gpu_count is None else "[:{}]".format(gpu_count)
            yield self._step(
                VISIBLE,
                TF_CONFIG,
                "{}([{}]{}, 'GPU')".format(
                    self._name("set_visible_devices"),
                    ", ".join("gpus[{}]".format(gpu) for gpu in visible),
                    cut,
                ),
                "hides the other GPUs; /gpu:0 is physical GPU {}".format(visible[0]),
                "visible",
                (visible, None),
            )

    def _order_step(self, visible: tuple[int, ...]) -> Step:
        order = ",".join(map(str, visible))
        if self.runtime.is_tf1:
            return self._step(
                VISIBLE,
                SESSION,
                "tf.Session()",
                "tf.config loses the order: Sessions without a config take this one",
                "make_default",
                ("config",),
            )
        if not self.runtime.reorderable:
            return self._step(
                VISIBLE,
                SESSION,
                _IN_THE_SESSION,
                "CUDA has started: only a Session can still put GPU {} first. Call tf1mem.apply before "
                "anything lists devices".format(visible[0]),
                "hand",
            )
        return self._step(
            VISIBLE,
            ENVIRONMENT,
            "CUDA_VISIBLE_DEVICES={} while CUDA starts".format(order),
            "tf.config and the eager context lose the order; set for that moment only, so that child processes see all",
            "cuda_order",
            (visible,),
        )

    def _gpu_count_step(self, count: int) -> Iterator[Step]:
        value = "{{'GPU': {}}}".format(count)
        if self.no_gpu:
            yield Step(COUNT, value, NONE, "", "no GPU here")
        elif self.runtime.started:
            yield Step(
                COUNT,
                value,
                SESSION,
                _IN_THE_SESSION,
                "the runtime has started: holds for this Session only",
                "hand",
            )
        elif self.has_tf_config:
            order = self.visible
            if order is not None and list(order) != sorted(order):
                order = None  # CUDA is started with just these, in order
            yield Step(
                COUNT,
                value,
                TF_CONFIG,
                "{}(gpus[:{}], 'GPU')".format(self._name("set_visible_devices"), count),
                "hides {} GPU".format("every" if count == 0 else "every further"),
                "visible",
                (order, count),
            )

    def _cpu_count_step(self, count: int) -> Step:
        value = "{{'CPU': {}}}".format(count)
        if count < 1 or self.runtime.started or not self.has_tf_config:
            why = "the runtime has started" if self.runtime.started else "only a Session's config can say it"
            return Step(COUNT, value, SESSION, _IN_THE_SESSION, why, "hand")
        # The eager context then drops growth as with a limit, and refuses a fraction: `_compute_device_options`.
        self.limited = self.splits_cpu = True
        return Step(
            COUNT,
            value,
            TF_CONFIG,
            "{}(cpu, [{}()] * {})".format(
                self._name("set_logical_device_configuration"),
                self._name("LogicalDeviceConfiguration"),
                count,
            ),
            "one logical device for each",
            "logical_cpus",
            (count,),
        )

    # --- memory ----------------------------------------------------------------------------------------------

    def _used_gpus(self) -> Sequence[Gpu] | None:
        """The GPUs in use, in order, or None where they weren't counted."""
        gpus = self.runtime.gpus
        if gpus is None:
            return None
        order = self.settings.visible_gpus if self.runtime.order is None else self.visible
        used = list(gpus) if order is None else [gpus[gpu] for gpu in order if gpu < len(gpus)]
        return used[: self._counts().get("GPU", len(used))]

    def _memory(self) -> Iterator[Step]:
        self._check_virtual()
        for path, steps in ((FRACTION, self._fraction), (VIRTUAL, self._virtual), (GROWTH, self._growth)):
            if path not in self.settings.values or path in self.planned:
                continue
            self.planned.add(path)
            if self.no_gpu:
                yield self._nothing_to_act_on(path)
            elif self._late(path):
                yield self._late_step(path)
            elif self.has_tf_config:
                yield from steps()

    def _fraction(self) -> Iterator[Step]:
        fraction = self.settings.get(FRACTION)
        used = self._used_gpus()
        if self.carries and not self.splits_cpu:
            yield self._carry(FRACTION, "to the byte{}; tf.config knows whole MiB only".format(_shares(used, fraction)))
            return
        totals = None if used is None else [gpu.total_bytes for gpu in used]
        if fraction > 1 or (totals is not None and None in totals and not self.runtime.hypothetical):
            why = "above 1 means managed memory" if fraction > 1 else "the driver doesn't say how much memory there is"
            if self.runtime.is_tf1:
                why += "; a plain Session takes this config too"
                yield self._step(FRACTION, SESSION, "tf.Session()", why, "make_default", ("config",))
            else:
                why += ": only a ConfigProto can say it, and the eager context can't be given one; starts the GPUs now"
                yield self._step(FRACTION, SESSION, _IN_THE_SESSION + " at once", why, "start_now", ("config",))
            return
        self.limited = True
        limits = [None if total is None else int(total * fraction) // MIB for total in totals or [None]]
        for limit in limits:
            if limit is not None and limit < 1:
                raise SettingError(
                    "{}={:g}".format(FRACTION, fraction),
                    "is less than 1 MiB of a GPU",
                    "Give a larger fraction",
                )
        known = [limit for limit in limits if limit is not None]
        shown = ", ".join(map(str, known)) if known else "int({:g} * total / 2**20)".format(fraction)
        yield self._step(
            FRACTION,
            TF_CONFIG,
            self._logical_call(shown),
            "whole MiB, less than 1 MiB below TF1's; "
            + (
                "logical CPUs rule out a fraction"
                if self.splits_cpu
                else "import tf1mem before tensorflow for the byte"
            ),
            "logical_gpus",
            (tuple(({"memory_limit": limit},) for limit in limits),),
        )

    def _virtual(self) -> Iterator[Step]:
        self.limited = True
        devices = []
        for entry in self.settings.get(VIRTUAL):
            parts = []
            for place, limit in enumerate(entry.memory_limit_mb):
                part = {"memory_limit": limit}
                if entry.priority:
                    part["experimental_priority"] = entry.priority[place]
                if entry.device_ordinal:
                    part["experimental_device_ordinal"] = entry.device_ordinal[place]
                parts.append(part)
            devices.append(tuple(parts))
        yield self._step(
            VIRTUAL,
            TF_CONFIG,
            self._logical_call("; ".join(str(entry) for entry in self.settings.get(VIRTUAL))),
            "the same logical devices",
            "logical_gpus",
            (tuple(devices),),
        )

    def _growth(self) -> Iterator[Step]:
        if not self.limited:
            yield self._step(
                GROWTH,
                TF_CONFIG,
                "tf.config.experimental.set_memory_growth(gpu, True)",
                "for every visible GPU",
                "growth",
            )
        elif self.carries:
            yield self._carry(GROWTH, "tf.config drops growth where it sets a limit")
        else:
            yield self._step(
                GROWTH,
                ENVIRONMENT,
                "os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'true'",
                "tf.config drops growth where it sets a limit; holds for every GPU, and child processes inherit it",
                "force_growth",
            )

    def _check_virtual(self) -> None:
        virtual, used = self.settings.get(VIRTUAL, ()), self._used_gpus()
        if not virtual or not used:
            return
        asked = "{}={}".format(VIRTUAL, ", ".join(str(entry) for entry in virtual))
        if len(virtual) != len(used):
            raise SettingError(
                asked,
                "{} {}, but this process uses {} GPU{}".format(
                    len(virtual), "entry" if len(virtual) == 1 else "entries", len(used), "s"[: len(used) != 1]
                ),
                "Give one entry of virtual_devices for each GPU (an empty one leaves it whole)",
            )
        for place, (entry, gpu) in enumerate(zip(virtual, used)):
            wanted = sum(entry.memory_limit_mb)
            if gpu.total_bytes is not None and wanted * MIB > gpu.total_bytes:
                raise SettingError(
                    asked,
                    "{:g} MiB is more than GPU {} has ({} MiB)".format(wanted, place, gpu.total_bytes // MIB),
                    "Lower memory_limit_mb; only per_process_gpu_memory_fraction above 1 goes beyond the GPU",
                )

    # --- placement, threads, graph ---------------------------------------------------------------------------

    def _placement(self) -> Iterator[Step]:
        self.planned.update((SOFT, LOG))
        soft = bool(self.settings.get(SOFT, False))
        if self.has_tf_config and (soft or not self.runtime.is_tf1):
            why = (
                "ops move where they have a kernel" if soft else "TF1's default, which TF2 turned round: no op is moved"
            )
            yield Step(SOFT, str(soft), TF_CONFIG, "{}({})".format(fields.SOFT, soft), why, "soft", (soft,))
        if self.settings.get(LOG) and self.has_tf_config:
            yield self._step(LOG, TF_CONFIG, fields.LOG + "(True)", "for eager ops and tf.function too", "log", (True,))

    def _rest(self) -> Iterator[Step]:
        order = sorted(
            (path for path in self.settings.values if path not in self.planned),
            key=lambda path: (not path.endswith("parallelism_threads"), "threads" not in path),
        )
        for path in order:
            yield from self._one(fields.field(path))

    def _one(self, row: fields.Field) -> Iterator[Step]:
        value = self.settings.get(row.path)
        if row.path.startswith("gpu_options.") and self.no_gpu:
            yield self._nothing_to_act_on(row.path)
        elif self._late(row.path):
            yield self._late_step(row.path)
        elif not self.has_tf_config:
            return  # 1.13: handed to Sessions above
        elif row.path.endswith("parallelism_threads"):
            action = "intra" if row.path.startswith("intra") else "inter"
            yield self._step(
                row.path,
                TF_CONFIG,
                "{}({})".format(row.call, value),
                "the same thread pool",
                action,
                (value,),
            )
        elif row.call == fields.JIT and not (value == "ON_2" and self.carries):
            why = (
                "the same level" if value != "ON_2" else "tf.config knows one level: ON_2 in a Session, ON_1 elsewhere"
            )
            on = value != "OFF"
            yield self._step(row.path, TF_CONFIG, "{}({})".format(row.call, on), why, "jit", (on,))
        elif row.call == fields.OPTIONS and (row.kind != "enum" or value in ("ON", "OFF")):
            said = value if row.kind != "enum" else value == "ON"
            yield self._step(
                row.path,
                TF_CONFIG,
                "{}({{{!r}: {}}})".format(row.call, row.name, said),
                "the same optimizer",
                "options",
                (row.name, said),
            )
        elif row.path in fields.SESSION_ONLY:
            if not self.runtime.is_tf1:
                yield self._step(
                    row.path, SESSION, _IN_THE_SESSION, "belongs to a Session: eager ops have none", "hand"
                )
        elif self.carries:
            yield self._carry(row.path, "no tf.config call says it")
        elif not self.runtime.is_tf1:
            yield self._step(
                row.path,
                SESSION,
                _IN_THE_SESSION,
                "no public call says it to eager ops here: holds for Sessions",
                "hand",
            )

    def _remarks(self) -> Iterator[Step]:
        for name in self.settings.unknown:
            yield Step(
                name,
                "(set)",
                SESSION,
                _IN_THE_SESSION,
                "a field that TensorFlow {} does not know; handed on as it is".format(self.runtime.version),
                "hand",
            )
        for path in self.settings.spelled_defaults:
            if path != SOFT or self.runtime.is_tf1:
                yield Step(
                    path,
                    "(default)",
                    NONE,
                    "",
                    "written out with ConfigProto's default, which asks for nothing",
                )

    # --- making steps ----------------------------------------------------------------------------------------

    def _step(  # noqa: PLR0917 - the columns of a step, in order
        self, path: str, route: str, call: str, reason: str, action: str = "", args: tuple[Any, ...] = ()
    ) -> Step:
        return Step(path, shown(self.settings.get(path)), route, call, reason, action, args)

    def _carry(self, path: str, reason: str) -> Step:
        return self._step(path, EAGER, _CARRY, reason, "carry", (path, "config"))

    def _nothing_to_act_on(self, path: str) -> Step:
        return self._step(path, NONE, "", "no GPU here")

    def _late(self, path: str) -> bool:
        return self.runtime.started and fields.field(path).scope == fields.PROCESS

    def _late_step(self, path: str) -> Step:
        step = self._step(path, NONE, "", "the runtime has started, and read its settings")
        return Step(step.setting, step.value, step.route, step.call, step.reason, late=True)

    def _name(self, name: str) -> str:
        """A call as this TensorFlow spells it: 2.1 took them out of tf.config.experimental."""
        old = {
            "set_logical_device_configuration": "set_virtual_device_configuration",
            "LogicalDeviceConfiguration": "VirtualDeviceConfiguration",
        }
        if self.runtime.has("config." + name):
            return "tf.config." + name
        return "tf.config.experimental." + old.get(name, name)

    def _logical_call(self, limits: str) -> str:
        return "{}(gpu, [{}(memory_limit={})])".format(
            self._name("set_logical_device_configuration"), self._name("LogicalDeviceConfiguration"), limits
        )


def shown(value: Any) -> str:
    """A setting's value as a person reads it."""
    if isinstance(value, float):
        return "{:.17g}".format(value) if float("{:g}".format(value)) != value else "{:g}".format(value)
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return str(value)


def _numbers(count: int) -> str:
    return "GPU 0" if count == 1 else "GPUs 0 to {}".format(count - 1)


def _shares(used: Sequence[Gpu] | None, fraction: float) -> str:
    """What a fraction comes to in bytes, in brackets, rounded down to the allocator's 256 bytes."""
    if not used or any(gpu.total_bytes is None for gpu in used):
        return ""
    sizes = {math.floor(int((gpu.total_bytes or 0) * fraction) / 256) * 256 for gpu in used}
    return " ({})".format(", ".join("{:,} bytes".format(size) for size in sorted(sizes)))


def gib(count: int) -> str:
    """Bytes as GiB, to two places at most."""
    return "{:.4g} GiB".format(count / 2**30)
