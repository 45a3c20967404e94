"""`tf.enable_eager_execution(config=…)`, which TensorFlow 2 ignores."""

from __future__ import annotations

import functools
from typing import Any

from tf1mem.machine import runtime
from tf1mem.v1._configs import session_config


def enable_eager_execution(tf: Any, package: Any) -> Any:
    """`tf.enable_eager_execution`."""
    base = tf.enable_eager_execution

    @functools.wraps(base)
    def enable(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
        config = session_config(config, alone=False)
        if runtime.is_tf1(package) and not runtime.has_context(package):
            base(config=config, device_policy=device_policy, execution_mode=execution_mode)
            return
        # There is a context, which `apply` has told; TensorFlow would now refuse or ignore all three.
        base()
        from tensorflow.python.eager import context

        if device_policy is not None:
            context.context().device_policy = device_policy
        if execution_mode is not None:
            context.context().execution_mode = execution_mode

    return enable
