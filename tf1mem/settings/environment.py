"""Builds configs from environment variables, for containers."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple

from tf1mem.errors import EnvironmentVariableError, SettingError, SettingTypeError, Tf1memError, printable
from tf1mem.machine import tf32
from tf1mem.machine.switches import OFF
from tf1mem.settings.builder import settings, split
from tf1mem.settings.settings import Settings
from tf1mem.settings.values import assignment, glimpse
from tf1mem.settings.variable_names import TF1_SEEDS, TF_VERSION, is_own, is_version

if TYPE_CHECKING:
    from tf1mem.settings.proto_types import ConfigProto

log = logging.getLogger("tf1mem")


def from_env(environ: Mapping[str, str] | None = None) -> ConfigProto:
    """Builds a ConfigProto from environment variables, for containers.

    Args:
        environ: The variables; by default `os.environ`. It reads TF1MEM_ALLOW_GROWTH, TF1MEM_MEMORY_FRACTION,
            TF1MEM_MEMORY_LIMIT_MB (MiB), TF1MEM_VISIBLE_GPUS ("1,0"), TF1MEM_SPLIT_MB ("2048,2048"; ";" between GPUs),
            TF1MEM_MANAGED_MEMORY, TF1MEM_SOFT_PLACEMENT and TF1MEM_LOG_PLACEMENT. VISIBLE_GPU and MEMORY_LIMIT_MB,
            which many guides use, count if tf1mem's own variable is absent. An empty variable counts as absent; any
            other variable that begins with TF1MEM_ leads to a warning.

    Returns:
        A `tf.compat.v1.ConfigProto`.

    Raises:
        EnvironmentVariableError: A variable is malformed (the message names it), or `environ` isn't a dict of
            variables.
    """
    variables = _checked(os.environ if environ is None else environ)
    warn_of_unread(variables)
    return read(variables).to_proto()


def _checked(environ: Any) -> Mapping[str, str]:
    if not isinstance(environ, Mapping):
        raise EnvironmentVariableError(glimpse(environ), "is not a dict of variables", "Give names and their values")
    for name, text in environ.items():
        if not isinstance(name, str):
            variable = assignment(glimpse(name), text)
            raise EnvironmentVariableError(variable, "is not the name of a variable", "Give it a name")
    return environ


def read(environ: Mapping[str, str]) -> Settings:
    """Returns Settings from the variables that `from_env` reads, without TensorFlow."""
    variables = list(_set_variables(environ))
    keywords = {variable.keyword: variable.parsed() for variable in variables}
    for variable in variables:
        variable.check(keywords[variable.keyword])
    try:
        return settings(**keywords)
    except Tf1memError as error:
        if isinstance(error, (SettingError, SettingTypeError)):
            origins = ", ".join(str(variable) for variable in variables)
            raise EnvironmentVariableError(origins, error.wrong, error.remedy) from error
        raise


def tf_version(environ: Mapping[str, str]) -> str | None:
    """Returns the version that TF1MEM_TF_VERSION shows to programs, or None if it is absent or empty.

    Args:
        environ: The variables.

    Raises:
        EnvironmentVariableError: It isn't a version.
    """
    text = environ.get(TF_VERSION, "").strip()
    if text and not is_version(text):
        variable = assignment(TF_VERSION, text)
        raise EnvironmentVariableError(variable, "is malformed", "Set it to a version of TensorFlow, such as 1.15.5")
    return text or None


def malformed(environ: Mapping[str, str]) -> list[EnvironmentVariableError]:
    """Returns an error for each variable that `from_env` would refuse by itself, or `tf_version`.

    Args:
        environ: The variables.
    """
    errors = []
    for variable in list(_set_variables({name: text.strip() for name, text in environ.items()})):
        try:
            variable.check(variable.parsed())
        except EnvironmentVariableError as error:
            errors.append(error)
    try:
        tf_version(environ)
    except EnvironmentVariableError as error:
        errors.append(error)
    return errors


def warn_of_unread(environ: Mapping[str, str]) -> None:
    """Logs a warning for each set variable with tf1mem's prefix that tf1mem doesn't read.

    Args:
        environ: The variables.
    """
    for name in sorted(environ):
        why = unread(name)
        if why and environ[name]:
            log.warning("%s", printable(f"{assignment(name, environ[name])}: no effect ({why})"))


def unread(name: str) -> str:
    """Returns why a variable with tf1mem's prefix has no effect, or "" for any other variable."""
    if not is_own(name) or name in (*VARIABLES, TF1_SEEDS, TF_VERSION, tf32.VARIABLE):
        return ""
    import difflib

    close = difflib.get_close_matches(name, VARIABLES, 1, 0.8)
    return "tf1mem reads no variable of this name" + (f"; did you mean {close[0]}?" if close else "")


