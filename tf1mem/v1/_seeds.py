"""TensorFlow 1's seeds, on TensorFlow 2: the same graph with the same seed draws the same random numbers.

In a graph with a seed, TensorFlow 1 seeds an op by the number of ops in the graph so far, unless the op has its own
seed. TensorFlow 2 counts only the ops that take such a seed, and some of its functions make a different number of ops
(`_op_table.json`).
"""

from __future__ import annotations

import functools
import os
import sys
from operator import attrgetter
from typing import Any, Callable

from tf1mem.hooks.wrappers import before_set, put, put_around, replace_everywhere
from tf1mem.machine.modules import loaded_module
from tf1mem.machine.switches import is_off
from tf1mem.names import random_changes
from tf1mem.settings.variable_names import TF1_SEEDS
from tf1mem.v1 import _tf1_gradients
from tf1mem.v1._differing import OF_GRADIENTS, TableWatch, features_of
from tf1mem.v1._exact_counts import (
    more_ops,
    more_ops_of_empty_lists,
    more_ops_of_gradients,
    more_ops_of_slice,
    more_ops_of_sparse_read,
    more_ops_of_transpose,
    rules,
    tries_dtypes,
)
from tf1mem.v1._keras_seeds import take_tf1_seeds
from tf1mem.v1._namespace import import_or_none
from tf1mem.v1._op_counts import Counter, kind_of

# Prefixes of names in the table that aren't functions: a class of Keras layers, a type of op.
LAYER, GRADIENT = "layer ", "gradient "

# Packages that can hold Keras 2, and its files with the base classes of layers.
_KERAS = ("tf_keras.src", "keras.src", "keras", "tensorflow.python.keras", "tensorflow_core.python.keras")
_LAYERS = ("engine.base_layer", "engine.base_layer_v1")
# The files with the base class of metrics; the second is that of TensorFlow 2.4.
_METRICS = ("metrics.base_metric", "metrics")

# Function that makes one op now -> TensorFlow 1's implementation with several ops, which TensorFlow still has.
_COMPOSED = {"einsum": "python.ops.special_math_ops:_einsum_v1"}

_counter: Counter | None = None
_watch: TableWatch | None = None
_version: Any = None


def follow(tf: Any, version: Any) -> None:
    """Makes ops take TensorFlow 1's seeds in every graph with a seed; patches nothing before a graph gets one.

    Args:
        tf: TensorFlow's TF1 API.
        version: TensorFlow's version; None if it isn't known.
    """

    def start_counting(graph: Any, seed: Any) -> None:
        if seed is not None and _counter is None and _is_enabled():
            from tf1mem.v1 import _differing_table, _op_table

            if version is not None and version.release < (2, 16):
                # Loads Keras, whose layers are patched below. On later TensorFlows tf_keras calls `keras_is_loaded`.
                _ = tf.keras.layers.Layer, tf.layers.Layer
            graphs = _ops().get_default_graph
            count(
                tf,
                Counter(_op_table.table(version), graphs, rules(version)),
                TableWatch(_differing_table.table(version), graphs, random_changes.note),
                version,
            )

    before_set(_ops().Graph, "seed", start_counting)


def count(tf: Any, counter: Counter, watch: TableWatch | None = None, version: Any = None) -> None:
    """Wraps the functions that a counter counts, and makes ops draw their seeds from the counter.

    Args:
        tf: TensorFlow's TF1 API.
        counter: Counter of TensorFlow 1's ops.
        watch: Watch that reports calls known to differ; None for no reports.
        version: TensorFlow's version; None stands for the newest.
    """
    global _counter, _watch, _version
    _counter, _watch, _version = counter, watch, version
    get_seed = loaded_module("python.framework.random_seed").get_seed
    replacements = {get_seed: _with_tf1_rule(get_seed, counter, watch)}
    for name in {**counter.table, **counter.rules}:
        if " " not in name:
            owner, leaf = _place(tf, name)
            function = getattr(owner, leaf, None)
            if isinstance(owner, type):
                put_around(owner, leaf, lambda function, name=name: counter.around(name, function))  # type: ignore
            elif function is not None:
                replacements[function] = counter.around(name, function)
    for name, tf1_function in _COMPOSED.items():
        (owner, leaf), (home, earlier) = _place(tf, name), _place(tf, tf1_function)
        if hasattr(owner, leaf) and hasattr(home, earlier):
            replacements[getattr(owner, leaf)] = counter.around_composed(getattr(owner, leaf), getattr(home, earlier))
    for name, more in more_ops(version).items():
        owner, leaf = _place(tf, name)
        function = getattr(owner, leaf, None)
        if function is not None:
            replacements[function] = counter.around_exact(replacements.get(function, function), more, always=True)
    for name in watch.names if watch else ():
        owner, leaf = _place(tf, name)
        function = None if " " in name else getattr(owner, leaf, None)
        if watch and function is not None:
            replacements[function] = watch.around(name, replacements.get(function, function))
    transpose = loaded_module("python.ops.array_ops").transpose
    replacements[transpose] = counter.around_exact(transpose, more_ops_of_transpose)
    make_op = getattr(loaded_module("python.framework.op_def_library"), "_apply_op_helper", None)
    if make_op is not None and tries_dtypes(make_op):
        replacements[make_op] = counter.around_op(make_op, more_ops_of_empty_lists)
    replace_everywhere(replacements)
    for sliced in (tf.Tensor, tf.Variable):  # both APIs' variables inherit the method
        owner = next(base for base in sliced.__mro__ if "__getitem__" in vars(base))
        put_around(owner, "__getitem__", lambda getitem: counter.around_exact(getitem, more_ops_of_slice))
    resource = loaded_module("python.ops.resource_variable_ops").BaseResourceVariable
    put_around(resource, "sparse_read", lambda read: counter.around_exact(read, more_ops_of_sparse_read))
    put_around(_ops(), "get_gradient_function", lambda lookup: _counting_gradients(lookup, counter, watch))
    keras_is_loaded()


