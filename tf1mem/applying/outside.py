"""Settings that a program is given from outside: files of a command line, and environment variables."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Mapping, NamedTuple

from tf1mem.applying.report import OVERRIDDEN, Line
from tf1mem.planning.steps import NONE, Step, shown
from tf1mem.settings import environment, protos
from tf1mem.settings.field_names import FRACTION, VIRTUAL
from tf1mem.settings.settings import Settings
from tf1mem.settings.settings import read as read_file
from tf1mem.settings.variable_names import is_own

# Each says how much memory: TensorFlow refuses the two together.
_EITHER = {FRACTION: VIRTUAL, VIRTUAL: FRACTION}


class Origin(NamedTuple):
    """Where settings come from.

    Attributes:
        name: What it is called for people.
        file: The settings of a file; None for environment variables.
    """

    name: str
    file: Settings | None

    def settings(self) -> Settings:
        """The settings; of variables, as they are now."""
        return environment.read(_variables(os.environ)) if self.file is None else self.file


class Outside(NamedTuple):
    """What a program is given from outside. It can be pickled.

    Attributes:
        config: Settings for a program that brings none.
        override: Settings that override the program's.
        unused: Variables that have no effect, because a file is given.
    """

    config: Origin | None = None
    override: Origin | None = None
    unused: Mapping[str, str] = {}


def given(config: str | None, override: str | None, environ: Mapping[str, str]) -> Outside | None:
    """What a program is given, checked.

    Args:
        config: A file of settings for a program that brings none.
        override: A file of settings that stand above those of the program.
        environ: The environment: its TF1MEM variables hold for a program that brings no settings, as `config` does.

    Returns:
        It, or None if there is nothing.

    Raises:
        Tf1memError: A file or a variable can't be used.
    """
    environment.warn_of_unread(environ)
    variables = _variables(environ)
    chosen = Origin(f"--config {config}", read_file(config)) if config is not None else None
    if chosen is None and variables:
        chosen = Origin(", ".join(variables), None)
        environment.read(variables)
    above = Origin(f"--override {override}", read_file(override)) if override is not None else None
    if chosen is None and above is None:
        return None
    return Outside(chosen, above, variables if config is not None else {})


def within(own: Outside | None, around: Outside | None) -> Outside | None:
    """Returns the settings for a program that was started by one which has settings itself.

    Args:
        own: What it is given; the variables among it are those that the other one had.
        around: What the other one was given.
    """
    if own is None or around is None:
        return around if own is None else own
    if around.config is not None and (own.config is None or own.config.file is None):
        own = own._replace(config=around.config, unused=around.unused)
    return own if own.override is not None else own._replace(override=around.override)


def put_over(settings: Settings, proto: Any, above: Origin) -> tuple[Settings, Any, list[Line]]:
    """Puts settings above those of a config.

    Args:
        settings: The settings of a config.
        proto: The same as a ConfigProto; it stays as it is.
        above: What is put above them.

    Returns:
        The settings that then hold, as a ConfigProto too, and a line for each setting of the config that doesn't.
    """
    rules = above.settings()
    source, made = rules.to_proto(), type(proto)()
    made.CopyFrom(proto)
    ruled = dict.fromkeys([*rules.values, *rules.spelled_defaults])
    either = {_EITHER[path]: path for path in rules.values if path in _EITHER}
    lines = []
    for path in (*ruled, *either):
        asked, said = settings.get(path), either.get(path, path)
        if asked != rules.get(path):
            why = f"{above.name} overrides the program, and sets {said}={shown(rules.get(said))}"
            lines.append(Line(Step(path, asked, NONE, "", ""), OVERRIDDEN, why))
            protos.copy_field(source, made, path)
    defaults = dict.fromkeys([*settings.spelled_defaults, *rules.spelled_defaults])
    return replace(Settings.of(made), spelled_defaults=tuple(defaults)), made, lines


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of tf1mem's own names: the short ones may mean something else to whoever set them."""
    names = [name for name in environment.VARIABLES if is_own(name)]
    return {name: environ[name] for name in names if environ.get(name, "").strip()}
