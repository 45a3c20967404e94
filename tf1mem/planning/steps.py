"""A step of a plan: one setting on one route, in the words a person reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MIB = 2**20

DETECT = "detect"
TF_CONFIG = "tf.config"
EAGER = "eager config"
ENVIRONMENT = "environment"
SESSION = "session"
NONE = "none"

IN_THE_SESSION = "tf.compat.v1.Session(config=…)"
CARRY_CALL = "tf.compat.v1.enable_eager_execution(config=…)"


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
        loud: Whether it is worth a warning: part of what is asked for is lost.
    """

    setting: str
    value: str
    route: str
    call: str
    reason: str
    action: str = ""
    args: tuple[Any, ...] = ()
    late: bool = False
    loud: bool = False


def shown(value: Any) -> str:
    """A setting's value as a person reads it."""
    if isinstance(value, float):
        return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return str(value)


def gib(count: int) -> str:
    """Bytes as GiB, to two places at most."""
    return f"{count / 2**30:.4g} GiB"
