"""tf.init_scope in a function: where it leaves it for, as on TensorFlow 1."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tf1mem.hooks.wrappers import put


def follow_mode() -> None:
    """Has it leave a function for eager mode if the program enabled that, and else for the default graph.

    TensorFlow settles that when the eager context is made (`_ContextSwitchStack` in its python/eager/context.py). That
    is here before the program chooses: on TensorFlow 2 it would leave every function of a graph for eager mode, whose
    tensors no graph takes; on TensorFlow 1 every function of eager mode for a graph.
    """
    module: Any = import_module("tensorflow.python.eager.context")
    context = module._context
    if context is None:
        return
    own = context._context_switches
    if type(own).__module__ == __name__:
        return  # tf1mem.v1 is loaded once more

    class Switches(type(own)):  # type: ignore[misc]
        """What was entered, in each thread: begins with the mode of the program."""

        def __init__(self) -> None:
            super().__init__(True)
            self.stack[0] = self.stack[0]._replace(enter_context_fn=_outermost)

    switches = Switches()
    begins_eagerly = own.stack and own.stack[0].enter_context_fn is module.eager_mode
    switches.stack.extend(own.stack[1:] if begins_eagerly else own.stack)
    put(context, "_context_switches", switches)


def _outermost() -> Any:
    context: Any = import_module("tensorflow.python.eager.context")
    if context.default_execution_mode == context.EAGER_MODE:
        return context.eager_mode()
    ops: Any = import_module("tensorflow.python.framework.ops")
    return ops._default_graph_stack._GetGlobalDefaultGraph().as_default()
