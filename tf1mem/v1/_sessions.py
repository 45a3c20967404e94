"""Session, and TensorFlow's other classes that take a config for Sessions: the config goes through `apply`."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

from tf1mem.applying.pending import only_overrides_wait
from tf1mem.errors import NotAConfigError
from tf1mem.hooks.wrappers import put
from tf1mem.machine import eager_context
from tf1mem.machine.tensorflow import is_tf1
from tf1mem.routes.default_config import has_its_own
from tf1mem.settings import takers
from tf1mem.v1._configs import anything_applied, config_in_force, overlay_class, session_config, with_config
from tf1mem.v1._namespace import ROOT

# Classes of tf.train -> their methods that take the config.
_METHODS = {
    "SessionManager": takers.SESSION_MANAGER.names,
    "SingularMonitoredSession": ("__init__",),
    "Supervisor": takers.SUPERVISOR.names,
}
# The attribute of TensorFlow's class that counts its active InteractiveSessions.
_SESSION_COUNT = "_active_session_count"


def session(base: Any) -> Any:
    """Returns a `tf.Session` class that applies its config."""

    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:  # noqa: N807
        self._session = None  # read by __del__, which also runs if the config is refused
        try:
            config = session_config(config)
        except NotAConfigError:
            pass  # TensorFlow raises the error that programs know
        base.__init__(self, target, graph, config=config)

    return overlay_class(base, ROOT, {"__init__": __init__})


def interactive_session(tf: Any) -> Any:
    """Returns a `tf.InteractiveSession` class that applies its config."""
    base = tf.InteractiveSession

    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:  # noqa: N807
        self._session = None  # read by __del__, as above
        if config is not None:
            config = session_config(config)
        # With overrides alone, the default below is the config that they override.
        elif not only_overrides_wait() and anything_applied():
            config = config_in_force()
        else:
            # TensorFlow's own default for an InteractiveSession without a config (client/session.py).
            config = session_config(tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)))
        # A test may set the count of active sessions on this class. TensorFlow reads it on its own class.
        if _SESSION_COUNT in vars(subclass):
            put(base, _SESSION_COUNT, getattr(subclass, _SESSION_COUNT))
            delattr(subclass, _SESSION_COUNT)
        base.__init__(self, target, graph, config)

    subclass = overlay_class(base, ROOT, {"__init__": __init__})
    return subclass


def enable_eager_execution(tf: Any, package: Any) -> Any:
    """Returns `tf.enable_eager_execution` with its arguments in effect; TensorFlow 2 ignores them."""
    base = tf.enable_eager_execution

    @functools.wraps(base)
    def enable(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
        config = session_config(config, alone=False)
        if is_tf1(package) and not eager_context.exists():
            base(config=config, device_policy=device_policy, execution_mode=execution_mode)
            return
        # `apply` has configured the existing context; TensorFlow would refuse or ignore all three now.
        base()
        from tensorflow.python.eager import context

        if device_policy is not None:
            put(context.context(), "device_policy", device_policy)
        if execution_mode is not None:
            put(context.context(), "execution_mode", execution_mode)

    return enable


def test_case(base: Any) -> Any:
    """Returns a `tf.test.TestCase` class whose session methods apply their config."""

    def method(name: str) -> Any:
        plain = getattr(base, name)
        applying = with_config(plain)

        @functools.wraps(plain)
        def session(self: Any, graph: Any = None, config: Any = None, *args: Any, **kwargs: Any) -> Any:
            # Without a config, a test's Session has test defaults, as in TensorFlow 1.
            return (plain if config is None else applying)(self, graph, config, *args, **kwargs)

        return session

    body: dict[str, Any] = {name: method(name) for name in takers.TEST_SESSION.names}
    # Its qualified name is the public one, by which it is pickled.
    body.update(__module__=ROOT + ".test", __qualname__="TestCase", __doc__=base.__doc__)
    return type(base)(base.__name__, (base,), body)


def with_methods(base: Any) -> Any:
    """Returns a class of `tf.train` whose methods apply their config."""
    body = {method: with_config(getattr(base, method)) for method in _METHODS[base.__name__]}
    return overlay_class(base, ROOT + ".train", body)


def session_creator(base: Any) -> Any:
    """Returns `tf.train.ChiefSessionCreator` or `WorkerSessionCreator` with the config applied."""

    # Not in __init__, because a program may change the creator's config before the Session is created.
    def create_session(self: Any) -> Any:
        self._config = session_config(self._config)
        return base.create_session(self)

    return overlay_class(base, ROOT + ".train", {"create_session": create_session})


def server(base: Any) -> Any:
    """Returns a `tf.train.Server` class that applies its config, or the one inside its ServerDef."""

    def __init__(  # noqa: N807, PLR0917
        self: Any,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        if config is None and has_its_own(server_or_cluster_def):
            config = server_or_cluster_def.default_session_config
        config = session_config(config)
        # TensorFlow merges the config into the ServerDef's config (training/server_lib.py).
        base.__init__(self, server_or_cluster_def, job_name, task_index, protocol, config=config, start=start)

    subclass = overlay_class(base, ROOT + ".train", {"__init__": __init__})
    # TensorFlow's function names its own class, so a copy of the function names this one. (Its job, "localhost", was
    # "local" in TensorFlow 1.)
    original = base.create_local_server
    local = FunctionType(
        original.__code__, {**original.__globals__, "Server": subclass}, original.__name__, original.__defaults__
    )
    subclass.create_local_server = staticmethod(local)
    return subclass
