"""Makes tf.init_scope enter the same outermost context from a function as on TensorFlow 1."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tf1mem.hooks.wrappers import put


def follow_mode() -> None:
    """Makes tf.init_scope enter eager mode if the program enabled it, else the default graph.

    TensorFlow decides which one when it creates the eager context (`_ContextSwitchStack` in python/eager/context.py),
    and tf1mem creates the context before the program chooses its mode. Without this function, init_scope on TensorFlow
    2 would enter eager mode from functions of graph mode, whose graphs can't use eager tensors; on TensorFlow 1 it
    would enter a graph from functions of eager mode.
    """
    module: Any = import_module("tensorflow.python.eager.context")
    context = module._context
    if context is None:
        return
    stack = context._context_switches
    if type(stack).__module__ == __name__:
        return  # tf1mem.v1 was imported before, and reloaded

    class Switches(type(stack)):  # type: ignore[misc]
        """The stack of entered contexts of each thread, which begins with the program's mode."""

        def __init__(self) -> None:
            super().__init__(True)
            self.stack[0] = self.stack[0]._replace(enter_context_fn=_outermost)

    switches = Switches()
    begins_eagerly = stack.stack and stack.stack[0].enter_context_fn is module.eager_mode
    switches.stack.extend(stack.stack[1:] if begins_eagerly else stack.stack)
    put(context, "_context_switches", switches)


def _outermost() -> Any:
    context: Any = import_module("tensorflow.python.eager.context")
    if context.default_execution_mode == context.EAGER_MODE:
        return context.eager_mode()
    ops: Any = import_module("tensorflow.python.framework.ops")
    return ops._default_graph_stack._GetGlobalDefaultGraph().as_default()