def keras_is_loaded() -> None:
    """Wraps layers and functions of loaded Keras packages. Call it again if Keras is loaded after the first seed."""
    if _counter is None:
        return
    for home in _KERAS:
        if f"{home}.{_LAYERS[0]}" in sys.modules:  # the second file is loaded only when a layer is made
            take_tf1_seeds(home)
            _count_functions(home, _counter)
            backend = import_or_none(f"{home}.backend")
            if backend is not None and not hasattr(backend.rnn, "tf1mem_counts"):
                put_around(backend, "rnn", _selecting_as_tf1)
            for file in _METRICS:
                metric = getattr(import_or_none(f"{home}.{file}"), "Metric", None)
                if metric is not None and not hasattr(metric.__call__, "tf1mem_counts"):
                    put_around(metric, "__call__", _noting_metric)
            for file in _LAYERS:
                layer = getattr(import_or_none(f"{home}.{file}"), "Layer", None)
                if layer is not None and not hasattr(layer.__call__, "tf1mem_counts"):
                    put_around(layer, "__call__", lambda call: _counting_layer_call(call, _counter))  # type: ignore


def tf1_makes_more(ops: int) -> None:
    """Counts ops that a function of TensorFlow 1's contrib made in a call, and that tf1mem's function doesn't make.

    Args:
        ops: Number of these ops; negative if tf1mem's function makes more.
    """
    if _counter is not None:
        _counter.add(ops)


def makes_other_ops(name: str) -> None:
    """Notes a call of a function of contrib whose number of ops isn't counted, for the report.

    Args:
        name: The function's name below `tf`, such as "contrib.layers.unit_norm".
    """
    if _watch is not None:
        _watch.note(name)


def _count_functions(home: str, counter: Counter) -> None:
    """Wraps the functions of a Keras package that make other ops than TensorFlow 1's, unless they are wrapped."""
    replacements = {}
    for name, more in more_ops(_version, keras=True).items():
        file, _, dotted = name.partition(":")
        above, _, leaf = dotted.rpartition(".")
        module = import_or_none(f"{home}.{file}")
        owner = getattr(module, above, None) if above else module
        function: Any = getattr(owner, leaf, None)
        if function is None or hasattr(function, "tf1mem_counts"):
            continue
        counting: Any = counter.around_exact(function, more, always=True)
        counting.tf1mem_counts = True
        if above:
            put(owner, leaf, counting)
        else:
            replacements[function] = counting
    if replacements:
        replace_everywhere(replacements)


def _is_enabled() -> bool:
    return not is_off(os.environ, TF1_SEEDS)


def _ops() -> Any:
    return loaded_module("python.framework.ops")


def _place(tf: Any, name: str) -> tuple[Any, str]:
    """Returns the module or class that owns a function, None if it is missing, and the function's name in it.

    Args:
        tf: TensorFlow's TF1 API.
        name: "nn.moments" for a public function, "python.ops.nn_ops:dropout_v2" for a function of a file.
    """
    file, _, dotted = name.rpartition(":")
    above, _, leaf = dotted.rpartition(".")
    owner = loaded_module(file) if file else tf
    try:
        return (attrgetter(above)(owner) if above else owner), leaf
    except AttributeError:  # only other versions have it
        return None, leaf


def _with_tf1_rule(get_seed: Callable[[Any], Any], counter: Counter, watch: TableWatch | None) -> Callable[[Any], Any]:
    """Returns TensorFlow's `get_seed` with TensorFlow 1's seeds for ops that have none of their own."""

    @functools.wraps(get_seed)
    def with_tf1_rule(op_seed: Any) -> Any:
        graph = _ops().get_default_graph()
        if op_seed is None and graph.seed is not None and not loaded_module("python.eager.context").executing_eagerly():
            if hasattr(graph, "_seed_used"):  # a function's graph, which TensorFlow then traces again for each call
                graph._seed_used = True
            op_seed = counter.tf1_ops_at_seed(graph)
            if watch:
                watch.report_pending(graph)
        return get_seed(op_seed)

    return with_tf1_rule


