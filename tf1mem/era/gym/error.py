"""gym's errors: gymnasium's, and one that it no longer has."""

from __future__ import annotations

from gymnasium.error import (
    DependencyNotInstalled,
    Error,
    InvalidAction,
    NameNotFound,
    ResetNeeded,
    UnregisteredEnv,
)

__all__ = [
    "DependencyNotInstalled",
    "DeprecatedEnv",
    "Error",
    "InvalidAction",
    "NameNotFound",
    "ResetNeeded",
    "UnregisteredEnv",
]


class DeprecatedEnv(Error):  # type: ignore[misc]  # noqa: N818
    """An environment of which only other versions exist."""
