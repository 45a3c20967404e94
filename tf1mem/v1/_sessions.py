"""Session and what else of TensorFlow takes a config for one: the config goes through `apply`."""

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
from tf1mem.v1._configs import anything_applied, in_force, overlay_class, session_config, with_config
from tf1mem.v1._namespace import ROOT

# Classes of tf.train -> their methods that take the config.
_METHODS = {
    "SessionManager": takers.SESSION_MANAGER.names,
    "SingularMonitoredSession": ("__init__",),
    "Supervisor": takers.SUPERVISOR.names,
}


_ACTIVE = "_active_session_count"


def session(base: Any) -> Any:
    """`tf.Session`."""

    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:  # noqa: N807
        self._session = None  # What __del__ looks for, should the config be refused.
        try:
            config = session_config(config)
        except NotAConfigError:
            pass  # TensorFlow refuses it in the words that programs know.
        base.__init__(self, target, graph, config=config)

    return overlay_class(base, ROOT, {"__init__": __init__})


def interactive_session(tf: Any) -> Any:
    """`tf.InteractiveSession`."""
    base = tf.InteractiveSession

    def __init__(self: Any, target: Any = "", graph: Any = None, config: Any = None) -> None:  # noqa: N807
        self._session = None  # As above.
        if config is not None:
            config = session_config(config)
        elif not only_overrides_wait() and anything_applied():
            config = in_force()
        else:
            # What TensorFlow itself takes for an InteractiveSession without a config (client/session.py).
            config = session_config(tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True)))
        # Whoever sets the count of those that are active (tests do) sets it on this class; TensorFlow's own keeps it.
        if _ACTIVE in vars(made):
            put(base, _ACTIVE, getattr(made, _ACTIVE))
            delattr(made, _ACTIVE)
        base.__init__(self, target, graph, config)

    made = overlay_class(base, ROOT, {"__init__": __init__})
    return made


def enable_eager_execution(tf: Any, package: Any) -> Any:
    """`tf.enable_eager_execution(config=…)`, which TensorFlow 2 ignores."""
    base = tf.enable_eager_execution

    @functools.wraps(base)
    def enable(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
        config = session_config(config, alone=False)
        if is_tf1(package) and not eager_context.exists():
            base(config=config, device_policy=device_policy, execution_mode=execution_mode)
            return
        # There is a context, which `apply` has told; TensorFlow would now refuse or ignore all three.
        base()
        from tensorflow.python.eager import context

        if device_policy is not None:
            put(context.context(), "device_policy", device_policy)
        if execution_mode is not None:
            put(context.context(), "execution_mode", execution_mode)

    return enable


def test_case(base: Any) -> Any:
    """`tf.test.TestCase`."""

    def method(name: str) -> Any:
        plain = getattr(base, name)
        applying = with_config(plain)

        @functools.wraps(plain)
        def session(self: Any, graph: Any = None, config: Any = None, *args: Any, **kwargs: Any) -> Any:
            # Without a config a test's Session has defaults of its own, as in TensorFlow 1.
            return (plain if config is None else applying)(self, graph, config, *args, **kwargs)

        return session

    body = {name: method(name) for name in takers.TEST_SESSION.names}
    return type(base)(base.__name__, (base,), dict(body, __module__=ROOT + ".test", __doc__=base.__doc__))


def with_methods(base: Any) -> Any:
    """A class of `tf.train` with methods that take a config."""
    body = {method: with_config(getattr(base, method)) for method in _METHODS[base.__name__]}
    return overlay_class(base, ROOT + ".train", body)


def session_creator(base: Any) -> Any:
    """`tf.train.ChiefSessionCreator` or `WorkerSessionCreator`."""

    # Not in __init__: a config may still be changed through the creator before the Session is made.
    def create_session(self: Any) -> Any:
        self._config = session_config(self._config)
        return base.create_session(self)

    return overlay_class(base, ROOT + ".train", {"create_session": create_session})


def server(base: Any) -> Any:
    """`tf.train.Server`. A config inside a ServerDef counts as its config."""

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
        # TensorFlow merges it into the ServerDef's (training/server_lib.py).
        base.__init__(self, server_or_cluster_def, job_name, task_index, protocol, config=config, start=start)

    made = overlay_class(base, ROOT + ".train", {"__init__": __init__})
    # TensorFlow's own would make its own class. Its job was named "local", and is "localhost" now.
    own = base.create_local_server
    local = FunctionType(own.__code__, {**own.__globals__, "Server": made}, own.__name__, own.__defaults__)
    made.create_local_server = staticmethod(local)
    return made
