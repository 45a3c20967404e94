"""A step of a plan: one setting on one route, with its texts for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tf1mem.settings.values import VirtualDevices

# The routes. `tf1mem.routes.ROUTES` has the modules that take the steps of all but the first and the last.
DETECT = "detect"
TF_CONFIG = "tf.config"
EAGER = "eager config"
ENVIRONMENT = "environment"
SESSION = "session"
DEFAULT_CONFIG = "default config"
NONE = "none"

IN_THE_SESSION = "tf.compat.v1.Session(config=…)"
CARRY_CALL = "tf.compat.v1.enable_eager_execution(config=…)"

# A placeholder in a step's arguments for the applied ConfigProto, whose GPUs have CUDA's numbers at that step.
CONFIG = "config"

# The setting's name in a step for all settings together.
ALL = "(all of these)"
# The text for a field with its default value.
DEFAULT = "(default)"

# The schema number of plans and reports as JSON; it rises when a field is removed or changes its meaning.
SCHEMA = 3


@dataclass(frozen=True)
class Step:
    """One setting on one route.

    Attributes:
        setting: The field as TF1 spells it.
        value: The configured value, of its own type; None for a field's default. `shown` returns it as text.
        route: The route: "tf.config", "eager config", "environment", "session", "default config", "none" or "detect".
        call: The exact call that the step makes, or "" if it calls nothing.
        reason: The reason for the route.
        action: The route's action, a key of its `ACTIONS`; "" for none.
        args: The action's arguments; `CONFIG` among them stands for the applied ConfigProto.
        late: True if the runtime has started without the setting.
        loud: True if part of the setting is lost, which is worth a warning.
        harmless: True if nothing is lost although the step has no effect: there is no GPU, or the value is the default.
        listed: True if plans and reports show the step to a person.
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
    """Returns a step for a setting that only a Session's config carries."""
    return Step(setting, value, SESSION, IN_THE_SESSION, reason, "hand", loud=loud)


def nothing(setting: str, value: Any, reason: str, harmless: bool = False, late: bool = False) -> Step:
    """Returns a step for a setting without effect."""
    return Step(setting, value, NONE, "", reason, harmless=harmless, late=late)


def shown(value: Any) -> str:
    """Returns a setting's value as text for a person."""
    if value is None:
        return DEFAULT
    if isinstance(value, float):
        return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return str(value)


def plain(value: Any) -> Any:
    """Returns a setting's value as plain values, for JSON."""
    if isinstance(value, VirtualDevices):
        return {name: list(numbers) for name, numbers in vars(value).items() if numbers}
    return [plain(item) for item in value] if isinstance(value, tuple) else value
