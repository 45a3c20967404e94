# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that make variables, select them by collection and name, and restore them (tf.contrib.framework)."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Callable, Iterable, Mapping, Sequence

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import add_arg_scope

_AUTO = tf.VariableSynchronization.AUTO
_NONE = tf.VariableAggregation.NONE
_GLOBAL = tf.GraphKeys.GLOBAL_VARIABLES

assert_global_step = tf.train.assert_global_step
get_global_step = tf.train.get_global_step
create_global_step = tf.train.create_global_step
get_or_create_global_step = tf.train.get_or_create_global_step


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """Returns `global_step_tensor` after a check; without it, the graph's global step, or None if it has none.

    Args:
        graph: The graph; the default graph by default.
        global_step_tensor: Integer tensor or variable of shape `[]`.

    Raises:
        TypeError: The tensor is no integer tensor, or no scalar.
    """
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """Returns an op that sets a variable to zeros, and fails if the variable already has a value.

    Args:
        ref: Variable of any shape and number dtype.
        use_locking: True (default) to lock the variable meanwhile.
        name: Name of the op.
    """
    message = f"{ref.op.name}: input is already initialized"
    with tf.name_scope(name) as scope:
        unset = tf.Assert(tf.logical_not(tf.is_variable_initialized(ref)), [message])
        with tf.control_dependencies([unset]):
            zeros = tf.zeros(ref.shape, ref.dtype.base_dtype)
        return tf.assign(ref, zeros, use_locking=use_locking, name=scope)


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """Returns a new variable that is neither trained nor saved; it is in the collection LOCAL_VARIABLES.

    Args:
        initial_value: Initial value, a tensor or array of the variable's shape and dtype.
        validate_shape: False to let the variable take values of other shapes.
        name: Name of the variable.
        use_resource: Argument of tf.Variable.
    """
    return _untrained_variable(tf.GraphKeys.LOCAL_VARIABLES, initial_value, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """Returns a new variable that isn't trained; it is in the collection GLOBAL_VARIABLES.

    Args:
        initial_value: Initial value, a tensor or array of the variable's shape and dtype.
        validate_shape: False to let the variable take values of other shapes.
        name: Name of the variable.
        use_resource: Argument of tf.Variable.
    """
    return _untrained_variable(_GLOBAL, initial_value, validate_shape, name, use_resource)


def _untrained_variable(
    collection: str, initial_value: Any, validate_shape: bool, name: str | None, use_resource: bool | None
) -> Any:
    return tf.Variable(
        initial_value,
        trainable=False,
        collections=[collection],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = _AUTO,
    aggregation: Any = _NONE,
) -> Any:
    """Returns the variable of this name, which `tf.get_variable` creates if necessary.

    `tf.get_variable` describes the arguments that aren't listed here.

    Args:
        name: Name of the variable.
        shape: Shape of the variable.
        collections: The only collections that it is added to; GLOBAL_VARIABLES by default.
        device: Device of the variable: a name, or a function of an op.
        custom_getter: Function that replaces `tf.get_variable`; it also gets the scope's `reuse`.
    """
    getter = tf.get_variable
    if custom_getter is not None:
        getter = partial(custom_getter, reuse=tf.get_variable_scope().reuse)
    with tf.device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys([_GLOBAL] if collections is None else collections)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = tf.float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = _AUTO,
    aggregation: Any = _NONE,
) -> Any:
    """Returns a variable in MODEL_VARIABLES and GLOBAL_VARIABLES; `variable` describes the other arguments.

    Args:
        name: Name of the variable.
        shape: Shape of the variable.
        dtype: Dtype of the variable; float32 by default.
        collections: Further collections of the variable.
    """
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or ()), _GLOBAL, tf.GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def add_model_variable(var: Any) -> None:
    """Adds a variable to MODEL_VARIABLES unless it is there already.

    Args:
        var: Variable of any shape.
    """
    if not any(var is each for each in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)):
        tf.add_to_collection(tf.GraphKeys.MODEL_VARIABLES, var)


