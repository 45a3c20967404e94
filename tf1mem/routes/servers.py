"""Servers of a cluster: each makes devices of its own, from its own config, whatever the eager context lives under.

A `tf.distribute.Server` (`tf.train.Server`) that is given no config starts its GPUs with TensorFlow's defaults: all of
them, all of their memory. Here it takes the config that `tf1mem.apply` applied. Source: GrpcServer::Init in
tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc, which reads the ServerDef's default_session_config alone.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

log = logging.getLogger("tf1mem")

_default: Any = None


def set_default(config: Any) -> None:
    """Makes a ConfigProto the config of every Server that is given none from now on."""
    global _default
    _default = config


def follow(server_class: Any) -> None:
    """Lets a Server that is given no config take the one set by `set_default`.

    Args:
        server_class: `tf.distribute.Server`.
    """
    original = server_class.__init__

    @functools.wraps(original)
    def init(  # noqa: PLR0917 - TensorFlow's own signature
        self: Any,
        server_or_cluster_def: Any,
        job_name: Any = None,
        task_index: Any = None,
        protocol: Any = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        if config is None and _default is not None and not _has_its_own(server_or_cluster_def):
            log.info("a Server without a config takes the settings that were applied")
            config = _default
        original(self, server_or_cluster_def, job_name, task_index, protocol, config, start)

    server_class.__init__ = init


def _has_its_own(server_or_cluster_def: Any) -> bool:
    """Whether it is a ServerDef with a config in it."""
    return hasattr(server_or_cluster_def, "default_session_config") and server_or_cluster_def.HasField(
        "default_session_config"
    )
