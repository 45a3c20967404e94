"""Turns a Keras model's forward pass or training step into a function of tensors, for Keras 2 and 3."""

from __future__ import annotations

from typing import Any

from tf1mem.errors import SpecError, StepTypeError
from tf1mem.estimating.func_graph import Function
from tf1mem.estimating.specs import Spec, leaves, mapped

_KERAS = ("keras", "tf_keras", "tensorflow.python.keras", "tensorflow_core.python.keras")


def is_model(value: Any) -> bool:
    """Returns True for a Keras model, of any Keras."""
    return any(
        kind.__name__ == "Model" and (kind.__module__ + ".").startswith(tuple(name + "." for name in _KERAS))
        for kind in type(value).__mro__
    )


def is_compiled(model: Any) -> bool:
    """Returns True if the model has an optimizer."""
    return getattr(model, "optimizer", None) is not None


def default_specs(model: Any, training: bool, caller_specs: list[Any], batch_size: int | None) -> list[Any]:
    """Returns the caller's specs, completed by the model's own: for its inputs, and for training, its targets."""
    specs = list(caller_specs)
    if not specs:
        tensors = getattr(model, "inputs", None)
        if not tensors:
            raise SpecError(
                "tf1mem.estimate(model)",
                "the model isn't built, so its inputs are unknown",
                "Give its inputs: tf1mem.estimate(model, ((32, 224, 224, 3), 'float32'))",
            )
        specs.append(_structure(tensors, batch_size))
        sizes = [spec.shape[0] for spec in leaves(specs[0]) if spec.shape]
        if batch_size is not None and batch_size not in sizes:
            raise SpecError(
                f"batch_size={batch_size}", f"the model's inputs have fixed batch sizes: {sizes}",
                "Leave it out, or build the model with inputs of an open batch size",
            )  # fmt: skip
        if batch_size is None and None in sizes:
            raise SpecError(
                "tf1mem.estimate(model)", "the model leaves its batch size open, and memory depends on it",
                "Give it: batch_size=32, or on the command line --batch-size 32",
            )  # fmt: skip
    if training and len(specs) == 1:
        outputs = getattr(model, "outputs", None)
        if not outputs:
            raise SpecError(
                "tf1mem.estimate(model, training=True)", "the model's targets are unknown",
                "Give the targets too: tf1mem.estimate(model, inputs, targets)",
            )  # fmt: skip
        batches = (spec.shape[0] if spec.shape else batch_size for spec in leaves(specs[0]))
        targets = _structure(outputs, next(batches, batch_size))
        if _is_sparse(model):
            targets = mapped(targets, lambda spec: Spec((spec.shape or (None,))[:-1], "int32"))  # without the classes
        specs.append(targets)
    return specs


def step(tf: Any, model: Any, training: bool) -> Function:
    """Returns the function to trace.

    Args:
        tf: The `tensorflow` module.
        model: The Keras model.
        training: True for the training step, False for the forward pass.

    Raises:
        StepTypeError: `training` is True, and the model isn't compiled.
    """
    name = getattr(model, "name", type(model).__name__)

    def parameters() -> list[Any]:
        held = (variable if hasattr(variable, "handle") else variable.value for variable in model.variables)
        return [variable.handle for variable in held]  # Keras 3's variable contains TensorFlow's

    if not training:
        return Function(lambda inputs: model(inputs, training=False), name + " (forward)", parameters)
    if not is_compiled(model):
        raise StepTypeError(
            "tf1mem.estimate(model, training=True)", "the model isn't compiled", "Call model.compile(…) first"
        )
    notes = []
    if getattr(model, "jit_compile", None) in (True, "auto") and hasattr(model, "_compile_config"):
        notes.append(
            f"Measured op by op. On one GPU Keras 3 compiles fit by XLA (jit_compile={model.jit_compile!r}), which "
            "plans memory by itself: compile with jit_compile=False to get what is estimated here."
        )
    if hasattr(model, "train_step"):
        return Function(
            lambda inputs, targets: model.train_step((inputs, targets)), name + " (training)", parameters, tuple(notes)
        )
    return Function(_own_step(tf, model), name + " (training)", parameters)


def _own_step(tf: Any, model: Any) -> Any:
    """Returns a function like train_step, for Keras before TensorFlow 2.2."""

    def train(inputs: Any, targets: Any) -> Any:
        with tf.GradientTape() as tape:
            outputs = model(inputs, training=True)
            losses = list(model.losses)
            flat = zip(model.loss_functions, tf.nest.flatten(targets), tf.nest.flatten(outputs))
            losses += [tf.reduce_mean(loss(target, output)) for loss, target, output in flat if loss is not None]
            total = tf.add_n(losses)
        variables = list(model.trainable_variables)
        with tf.name_scope("gradient_tape"):
            gradients = tape.gradient(total, variables)
        model.optimizer.apply_gradients(zip(gradients, variables))
        return total

    return train


def _structure(tensors: Any, batch: int | None) -> Any:
    """Returns the specs of a model's tensors, with the batch size in place of an open one."""
    specs = []
    for tensor in tensors:
        shape = tuple(tensor.shape.as_list() if hasattr(tensor.shape, "as_list") else tensor.shape)
        if shape and shape[0] is None:
            shape = (batch, *shape[1:])
        dtype = tensor.dtype
        specs.append(Spec(shape, dtype if isinstance(dtype, str) else dtype.base_dtype.name))
    return specs[0] if len(specs) == 1 else specs


def _is_sparse(model: Any) -> bool:
    loss = getattr(model, "loss", None)
    name = loss if isinstance(loss, str) else getattr(loss, "name", None) or getattr(loss, "__name__", "")
    return "sparse" in str(name).lower()
