"""`tf.test.TestCase`, whose Sessions' config goes through `apply`."""

from __future__ import annotations

from typing import Any

from tf1mem.v1._configs import with_config


def test_case(test: Any) -> Any:
    """`tf.test.TestCase`."""
    base = test.TestCase
    methods = ("session", "cached_session", "test_session")
    body = {name: _explicit(with_config(getattr(base, name)), getattr(base, name)) for name in methods}
    return type(base)(base.__name__, (base,), dict(body, __module__="tf1mem.v1.test", __doc__=base.__doc__))


def _explicit(applying: Any, plain: Any) -> Any:
    # Without a config a test's Session has defaults of its own, as in TensorFlow 1.
    import functools

    @functools.wraps(plain)
    def session(self: Any, graph: Any = None, config: Any = None, *args: Any, **kwargs: Any) -> Any:
        return (plain if config is None else applying)(self, graph, config, *args, **kwargs)

    return session
