# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Lets the layers of tf.layers make model variables under tf.contrib.layers' names and in its collections."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import utils


def model_variable_getter(
    getter: Callable[..., Any],
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    rename: Mapping[str, str] | None = None,
    use_resource: bool | None = None,
    synchronization: Any = tf.VariableSynchronization.AUTO,
    aggregation: Any = tf.VariableAggregation.NONE,
    **_: Any,
) -> Any:
    """Makes a model variable, as a custom getter of a variable scope; the other arguments are those of tf.get_variable.

    Args:
        getter: Function that makes the variable, which the scope passes.
        name: Full name of the variable.
        shape: Shape of the variable.
        rename: Dict of the last part of a name -> its replacement.
    """
    above, slash, last = name.rpartition("/")
    return model_variable(
        above + slash + (rename or {}).get(last, last),
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=collections,
        trainable=trainable,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def build_variable_getter(rename: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """Returns a custom getter for variable scopes, which makes model variables of any shape under new names.

    Args:
        rename: Dict of the last part of a name -> its replacement, such as "kernel" -> "weights".
    """

    def layer_variable_getter(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Makes a model variable of the requested shape and dtype, under the new name."""
        return model_variable_getter(getter, *args, **dict(kwargs, rename=rename))

    return layer_variable_getter


def add_to_collections(variable: Any, collections_set: Any, collections_name: str) -> None:
    """Adds a layer's variable to its collections, unless they have it already.

    Args:
        variable: The variable, of any shape; of a partitioned variable each part is added.
        collections_set: The layer's argument `variables_collections`: collections for all variables; or a dict,
            name of a variable -> collections.
        collections_name: Key of the variable in that argument, such as "weights".
    """
    parts = list(variable) if hasattr(variable, "_get_variable_list") else [variable]
    for collection in utils.get_variable_collections(collections_set, collections_name) or ():
        for part in parts:
            if not any(part is each for each in tf.get_collection(collection)):
                tf.add_to_collection(collection, part)
