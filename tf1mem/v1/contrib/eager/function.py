# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""tf.contrib.eager.defun, which makes functions that run as graphs."""

from __future__ import annotations

import threading
from functools import update_wrapper
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary, ref

import tf1mem.v1 as tf
from tf1mem.machine.modules import loaded_module


def defun(
    func: Any = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
) -> Any:
    """Returns a function that runs as a graph, traced anew for each combination of dtypes and shapes.

    Args:
        func: The function; None makes this a decorator.
        input_signature: TensorSpecs of the arguments (dtypes and shapes), for a single graph.
        autograph: True to convert Python's conditions and loops to ops.
        experimental_autograph_options: See tf.function.
    """
    options = {
        "input_signature": input_signature,
        "autograph": autograph,
        "experimental_autograph_options": experimental_autograph_options,
    }
    # TensorFlow's own defun, until 2.12, traces once for each kind of call and creates variables in any of them;
    # tf.function traces the first call twice, and keeps variables out of the collections of the graph around it.
    tensorflow_defun = getattr(import_module("tensorflow.python.eager.function"), "defun", None)
    if tensorflow_defun is not None:
        return tensorflow_defun(func, **options)
    compilation = loaded_module("python.eager.polymorphic_function.tracing_compilation")
    make: Any = tf.function
    if compilation is not None:  # since 2.15

        def make(function: Any, **options: Any) -> Any:
            return _Function(function, compilation, options)

    return make(func, **options) if func is not None else lambda function: make(function, **options)


class _Function:
    """A function that is traced once for each combination of dtypes and shapes, without tf.function's rules.

    Args:
        function: The Python function to trace.
        compilation: TensorFlow's module that traces functions.
        options: The arguments of `defun` by name, without the function.
        instance: Object whose method the function is, which is referenced weakly; None for a plain function.

    Attributes:
        python_function: The function, not bound to an object.
    """

    def __init__(self, function: Any, compilation: Any, options: dict[str, Any], instance: Any = None) -> None:
        update_wrapper(self, function)
        self.python_function = function
        self._of_function = (compilation, options)
        self._methods: WeakKeyDictionary[Any, _Function] = WeakKeyDictionary()
        self._utils: Any = import_module("tensorflow.python.eager.polymorphic_function.function_type_utils")
        converting = import_module("tensorflow.python.eager.polymorphic_function.autograph_util")
        cache = import_module("tensorflow.core.function.polymorphism.function_cache")
        features = options["experimental_autograph_options"]
        converted = converting.py_func_from_autograph(function, features) if options["autograph"] else function
        bound = function if instance is None else function.__get__(instance)
        kind, defaults = self._utils.make_function_type(bound, options["input_signature"])
        self._options = compilation.TracingOptions(
            python_function=converted if instance is None else _weakly_bound(converted, instance),
            name=getattr(function, "__name__", "function"),
            polymorphic_type=kind,
            default_values=defaults,
            autograph=options["autograph"],
            autograph_options=features,
            function_cache=cache.FunctionCache(),
            lock=threading.RLock(),
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        kind, defaults = self._options.polymorphic_type, self._options.default_values
        bound = self._utils.canonicalize_function_inputs(args, kwargs, kind, defaults)
        return self._of_function[0].call_function(bound.args, bound.kwargs, self._options)

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        if instance not in self._methods:
            self._methods[instance] = _Function(self.python_function, *self._of_function, instance)
        return self._methods[instance]

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the graph for arguments, which may be TensorSpecs, as a ConcreteFunction."""
        return self._of_function[0].trace_function(args, kwargs, self._options)


def _weakly_bound(function: Any, instance: Any) -> Any:
    """Returns a function's method of an object, which doesn't keep the object alive."""
    weak_instance = ref(instance)
    return lambda *args, **kwargs: function(weak_instance(), *args, **kwargs)
