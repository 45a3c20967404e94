"""tf.train's ways to a Session: their config goes through `apply`."""

from __future__ import annotations

from typing import Any

from tf1mem.v1._configs import overlay_class, session_config, with_config

_MODULE = "tf1mem.v1.train"


def monitored_training_session(train: Any) -> Any:
    """`tf.train.MonitoredTrainingSession`."""
    return with_config(train.MonitoredTrainingSession)


def singular_monitored_session(train: Any) -> Any:
    """`tf.train.SingularMonitoredSession`."""
    base = train.SingularMonitoredSession
    return overlay_class(base, _MODULE, {"__init__": with_config(base.__init__)})


def _session_creator(base: Any) -> Any:
    # Not in __init__: a config may still be changed through the creator before the Session is made.
    def create_session(self: Any) -> Any:
        self._config = session_config(self._config)
        return base.create_session(self)

    return overlay_class(base, _MODULE, {"create_session": create_session})


def chief_session_creator(train: Any) -> Any:
    """`tf.train.ChiefSessionCreator`."""
    return _session_creator(train.ChiefSessionCreator)


def worker_session_creator(train: Any) -> Any:
    """`tf.train.WorkerSessionCreator`."""
    return _session_creator(train.WorkerSessionCreator)


def session_manager(train: Any) -> Any:
    """`tf.train.SessionManager`."""
    base = train.SessionManager
    methods = ("prepare_session", "recover_session", "wait_for_session")
    return overlay_class(base, _MODULE, {name: with_config(getattr(base, name)) for name in methods})


def supervisor(train: Any) -> Any:
    """`tf.train.Supervisor`."""
    base = train.Supervisor
    prepare = with_config(base.prepare_or_wait_for_session)
    body = {
        "managed_session": with_config(base.managed_session),
        "prepare_or_wait_for_session": prepare,
        "PrepareSession": prepare,
    }
    return overlay_class(base, _MODULE, body)


def server(train: Any) -> Any:
    """`tf.train.Server`. A config inside a ServerDef counts as its config."""
    base = train.Server

    def __init__(  # noqa: N807, PLR0917
        self: Any,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        inside = getattr(server_or_cluster_def, "default_session_config", None)
        if config is None and inside is not None and server_or_cluster_def.HasField("default_session_config"):
            config = inside
        # TensorFlow merges it into the ServerDef's (training/server_lib.py).
        base.__init__(
            self, server_or_cluster_def, job_name, task_index, protocol, config=session_config(config), start=start
        )

    def create_local_server(config: Any = None, start: bool = True) -> Any:
        # As TensorFlow's own, which would make its own class.
        return made({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    body = {"__init__": __init__, "create_local_server": staticmethod(create_local_server)}
    made = overlay_class(base, _MODULE, body)
    return made
