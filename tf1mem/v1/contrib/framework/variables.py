# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Variables by the collections they are in, by name and from checkpoints, by tf.contrib.framework."""

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
    """The global step given, once it is seen to be one; the graph's where none is given, or None."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """An op that fills a variable with zeros, and fails where it has a value already."""
    message = f"{ref.op.name}: input is already initialized"
    with tf.name_scope(name) as scope:
        unset = tf.Assert(tf.logical_not(tf.is_variable_initialized(ref)), [message])
        with tf.control_dependencies([unset]):
            zeros = tf.zeros(ref.shape, ref.dtype.base_dtype)
        return tf.assign(ref, zeros, use_locking=use_locking, name=scope)


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """A variable of the collection LOCAL_VARIABLES, not trained and not saved."""
    return _outside_of_training(tf.GraphKeys.LOCAL_VARIABLES, initial_value, validate_shape, name, use_resource)


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """A variable of the collection GLOBAL_VARIABLES, not trained."""
    return _outside_of_training(_GLOBAL, initial_value, validate_shape, name, use_resource)


def _outside_of_training(
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
    """`tf.get_variable` on a device, with the collections that are given and no other; see there.

    Args:
        collections: GLOBAL_VARIABLES by default.
        device: Where it stands: a name, or a function of an op.
        custom_getter: Called in place of `tf.get_variable`, with whether the scope reuses its variables.
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
    """A `variable` that is in MODEL_VARIABLES and GLOBAL_VARIABLES too, whatever its collections."""
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
    """Puts a variable into MODEL_VARIABLES, once."""
    if not any(var is each for each in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)):
        tf.add_to_collection(tf.GraphKeys.MODEL_VARIABLES, var)