class _Kind(NamedTuple):
    """A format: the function that parses a value, and the words for a right one."""

    parse: Callable[[str], Any]
    shape: str


class _Variable(NamedTuple):
    """A variable that is set.

    Attributes:
        keyword: The argument of `config` that it sets.
        kind: The format of its value.
        name: The variable's name.
        text: The variable's value.
    """

    keyword: str
    kind: _Kind
    name: str
    text: str

    def __str__(self) -> str:
        return assignment(self.name, self.text)

    def parsed(self) -> Any:
        """Returns the value of the argument."""
        try:
            if not isinstance(self.text, str):
                raise ValueError(self.text)
            return self.kind.parse(self.text.strip())
        except (ValueError, OverflowError):
            raise EnvironmentVariableError(str(self), "is malformed", f"Set it to {self.kind.shape}") from None

    def check(self, value: Any) -> None:
        """Checks the value alone, so that an error names this variable only."""
        gpu_options: dict[str, Any] = {}
        if self.keyword == "memory_fraction":
            gpu_options = {"per_process_gpu_memory_fraction": value}
        elif self.keyword == "memory_limit_mib":
            gpu_options = {"experimental": {"virtual_devices": [{"memory_limit_mb": value}]}}
        elif self.keyword == "visible_gpus":
            gpu_options = {"visible_device_list": ",".join(map(str, value))}
        elif self.keyword == "split_mib":
            gpu_options = {"experimental": {"virtual_devices": split(value, 0)}}
        try:
            Settings.of({"gpu_options": gpu_options})
        except (SettingError, SettingTypeError) as error:
            raise EnvironmentVariableError(str(self), error.wrong, error.remedy) from error


def _set_variables(environ: Mapping[str, Any]) -> Iterator[_Variable]:
    """Yields the variables that are set and not empty, one for each argument."""
    for keyword, names, kind in _VARIABLES:
        for name in names:
            text = environ.get(name, "")
            if not isinstance(text, str) or text.strip():
                yield _Variable(keyword, kind, name, text)
                break


def _flag(text: str) -> bool:
    lowered = text.lower()
    if lowered in ("1", "true", "yes", "on"):
        return True
    if lowered in OFF:
        return False
    raise ValueError(text)


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _gpu_list(text: str) -> list[int]:
    if text == "-1":
        return []  # no GPU, as with CUDA_VISIBLE_DEVICES=-1
    return [int(word) for word in text.split(",")]


def _sizes(text: str) -> list[list[float]]:
    return [[_number(word) for word in part.split(",")] for part in text.split(";")]


_FLAG = _Kind(_flag, "true or false")

# The argument of `config`, its variables (the first that is set counts), and their format.
_VARIABLES = (
    ("allow_growth", ("TF1MEM_ALLOW_GROWTH",), _FLAG),
    ("memory_fraction", ("TF1MEM_MEMORY_FRACTION",), _Kind(float, "a number, such as 0.4")),
    ("memory_limit_mib", ("TF1MEM_MEMORY_LIMIT_MB", "MEMORY_LIMIT_MB"), _Kind(_number, "a number, such as 2048")),
    (
        "visible_gpus",
        ("TF1MEM_VISIBLE_GPUS", "VISIBLE_GPU"),
        _Kind(_gpu_list, "numbers of GPUs, such as 0 or 1,0 (-1 for none)"),
    ),
    ("split_mib", ("TF1MEM_SPLIT_MB",), _Kind(_sizes, "sizes in MiB, such as 2048,2048")),
    ("managed_memory", ("TF1MEM_MANAGED_MEMORY",), _FLAG),
    ("soft_placement", ("TF1MEM_SOFT_PLACEMENT",), _FLAG),
    ("log_placement", ("TF1MEM_LOG_PLACEMENT",), _FLAG),
)
# The names of all these variables.
VARIABLES = tuple(name for _, names, _ in _VARIABLES for name in names)
