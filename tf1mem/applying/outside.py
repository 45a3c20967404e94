"""Settings that a program gets from outside: from the files of --config and --override, and environment variables."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Mapping, NamedTuple

from tf1mem.applying.report import OVERRIDDEN, Line
from tf1mem.machine import tf32
from tf1mem.planning.steps import NONE, Step, shown
from tf1mem.settings import environment, protos
from tf1mem.settings.field_names import FRACTION, VIRTUAL
from tf1mem.settings.settings import Settings
from tf1mem.settings.settings import read as read_file
from tf1mem.settings.variable_names import is_own

# Both set how much memory to use: TensorFlow refuses the two together, so an override of one removes the other.
_EITHER = {FRACTION: VIRTUAL, VIRTUAL: FRACTION}


class Origin(NamedTuple):
    """The origin of settings.

    Attributes:
        name: The origin's name in messages, such as "--config gpu.yaml".
        file: The settings of a file; None for environment variables.
    """

    name: str
    file: Settings | None

    def settings(self) -> Settings:
        """Returns the settings; environment variables are read again at each call."""
        return environment.read(_variables(os.environ)) if self.file is None else self.file


class Outside(NamedTuple):
    """The settings that a program gets from outside. It can be pickled.

    Attributes:
        config: Settings for a program without its own.
        override: Settings that override the program's.
        unused: Environment variables that have no effect, because --config is given.
    """

    config: Origin | None = None
    override: Origin | None = None
    unused: Mapping[str, str] = {}


def read_outside(config: str | None, override: str | None, environ: Mapping[str, str]) -> Outside | None:
    """Reads and checks the settings that a program gets from outside.

    Args:
        config: A file of settings for a program without its own, or None.
        override: A file of settings that override the program's, or None.
        environ: The environment. Without `config` its TF1MEM variables take the place of that file. A variable that
            no config has a field for is read when settings are planned, even if there are none.

    Returns:
        The settings, or None if there are none.

    Raises:
        Tf1memError: A file or a variable can't be used.
    """
    environment.warn_of_unread(environ)
    environment.tf_version(environ)
    variables = _variables(environ)
    chosen = Origin(f"--config {config}", read_file(config)) if config is not None else None
    if chosen is None and variables:
        chosen = Origin(", ".join(variables), None)
        environment.read(variables)
    above = Origin(f"--override {override}", read_file(override)) if override is not None else None
    if chosen is None and above is None and not tf32.is_refused(environ):
        return None
    return Outside(chosen, above, variables if config is not None else {})


def within(own: Outside | None, around: Outside | None) -> Outside | None:
    """Returns the settings for a program that another program with settings from outside has started.

    Args:
        own: The started program's settings. Its environment variables were inherited, so `around` overrides them.
        around: The other program's settings.
    """
    if own is None or around is None:
        return around if own is None else own
    if around.config is not None and (own.config is None or own.config.file is None):
        own = own._replace(config=around.config, unused=around.unused)
    return own if own.override is not None else own._replace(override=around.override)


def apply_override(settings: Settings, proto: Any, above: Origin) -> tuple[Settings, Any, list[Line]]:
    """Overrides settings of a config.

    Args:
        settings: The settings of the config.
        proto: The config as a ConfigProto, which isn't changed.
        above: The settings that override them.

    Returns:
        The resulting settings; the same as a ConfigProto; and a line for each setting of the config that changed.
    """
    rules = above.settings()
    source, target = rules.to_proto(), type(proto)()
    target.CopyFrom(proto)
    ruled = dict.fromkeys([*rules.values, *rules.spelled_defaults])
    either = {_EITHER[path]: path for path in rules.values if path in _EITHER}
    lines = []
    for path in (*ruled, *either):
        value, setter = settings.get(path), either.get(path, path)
        if value != rules.get(path):
            why = f"{above.name} overrides the program, and sets {setter}={shown(rules.get(setter))}"
            lines.append(Line(Step(path, value, NONE, "", ""), OVERRIDDEN, why))
            protos.copy_field(source, target, path)
    defaults = dict.fromkeys([*settings.spelled_defaults, *rules.spelled_defaults])
    return replace(Settings.of(target), spelled_defaults=tuple(defaults)), target, lines


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables with tf1mem's prefix; others, such as VISIBLE_GPU, may be meant for another program."""
    names = [name for name in environment.VARIABLES if is_own(name)]
    return {name: environ[name] for name in names if environ.get(name, "").strip()}
