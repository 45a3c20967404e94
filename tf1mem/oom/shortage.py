"""A shortage of memory: what is known about one out-of-memory error, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from tf1mem.machine.nvml import Holder
from tf1mem.oom.messages import Request
from tf1mem.oom.snapshots import Snapshot

BY_FRACTION = "fraction"
BY_LIMIT = "limit"
BY_DEFAULT = "default"
MANAGED = "managed"


@dataclass(frozen=True)
class Cap:
    """The most that TensorFlow may take of the GPU for one logical device.

    Attributes:
        size_bytes: The cap, or None.
        kind: `BY_FRACTION`, `BY_LIMIT`, `BY_DEFAULT` or `MANAGED`; "" where nothing is known of it.
        setting: The setting with its value, as TF1 spells it; "" for the default.
        owner: What carries it, such as "the Session's config"; "" for the default.
        where: The line that set it, or "".
        parts: The limits in MiB of all logical devices of the GPU, where it is split or limited.
        ignored: What was set besides, and isn't in force.
    """

    size_bytes: int | None = None
    kind: str = ""
    setting: str = ""
    owner: str = ""
    where: str = ""
    parts: tuple[float, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Growth:
    """Whether TensorFlow takes memory as it needs it.

    Attributes:
        on: Whether it does.
        setting: What says so; "" for the default.
        where: The line that set it, or "".
    """

    on: bool
    setting: str = ""
    where: str = ""


@dataclass(frozen=True)
class Physical:
    """The GPU below a logical device; nothing is known of it by default.

    Attributes:
        name: Such as "NVIDIA A100", or "".
        number: The number that nvidia-smi shows, or None.
        total_bytes: Its memory as CUDA counts it, or None.
        free_bytes: What nobody holds now, or None.
        own_bytes: What this process holds, or None.
        others: The other processes on it.
        unnamed_bytes: What is in use and held by no process that the driver names.
        own_listed: Whether the driver lists this process; without, which holder is which can't be told.
    """

    name: str = ""
    number: int | None = None
    total_bytes: int | None = None
    free_bytes: int | None = None
    own_bytes: int | None = None
    others: tuple[Holder, ...] = ()
    unnamed_bytes: int = 0
    own_listed: bool = True

    @property
    def reach_bytes(self) -> int | None:
        """What this process could have of it: what it has, and what is free."""
        return None if self.free_bytes is None or self.own_bytes is None else self.free_bytes + self.own_bytes

    @property
    def others_bytes(self) -> int:
        """What others hold, as far as is known."""
        return sum(holder.held_bytes or 0 for holder in self.others) + self.unnamed_bytes


@dataclass(frozen=True)
class OtherGpu:
    """Another GPU of the machine.

    Attributes:
        number: The number that nvidia-smi shows.
        logical: TensorFlow's name for it in this process, such as "GPU:1", or "" where this process doesn't see it.
        usable_bytes: What is free there, and what this process has reserved.
    """

    number: int
    logical: str
    usable_bytes: int


@dataclass(frozen=True)
class Shortage:
    """Everything that is known of one.

    Attributes:
        request: What was asked for.
        device: The logical device, such as "GPU:0" or "CPU:0", or "" where that can't be told.
        tensorflow: TensorFlow's version, as (2, 21).
        elsewhere: The job and task whose device it is, if it isn't this process's; then nothing else is known.
        cap: The cap in force.
        growth: Whether memory is taken as it is needed, or None.
        held: What the allocator held, or None.
        gpu: The physical GPU.
        others: The other GPUs of the machine.
        host_total_bytes: For the CPU: the memory of the machine, or of the container.
        host_free_bytes: For the CPU: what is available of it.
        unknown: What can't be told, and why.
    """

    request: Request
    device: str = ""
    tensorflow: tuple[int, ...] = ()
    elsewhere: str = ""
    cap: Cap = Cap()
    growth: Growth | None = None
    held: Snapshot | None = None
    gpu: Physical = Physical()
    others: tuple[OtherGpu, ...] = ()
    host_total_bytes: int | None = None
    host_free_bytes: int | None = None
    unknown: tuple[str, ...] = ()

    @property
    def needed_bytes(self) -> int | None:
        """What the cap would have to be for this one request, if nothing is lost between tensors."""
        asked, held = self.request.size_bytes, self.held
        if asked is None or held is None:
            return None
        return asked + (held.in_use_bytes if held.at_failure or held.peak_bytes is None else held.peak_bytes)

    @property
    def free_in_cap_bytes(self) -> int | None:
        """What of the cap no tensor holds."""
        if self.cap.size_bytes is None or self.held is None:
            return None
        return max(self.cap.size_bytes - self.held.in_use_bytes, 0)

    @property
    def can_still_reserve_bytes(self) -> int | None:
        """What the allocator may still ask the driver for."""
        if self.cap.size_bytes is None or self.held is None or self.held.reserved_bytes is None:
            return None
        return max(self.cap.size_bytes - self.held.reserved_bytes, 0)
