"""The host's memory: what this process may have of it."""

from __future__ import annotations

_CONTAINER = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def memory() -> tuple[int | None, int | None]:
    """The bytes of memory that there are, and that are available: of the container, if it has less; None: unknown."""
    total = free = None
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            told = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in file if "kB" in line}
        total, free = told.get("MemTotal"), told.get("MemAvailable")
    except (OSError, ValueError, IndexError):
        pass
    for limit_path, used_path in _CONTAINER:
        try:
            with open(limit_path, encoding="ascii") as limit_file, open(used_path, encoding="ascii") as used_file:
                limit, used = limit_file.read().strip(), int(used_file.read())
        except (OSError, ValueError):
            continue
        if limit.isdigit() and (total is None or int(limit) < total):
            left = max(int(limit) - used, 0)
            return int(limit), left if free is None else min(left, free)
    return total, free
