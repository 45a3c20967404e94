"""The facts about one out-of-memory error, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from tf1mem.machine.nvml import Holder
from tf1mem.oom.messages import FailedAllocation
from tf1mem.oom.snapshots import Snapshot

BY_FRACTION = "fraction"
BY_LIMIT = "limit"
BY_DEFAULT = "default"
MANAGED = "managed"


@dataclass(frozen=True)
class Cap:
    """The most that TensorFlow may take of the GPU for one logical device.

    Attributes:
        size_bytes: The cap in bytes, or None.
        kind: `BY_FRACTION`, `BY_LIMIT`, `BY_DEFAULT` or `MANAGED`; "" if nothing is known about the cap.
        setting: The setting with its value, as TF1 spells it; "" for the default.
        owner: The config that holds the setting, such as "the Session's config"; "" for the default.
        where: The line that set it, or "".
        parts: The limits in MiB of all logical devices of the GPU, if it is split or limited.
        ignored: Settings of other configs that aren't in force.
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
    """Memory growth: on if TensorFlow reserves memory as it needs it.

    Attributes:
        on: True if growth is on.
        setting: The setting or environment variable that decides it; "" for the default.
        where: The line that set it, or "".
    """

    on: bool
    setting: str = ""
    where: str = ""


@dataclass(frozen=True)
class Physical:
    """The physical GPU of a logical device; by default nothing is known about it.

    Attributes:
        name: The GPU's name, such as "NVIDIA A100", or "".
        number: The number that nvidia-smi shows, or None.
        total_bytes: The GPU's memory in bytes as CUDA counts it, or None.
        free_bytes: The free bytes, or None.
        own_bytes: The bytes that this process holds, or None.
        others: The other processes on the GPU.
        unnamed_bytes: Bytes in use that no process named by the driver holds.
        own_listed: True if the driver lists this process; if not, it may be any of `others`.
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
        """The bytes that this process could hold: its own and the free ones."""
        return None if self.free_bytes is None or self.own_bytes is None else self.free_bytes + self.own_bytes

    @property
    def others_bytes(self) -> int:
        """The bytes that other processes hold, as far as is known."""
        return sum(holder.held_bytes or 0 for holder in self.others) + self.unnamed_bytes


@dataclass(frozen=True)
class OtherGpu:
    """Another GPU of the machine.

    Attributes:
        number: The number that nvidia-smi shows.
        logical: TensorFlow's name for it in this process, such as "GPU:1", or "" if this process doesn't see it.
        usable_bytes: The bytes that are free there, or reserved by this process and unused.
    """

    number: int
    logical: str
    usable_bytes: int


@dataclass(frozen=True)
class Shortage:
    """The facts about one out-of-memory error.

    Attributes:
        request: The request that failed.
        device: The logical device, such as "GPU:0" or "CPU:0", or "" if it isn't known.
        tensorflow: TensorFlow's version, such as (2, 21).
        elsewhere: The job and task that owns the device, if it isn't this process; then nothing else is known.
        cap: The cap in force.
        growth: Memory growth, or None if it isn't known.
        held: The allocator's figures, or None.
        gpu: The physical GPU.
        others: The other GPUs of the machine.
        host_total_bytes: For the CPU: the total bytes of the machine, or of the container.
        host_free_bytes: For the CPU: the available bytes.
        unknown: One line for each fact that couldn't be read, with the reason.
    """

    request: FailedAllocation
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
        """The cap in bytes that this one request would need, if fragmentation costs nothing."""
        requested, held = self.request.size_bytes, self.held
        if requested is None or held is None:
            return None
        return requested + (held.in_use_bytes if held.at_failure or held.peak_bytes is None else held.peak_bytes)

    @property
    def free_in_cap_bytes(self) -> int | None:
        """The bytes of the cap that no tensor holds."""
        if self.cap.size_bytes is None or self.held is None:
            return None
        return max(self.cap.size_bytes - self.held.in_use_bytes, 0)

    @property
    def can_still_reserve_bytes(self) -> int | None:
        """The bytes that the allocator may still reserve from the driver."""
        if self.cap.size_bytes is None or self.held is None or self.held.reserved_bytes is None:
            return None
        return max(self.cap.size_bytes - self.held.reserved_bytes, 0)
