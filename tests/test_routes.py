"""Each call that a route names exists in every TensorFlow version that the route claims, and in no other."""

from __future__ import annotations

from packaging.version import Version

from tf1mem import routes
from tf1mem.machine.runtime import lookup


def test_the_names_are_there_in_just_the_versions_claimed(tensorflow_version):
    import tensorflow as tf

    claimed = routes.names_in(Version(tensorflow_version.base_version))
    found = {name for name in routes.all_names() if lookup(tf, name) is not None}
    assert sorted(claimed) == sorted(found)


def test_routes_are_of_one_shape():
    for name, route in routes.ROUTES.items():
        assert name == route.NAME
        assert all(callable(action) for action in route.ACTIONS.values())
        assert isinstance(route.CALLS, dict)
        assert route.__doc__
