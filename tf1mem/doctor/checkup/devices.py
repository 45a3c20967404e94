"""The physical devices that TensorFlow itself lists, asked in a child that imports it.

`list_physical_devices` asks CUDA which GPUs there are and makes no context on any: the runtime stays unstarted. Logical
devices are made by starting it, so they are not asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from tf1mem.machine.child import FAILED, ask
from tf1mem.machine.tensorflow import lookup

SECONDS = 300  # a first import took 45 s from a cold disk that was free, and over 120 s from one that was not


@dataclass(frozen=True)
class Devices:
    """What TensorFlow says.

    Attributes:
        state: `ANSWERED`; `SILENT`: its import didn't end in time; `FAILED`: it can't be imported.
        physical: The devices that it lists, such as "CPU:0"; None where it has no way to, or wasn't asked.
        error: Why the import failed, or "".
    """

    state: str
    physical: tuple[str, ...] | None = None
    error: str = ""


def asked(environment: dict[str, str], list_them: bool, seconds: float = SECONDS) -> Devices:
    """Asks TensorFlow, in a child.

    Args:
        environment: The environment variables.
        list_them: Whether to list devices. It asks the driver, so not where that doesn't answer.
        seconds: How long to wait.
    """
    answer = ask(
        "tf1mem.doctor.checkup.devices." + ("listed" if list_them else "imported"), seconds, dict(environment, **_QUIET)
    )
    physical = None if answer.value is None else tuple(answer.value)
    return Devices(answer.state, physical, _last_error(answer.said) if answer.state == FAILED else "")


_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}


def _last_error(said: str) -> str:
    """The line of a traceback that names the error, or the last that there is."""
    lines = [line for line in said.splitlines() if line.strip()]
    for line in reversed(lines):
        if not line.startswith(" ") and ": " in line and line.split(":", 1)[0].replace(".", "").isidentifier():
            return line
    return lines[-1] if lines else "the process that imported it died"


def imported() -> None:
    """What a child runs: imports TensorFlow, and no more."""
    import tensorflow  # noqa: F401


def listed() -> list[str] | None:
    """What a child runs: the names of the physical devices."""
    import tensorflow as tf

    listing = lookup(tf, "config.list_physical_devices") or lookup(tf, "config.experimental.list_physical_devices")
    if listing is None:  # 1.13: only by starting the runtime
        return None
    names = [str(device.name).rsplit("device:", 1)[-1] for device in listing()]
    return [name for name in names if not name.startswith("XLA_")]
