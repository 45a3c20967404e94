"""The physical devices that TensorFlow lists, queried in a child process that imports it.

`list_physical_devices` asks CUDA which GPUs there are and makes no context on any, so the runtime does not start.
Logical devices exist only once the runtime has started, so they are not queried.
"""

from __future__ import annotations

from dataclasses import dataclass

from tf1mem.machine.child import FAILED, ask
from tf1mem.machine.tensorflow import lookup

SECONDS = 300  # a first import took 45 s from a cold disk that was free, and over 120 s from one that was not


@dataclass(frozen=True)
class Devices:
    """TensorFlow's list of physical devices.

    Attributes:
        state: `ANSWERED`; `SILENT`: its import did not end in time; `FAILED`: it cannot be imported.
        physical: Names such as "CPU:0"; None if this TensorFlow cannot list devices or was not queried.
        error: Error line of the failed import, or "".
    """

    state: str
    physical: tuple[str, ...] | None = None
    error: str = ""


def query(environment: dict[str, str], list_them: bool, seconds: float = SECONDS) -> Devices:
    """Queries TensorFlow in a child process.

    Args:
        environment: Environment variables of the child.
        list_them: True to list devices too. Listing queries the driver, so pass False if the driver does not answer.
        seconds: Longest time to wait, in seconds.
    """
    answer = ask(
        "tf1mem.doctor.checkup.listed_devices." + ("listed" if list_them else "imported"),
        seconds,
        dict(environment, **_QUIET),
    )
    physical = None if answer.value is None else tuple(answer.value)
    return Devices(answer.state, physical, _last_error(answer.stderr) if answer.state == FAILED else "")


_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}


def _last_error(output: str) -> str:
    """Returns the line of a traceback that names the error, or its last line."""
    lines = [line for line in output.splitlines() if line.strip()]
    for line in reversed(lines):
        if not line.startswith(" ") and ": " in line and line.split(":", 1)[0].replace(".", "").isidentifier():
            return line
    return lines[-1] if lines else "the process that imported it died"


def imported() -> None:
    """Imports TensorFlow and does nothing else; run by a child process."""
    import tensorflow  # noqa: F401


def listed() -> list[str] | None:
    """Returns the names of the physical devices; run by a child process."""
    import tensorflow as tf

    listing = lookup(tf, "config.list_physical_devices") or lookup(tf, "config.experimental.list_physical_devices")
    if listing is None:  # 1.13: only by starting the runtime
        return None
    names = [str(device.name).rsplit("device:", 1)[-1] for device in listing()]
    return [name for name in names if not name.startswith("XLA_")]