def get_variables(scope: Any = None, suffix: str | None = None, collection: str = _GLOBAL) -> list[Any]:
    """Returns the variables of a collection, of any shape, in the order in which they were added.

    Args:
        scope: Regular expression that the start of a name must match, or a variable scope; None for any name.
        suffix: End of the names without ":0", such as "weights"; None for any name.
        collection: Name of the collection; GLOBAL_VARIABLES by default.
    """
    if isinstance(scope, tf.VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    variables: list[Any] = tf.get_collection(collection, scope)
    return variables


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Returns the variables of MODEL_VARIABLES, of any shape.

    Args:
        scope: Argument of `get_variables`.
        suffix: Argument of `get_variables`.
    """
    return get_variables(scope, suffix, tf.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Returns the variables of LOCAL_VARIABLES, of any shape.

    Args:
        scope: Argument of `get_variables`.
        suffix: Argument of `get_variables`.
    """
    return get_variables(scope, suffix, tf.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Returns the variables of TRAINABLE_VARIABLES, of any shape.

    Args:
        scope: Argument of `get_variables`.
        suffix: Argument of `get_variables`.
    """
    return get_variables(scope, suffix, tf.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """Returns the global variables (of any shape) in some scopes and not in others.

    Args:
        include: List or tuple of scopes, regular expressions that the start of a name must match; None for all names.
        exclude: List or tuple of scopes; None for no names.

    Raises:
        TypeError: An argument is no list or tuple.
    """
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{name} has to be a list or tuple of scopes: {scopes!r}")
    # Compares by identity: with TensorFlow 2 behavior a variable's == is an op, and its hash an error.
    excluded = {id(each) for scope in exclude or () for each in get_variables(scope)}
    candidates = get_variables() if include is None else [each for scope in include for each in get_variables(scope)]
    return [each for each in candidates if id(each) not in excluded]


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """Returns the global variables (of any shape) whose names end with the suffix.

    Args:
        suffix: End of the names without ":0".
        scope: Argument of `get_variables`.
    """
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """Returns the global variables (of any shape) whose last part of the name is `given_name`, in any scope.

    Args:
        given_name: Last part of the names, such as "weights".
        scope: Argument of `get_variables`.
    """
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """Returns the global variable (of any shape) with this full name.

    Args:
        var_op_name: Name without ":0", such as "conv1/weights".

    Raises:
        ValueError: There is no such variable.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError("Couldn't find variable %s" % var_op_name)
    return _of_name(candidates, var_op_name, f"Variable {var_op_name} does not uniquely identify a variable")


def _of_name(candidates: Iterable[Any], name: str, problem: str) -> Any:
    """Returns the candidate with exactly this name; raises a ValueError with the message `problem` if there is none."""
    for candidate in candidates:
        if candidate.op.name == name:
            return candidate
    raise ValueError(problem)


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """Returns an op that assigns values to variables; the values are fed, so that the graph doesn't store them.

    Args:
        var_names_to_values: Name of a variable -> array, reshaped to the variable's shape.

    Returns:
        The op, and its feed dict.

    Raises:
        ValueError: A name matches no variable, or several.
    """
    feed_dict: dict[Any, Any] = {}
    assignments = []
    for name, value in var_names_to_values.items():
        candidates = tf.get_collection(_GLOBAL, name)
        if not candidates:
            raise ValueError("Variable %s wasn't found" % name)
        if len(candidates) > 1:  # get_collection matches the start of names.
            candidates = [_of_name(candidates, name, "Variable %s matches several. Give its full name" % name)]
        assignments.append(_assign_by_feed(candidates[0], value.reshape(candidates[0].shape), feed_dict))
    return tf.group(*assignments), feed_dict


def _assign_by_feed(var: Any, value: Any, feed_dict: dict[Any, Any]) -> Any:
    """Returns an op that assigns a value; adds the value to the feed dict with which the op has to run."""
    placeholder = tf.placeholder(var.dtype.base_dtype, var.shape, name="placeholder/" + var.op.name)
    feed_dict[placeholder] = value
    return var.assign(placeholder)


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Returns a function of a session that assigns values.

    Args:
        var_names_to_values: Dict of a variable's name -> array of the variable's shape.
    """
    assignment, feed_dict = assign_from_values(var_names_to_values)
    return lambda session: session.run(assignment, feed_dict)


def get_variable_full_name(var: Any) -> str:
    """Returns a variable's name in a checkpoint: for a part of a variable, the name of the whole variable.

    Args:
        var: Variable of any shape, or a part of a partitioned variable.
    """
    part = var._save_slice_info
    name: str = part.full_name if part else var.op.name
    return name


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """Returns an op that assigns a checkpoint's values, which are read now, to variables of the same shapes.

    Args:
        model_path: Path of the checkpoint.
        var_list: List of variables; or a dict: name in the checkpoint -> variable, or list of a variable's parts.
        ignore_missing_vars: True to skip names that the checkpoint lacks, with a warning.

    Returns:
        The op, and the feed dict of the values, with which it has to run.

    Raises:
        ValueError: The checkpoint lacks a name, or its value has another shape.
    """
    parts: dict[str, list[Any]] = {}
    if isinstance(var_list, (tuple, list)):
        for var in var_list:
            parts.setdefault(get_variable_full_name(var), []).append(var)
    else:
        parts = {name: [*each] if isinstance(each, (tuple, list)) else [each] for name, each in var_list.items()}

    reader = tf.train.NewCheckpointReader(model_path)
    feed_dict: dict[Any, Any] = {}
    assignments = []
    for name, variables in parts.items():
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError(f"Checkpoint is missing variable [{name}]")
            tf.logging.warning("Checkpoint is missing variable [%s]", name)
            continue
        value = reader.get_tensor(name)
        assignments += [_assign_by_feed(each, _part(value, each, name), feed_dict) for each in variables]
    return tf.group(*assignments), feed_dict


def _part(value: Any, var: Any, name: str) -> Any:
    """Returns a variable's part of a checkpoint's value."""
    part = var._save_slice_info
    if part:
        slices = tuple(slice(start, start + size) for start, size in zip(part.var_offset, part.var_shape))
        return value[slices].reshape(part.var_shape)
    if var.shape != value.shape:
        raise ValueError(
            f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], rh_shape: [{var.shape}]"
        )
    return value


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], Any] | None:
    """Returns a function of a session that restores variables from a checkpoint.

    Args:
        model_path: Path of the checkpoint.
        var_list: List of variables; or a dict: name in the checkpoint -> variable.
        ignore_missing_vars: True to skip names that the checkpoint lacks, with a warning.
        reshape_variables: True to accept a value of another shape with the same number of elements.

    Returns:
        The function; None if the checkpoint has none of the variables.

    Raises:
        ValueError: `var_list` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = tf.train.NewCheckpointReader(model_path)
        by_name = var_list if isinstance(var_list, dict) else {var.op.name: var for var in var_list}
        var_list = {name: var for name, var in by_name.items() if reader.has_tensor(name)}
        for name in by_name.keys() - var_list.keys():
            tf.logging.warning("Variable %s missing in checkpoint %s", name, model_path)
    if not var_list:
        tf.logging.warning("No Variables to restore")
        return None
    saver = tf.train.Saver(var_list, reshape=reshape_variables, write_version=tf.train.SaverDef.V1)
    return lambda session: saver.restore(session, model_path)


class VariableDeviceChooser:
    """Chooses devices for ops: parameter servers in turn, or a single device if there are none.

    Args:
        num_tasks: Number of parameter servers.
        job_name: Name of their job; "ps" by default.
        device_type: "CPU" or "GPU".
        device_index: Index of the device; None for any.
        replica: Index of the replica; None for any.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int | None = 0,
        replica: int | None = None,
    ) -> None:
        self._common_fields = {"replica": replica, "device_type": device_type, "device_index": device_index}
        self._job_name = job_name
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op: Any) -> str:
        """Returns the device of an op, such as "/job:ps/task:1/device:CPU:0"."""
        fields = dict(self._common_fields)
        if self._num_tasks > 0:
            fields.update(job=self._job_name, task=self._next_task_id)
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        device: str = tf.DeviceSpec(**fields).to_string()
        return device


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """Returns the variables whose names match patterns.

    Args:
        var_list: List of variables, of any shape.
        include_patterns: Regular expressions, of which one has to match; None for all variables.
        exclude_patterns: Regular expressions, of which none may match.
        reg_search: True to match anywhere in a name, False to match at its start.
    """
    matches = re.search if reg_search else re.match

    def any_of(patterns: Sequence[str], name: str) -> bool:
        """Returns True if a pattern matches the name."""
        return any(matches(pattern, name) for pattern in patterns)

    return [
        var
        for var in var_list
        if (include_patterns is None or any_of(include_patterns, var.name))
        and not (exclude_patterns and any_of(exclude_patterns, var.name))
    ]
