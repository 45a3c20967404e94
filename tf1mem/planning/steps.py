"""A step of a plan: one setting on one route, in the words a person reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tf1mem.settings.values import VirtualDevices

# The routes. `tf1mem.routes.ROUTES` has what carries out the steps of all but the first and the last.
DETECT = "detect"
TF_CONFIG = "tf.config"
EAGER = "eager config"
ENVIRONMENT = "environment"
SESSION = "session"
DEFAULT_CONFIG = "default config"
NONE = "none"

IN_THE_SESSION = "tf.compat.v1.Session(config=…)"
CARRY_CALL = "tf.compat.v1.enable_eager_execution(config=…)"

# Stands among a step's arguments for the ConfigProto that is applied, with GPUs by the numbers they have by then.
CONFIG = "config"

# A step for all settings together, where no field is meant by itself.
ALL = "(all of these)"
# How the value of a field reads that has its default.
DEFAULT = "(default)"

# The layout of plans and reports as JSON: another number when what was there is gone or means something else.
LAYOUT = 2


@dataclass(frozen=True)
class Step:
    """One setting on one route.

    Attributes:
        setting: The field as TF1 spells it.
        value: What is asked for, of its own type; None for a field's default. `shown` says it to a person.
        route: The way it goes: "tf.config", "eager config", "environment", "session", "default config", "none" or
            "detect".
        call: The exact call that the step stands for, or "" where nothing is called.
        reason: Why it goes that way.
        action: What the route does; "" for nothing.
        args: What the action takes; `CONFIG` among them stands for the ConfigProto.
        late: Whether it is a setting that the runtime has been started without.
        loud: Whether it is worth a warning: part of what is asked for is lost.
        harmless: Whether nothing is lost if it has no effect: there is no GPU for it, or it asks for the default.
        listed: Whether it has a line where a person reads a plan or a report.
    """

    setting: str
    value: Any
    route: str
    call: str
    reason: str
    action: str = ""
    args: tuple[Any, ...] = ()
    late: bool = False
    loud: bool = False
    harmless: bool = False
    listed: bool = True


def handed(setting: str, value: Any, reason: str, loud: bool = False) -> Step:
    """A step for what a Session is given, and nothing else carries."""
    return Step(setting, value, SESSION, IN_THE_SESSION, reason, "hand", loud=loud)


def nothing(setting: str, value: Any, reason: str, harmless: bool = False, late: bool = False) -> Step:
    """A step for what has no effect."""
    return Step(setting, value, NONE, "", reason, harmless=harmless, late=late)


def shown(value: Any) -> str:
    """A setting's value as a person reads it."""
    if value is None:
        return DEFAULT
    if isinstance(value, float):
        return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return str(value)


def plain(value: Any) -> Any:
    """A setting's value as JSON has it."""
    if isinstance(value, VirtualDevices):
        return {name: list(numbers) for name, numbers in vars(value).items() if numbers}
    return [plain(item) for item in value] if isinstance(value, tuple) else value
