"""The ways of telling TensorFlow: one module each, all of the same shape.

A route module holds `NAME`, `CALLS` (the dotted `tf.` names that it needs, and the TensorFlow versions that have them;
tests/test_routes.py looks them up in every version) and `ACTIONS` (what a step's action does; each returns how to undo
it). `planning` decides which route a setting takes. Adding a route means adding a module here and to `ROUTES`.
`servers`, `keras` and `listings` are beside them: whatever the route, a cluster's Server, the Session that old Kerases
make for themselves, and a listing that makes devices are handed the config itself.
"""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tf1mem.routes import eager_config, environment, keras, listings, servers, session, tf_config

__all__ = ["ROUTES", "all_names", "keras", "listings", "names_in", "servers"]

ROUTES = {module.NAME: module for module in (tf_config, eager_config, environment, session)}


def all_names() -> list[str]:
    """Every `tf.` name that a route uses."""
    return [name for route in ROUTES.values() for name in route.CALLS]


def names_in(version: Version) -> frozenset[str]:
    """The names that a TensorFlow version has, as the routes say."""
    base = Version(version.base_version)
    return frozenset(
        name
        for route in ROUTES.values()
        for name, versions in route.CALLS.items()
        if SpecifierSet(versions).contains(base)
    )