def _counting_gradients(
    lookup: Callable[[Any], Any], counter: Counter, watch: TableWatch | None
) -> Callable[[Any], Any]:
    """Returns `ops.get_gradient_function` such that the gradient functions that it returns are counted.

    In loops and conditionals they are functions of TensorFlow 1, where there are any.
    """
    more_ops_by_type = more_ops_of_gradients(_version)

    def get_gradient_function(op: Any) -> Any:
        function = lookup(op)
        if watch:
            watch.gradient_of(op)
        if function is None or op.graph.seed is None:
            return function

        def gradient_function(of: Any, *gradients: Any) -> Any:
            context = of.graph._get_control_flow_context()
            if _tf1_gradients.is_known(of, gradients):
                if context is not None:
                    return _tf1_gradients.function_of(of)(of, *gradients)
                return counter.call_of(
                    lambda: _tf1_gradients.count(of, *gradients), of.graph, lambda: function(of, *gradients)
                )
            name = GRADIENT + of.type
            if of.type in more_ops_by_type:
                counter.add(-more_ops_by_type[of.type](_depth_of_loops(context)))
            if name in counter.table:
                if watch and _depth_of_loops(context):
                    watch.note(OF_GRADIENTS + "while_loop")
                return counter.call(name, kind_of(*of.inputs), of.graph, lambda: function(of, *gradients))
            return function(of, *gradients)

        return gradient_function

    return get_gradient_function


def _depth_of_loops(context: Any) -> int:
    """Returns the number of loops of TensorFlow 1's kind around a control flow context, and in it; 0 for None."""
    depth = 0
    while context is not None:
        context, depth = context.outer_context, depth + context.IsWhileContext()
    return depth


def _selecting_as_tf1(rnn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Keras's `backend.rnn` such that the gradients of its masks in a loop are those of TensorFlow 1's ops.

    TensorFlow 2 (2.4 does, 2.0 doesn't) applies masks by SelectV2, where TensorFlow 1 had Select.
    """

    @functools.wraps(rnn)
    def selecting(*args: Any, **kwargs: Any) -> Any:
        graph = _ops().get_default_graph()
        start = len(graph.get_operations()) if graph.seed is not None else None
        returned = rnn(*args, **kwargs)
        if start is not None:
            _tf1_gradients.select_without_broadcast(graph, start)
        return returned

    selecting.tf1mem_counts = True  # type: ignore[attr-defined]
    return selecting


def _counting_layer_call(call: Callable[..., Any], counter: Counter) -> Callable[..., Any]:
    """Returns a Keras layer's `__call__` that counts the ops of TensorFlow's own layers."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        graph, name = counter.default_graph(), LAYER + type(self).__name__
        if _watch and _is_uncounted(self):
            _watch.note(name)
        if graph.seed is None or not counter.counts(name) or not type(self).__module__.startswith(_HOMES):
            return call(self, *args, **kwargs)
        flags, start = _flags(self), graph.version
        rule = counter.rules.get(name)
        kind = (
            rule(self, *args, **kwargs) if rule else kind_of(getattr(self, "padding", ""), *args, **{**flags, **kwargs})
        )
        returned = counter.call(name, kind, graph, lambda: call(self, *args, **kwargs))
        if _watch and name in _watch.names:
            arguments = {
                **flags,
                "padding": getattr(self, "padding", None),
                **dict(zip(("inputs", "training"), args)),
                **kwargs,
            }
            _watch.called(name, features_of(arguments, arguments), graph, start)
        return returned

    __call__.tf1mem_counts = True  # type: ignore[attr-defined]
    return __call__


def _is_uncounted(layer: Any) -> bool:
    """Returns True for a layer or metric of Keras that makes another number of ops than TensorFlow 1's."""
    name = type(layer).__name__
    return name in _UNCOUNTED or (name == "GRU" and getattr(layer, "implementation", 1) == 2)


def _noting_metric(call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the `__call__` of Keras's metrics such that those that aren't counted are noted for the report."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        if _watch and _is_uncounted(self):
            _watch.note("keras.metrics." + type(self).__name__)
        return call(self, *args, **kwargs)

    __call__.tf1mem_counts = True  # type: ignore[attr-defined]
    return __call__


def _flags(layer: Any) -> dict[str, Any]:
    """Returns the attributes of a layer that decide which ops it makes, if they differ from the defaults."""
    return {name: getattr(layer, name) for name in _FLAGS if getattr(layer, name, _FLAGS[name]) != _FLAGS[name]}


# Attributes of layers that decide which ops they make, and their defaults.
_FLAGS = {"center": True, "scale": True, "fused": None, "renorm": False, "trainable": True, "use_bias": True,
          "built": False, "data_format": "channels_last", "recurrent_dropout": 0.0}  # fmt: skip
# Layers and metrics whose ops the table doesn't have.
_UNCOUNTED = frozenset((
    "Attention", "AdditiveAttention", "AUC", "BinaryAccuracy", "FalseNegatives", "FalsePositives", "Precision",
    "Recall", "SensitivityAtSpecificity", "SpecificityAtSensitivity", "TrueNegatives", "TruePositives",
))  # fmt: skip
# Packages whose layers the table has; a program's own layers are made of these, and aren't counted themselves.
_HOMES = ("tf_keras.", "keras.", "tensorflow.", "tensorflow_core.")
