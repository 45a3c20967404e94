"""Makes ops with a state of their own, such as random ones, run in one order on every TensorFlow.

TensorFlow may run several iterations of a loop at once, and a random op doesn't wait for the iteration before its own:
which iteration gets which numbers differs between versions, and between runs. The same holds for datasets that map
several elements at once.
"""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around


def around_loops(module: Any) -> None:
    """Makes while loops run one iteration at a time; `module` is TensorFlow's `control_flow_ops`."""
    put_around(module.WhileContext, "__init__", _around_context)


def _around_context(original: Callable[..., Any]) -> Callable[..., Any]:
    def init(context: Any, *args: Any, **kwargs: Any) -> None:
        original(context, *args, **kwargs)
        context._parallel_iterations = 1

    return init


def around_loops_of_functions(module: Any) -> None:
    """Makes while loops of TensorFlow 2 run one iteration at a time; `module` is TensorFlow's `while_v2`."""
    put_around(module, "while_loop", _around_while)


def _around_while(original: Callable[..., Any]) -> Callable[..., Any]:
    def while_loop(*args: Any, **kwargs: Any) -> Any:
        if "parallel_iterations" in kwargs:
            kwargs["parallel_iterations"] = 1
        return original(*args, **kwargs)

    return while_loop


def around_datasets(module: Any) -> None:
    """Makes datasets map one element at a time; `module` is TensorFlow's `dataset_ops`."""
    for name in ("DatasetV1", "DatasetV2"):
        put_around(getattr(module, name), "map", _around_map)


def _around_map(original: Callable[..., Any]) -> Callable[..., Any]:
    def map_elements(dataset: Any, map_func: Any, num_parallel_calls: Any = None, *args: Any, **kwargs: Any) -> Any:
        calls = None if num_parallel_calls is None else 1
        return original(dataset, map_func, calls, *args, **kwargs)

    return map_elements