def get_variables(scope: Any = None, suffix: str | None = None, collection: str = _GLOBAL) -> list[Any]:
    """The variables of a collection.

    Args:
        scope: What their names begin with: a regular expression, or a variable scope.
        suffix: What their names end with.
        collection: The collection.
    """
    if isinstance(scope, tf.VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    found: list[Any] = tf.get_collection(collection, scope)
    return found


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of MODEL_VARIABLES."""
    return get_variables(scope, suffix, tf.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, tf.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, tf.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """The variables in some scopes and not in others.

    Args:
        include: A list or tuple of scopes; all variables by default.
        exclude: A list or tuple of scopes.

    Raises:
        TypeError: One of them is no list or tuple.
    """
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{name} is to be a list or a tuple of scopes: {scopes!r}")
    # By identity: a variable's == may be an op, and its hash an error, where TensorFlow 2's behavior is on.
    left_out = {id(each) for scope in exclude or () for each in get_variables(scope)}
    candidates = get_variables() if include is None else [each for scope in include for each in get_variables(scope)]
    return [each for each in candidates if id(each) not in left_out]


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The variables whose names end so."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The variables that have a name of their own, whatever the scope they were made in."""
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """The variable of that full name.

    Raises:
        ValueError: There is none.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError("Couldn't find variable %s" % var_op_name)
    return _of_name(candidates, var_op_name, f"Variable {var_op_name} does not uniquely identify a variable")


def _of_name(candidates: Iterable[Any], name: str, problem: str) -> Any:
    for candidate in candidates:
        if candidate.op.name == name:
            return candidate
    raise ValueError(problem)


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """An op that gives variables values, which are fed so that the graph doesn't hold them.

    Args:
        var_names_to_values: The name of a variable -> an array.

    Returns:
        The op, and the feed_dict to run it with.

    Raises:
        ValueError: There is no variable of a name, or more than one.
    """
    feed_dict: dict[Any, Any] = {}
    assignments = []
    for name, value in var_names_to_values.items():
        found = tf.get_collection(_GLOBAL, name)
        if not found:
            raise ValueError("Variable %s wasn't found" % name)
        if len(found) > 1:  # A collection is filtered by how names begin.
            found = [_of_name(found, name, "Variable %s could be several. Give its whole name" % name)]
        assignments.append(_fed(found[0], value.reshape(found[0].shape), feed_dict))
    return tf.group(*assignments), feed_dict


def _fed(var: Any, value: Any, feed_dict: dict[Any, Any]) -> Any:
    """An assignment of a value that a session is fed with."""
    placeholder = tf.placeholder(var.dtype.base_dtype, var.shape, name="placeholder/" + var.op.name)
    feed_dict[placeholder] = value
    return var.assign(placeholder)


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A function of a session that gives variables values; see `assign_from_values`."""
    assignment, feed_dict = assign_from_values(var_names_to_values)
    return lambda session: session.run(assignment, feed_dict)


def get_variable_full_name(var: Any) -> str:
    """The name that a checkpoint has for a variable: the whole one's where it is a part of another."""
    part = var._save_slice_info
    name: str = part.full_name if part else var.op.name
    return name


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Any, dict[Any, Any]]:
    """An op that gives variables their values from a checkpoint, which are read now and fed.

    Args:
        model_path: The checkpoint's path.
        var_list: A list of variables; or a dict, a name in the checkpoint -> a variable, or a list of its parts.
        ignore_missing_vars: Whether names that the checkpoint lacks are left out, with a warning.

    Returns:
        The op, and the feed_dict to run it with.

    Raises:
        ValueError: The checkpoint lacks a name, or has another shape for it.
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
        assignments += [_fed(each, _part(value, each, name), feed_dict) for each in variables]
    return tf.group(*assignments), feed_dict


def _part(value: Any, var: Any, name: str) -> Any:
    """What a variable takes of a checkpoint's value."""
    part = var._save_slice_info
    if part:
        taken = tuple(slice(start, start + size) for start, size in zip(part.var_offset, part.var_shape))
        return value[taken].reshape(part.var_shape)
    if var.shape != value.shape:
        raise ValueError(
            f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], rh_shape: [{var.shape}]"
        )
    return value


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], Any] | None:
    """A function of a session that restores variables from a checkpoint.

    Args:
        model_path: The checkpoint's path.
        var_list: A list of variables; or a dict, a name in the checkpoint -> a variable.
        ignore_missing_vars: Whether names that the checkpoint lacks are left out, with a warning.
        reshape_variables: Whether a value of another shape is taken, if it has as many elements.

    Returns:
        The function; None where the checkpoint has none of the variables.

    Raises:
        ValueError: `var_list` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = tf.train.NewCheckpointReader(model_path)
        wanted = var_list if isinstance(var_list, dict) else {var.op.name: var for var in var_list}
        var_list = {name: var for name, var in wanted.items() if reader.has_tensor(name)}
        for name in wanted.keys() - var_list.keys():
            tf.logging.warning("Variable %s missing in checkpoint %s", name, model_path)
    if not var_list:
        tf.logging.warning("No Variables to restore")
        return None
    saver = tf.train.Saver(var_list, reshape=reshape_variables, write_version=tf.train.SaverDef.V1)
    return lambda session: saver.restore(session, model_path)


class VariableDeviceChooser:
    """A function of an op that returns a device for it: parameter servers in turn, or one device where there are none.

    Args:
        num_tasks: How many parameter servers there are.
        job_name: The name of their job.
        device_type: "CPU" or "GPU".
        device_index: Which one of that type; None for any.
        replica: Which replica; None for any.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int | None = 0,
        replica: int | None = None,
    ) -> None:
        self._of_all = {"replica": replica, "device_type": device_type, "device_index": device_index}
        self._job_name = job_name
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op: Any) -> str:
        """The device for an op."""
        place = dict(self._of_all)
        if self._num_tasks > 0:
            place.update(job=self._job_name, task=self._next_task_id)
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        device: str = tf.DeviceSpec(**place).to_string()
        return device


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names match.

    Args:
        var_list: The variables.
        include_patterns: Regular expressions, one of which has to match; all variables by default.
        exclude_patterns: Regular expressions, none of which may match.
        reg_search: Whether they may match anywhere in a name, and not at its beginning alone.
    """
    matches = re.search if reg_search else re.match

    def any_of(patterns: Sequence[str], name: str) -> bool:
        return any(matches(pattern, name) for pattern in patterns)

    return [
        var
        for var in var_list
        if (include_patterns is None or any_of(include_patterns, var.name))
        and not (exclude_patterns and any_of(exclude_patterns, var.name))
    ]
