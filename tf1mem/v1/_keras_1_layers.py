"""The layers of Keras 1 that Keras 2.2 still had and later versions lack, for `keras.layers` of standalone Keras."""

from __future__ import annotations

import functools
import warnings
from importlib import import_module
from typing import Any

from tf1mem.v1._namespace import ROOT

_ATROUS = "{} is a layer of Keras 1. In Keras 2 it is {}(dilation_rate={})."


def _keras(name: str) -> Any:
    return import_module(f"{ROOT}.keras.{name}")


def atrous(new: Any) -> Any:
    """Returns the function `AtrousConvolution1D` or `2D`.

    Args:
        new: Keras 2's layer, which takes Keras 1's arguments too.
    """
    name = new.__name__.replace("Conv", "AtrousConvolution")

    def convolution(*args: Any, **arguments: Any) -> Any:
        rate = arguments.pop("atrous_rate", 1)
        warnings.warn(_ATROUS.format(name, new.__name__, rate), UserWarning, stacklevel=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the warning above says it
            return new(*args, dilation_rate=rate, **arguments)

    return convolution


@functools.lru_cache(maxsize=None)
def _base() -> Any:
    """Returns the base class of `MaxoutDense` and `Highway`: their common arguments, and the variables W and b."""
    keras_layers: Any = _keras("layers")
    layer: Any = keras_layers.Layer
    initializers = _keras("initializers")
    regularizers, constraints = _keras("regularizers"), _keras("constraints")

    class OfKeras1(layer):  # type: ignore[misc]
        def __init__(  # noqa: PLR0917
            self,
            init: Any = "glorot_uniform",
            weights: Any = None,
            W_regularizer: Any = None,  # noqa: N803
            b_regularizer: Any = None,
            activity_regularizer: Any = None,
            W_constraint: Any = None,  # noqa: N803
            b_constraint: Any = None,
            bias: bool = True,
            input_dim: Any = None,
            **arguments: Any,
        ) -> None:
            if input_dim:
                arguments["input_shape"] = (input_dim,)
            regularizer = regularizers.get(activity_regularizer)
            super().__init__(activity_regularizer=regularizer, weights=weights, **arguments)
            self.init, self.bias, self.input_dim = initializers.get(init), bias, input_dim
            self.W_regularizer, self.b_regularizer = map(regularizers.get, (W_regularizer, b_regularizer))
            self.W_constraint, self.b_constraint = map(constraints.get, (W_constraint, b_constraint))
            self.input_spec = keras_layers.InputSpec(ndim=2)

        def matrix(self, shape: Any, **options: Any) -> Any:
            """Returns the new variable W.

            Args:
                shape: Shape of the variable.
                **options: Arguments of `add_weight`, in place of the layer's.
            """
            kinds = {"regularizer": self.W_regularizer, "constraint": self.W_constraint, **options}
            return self.add_weight(name="W", shape=shape, initializer=self.init, **kinds)

        def vector(self, shape: Any) -> Any:
            """Returns the new variable b of this shape, with zeros; None without a bias."""
            kinds = {"regularizer": self.b_regularizer, "constraint": self.b_constraint}
            return self.add_weight(name="b", shape=shape, initializer="zeros", **kinds) if self.bias else None

        def get_config(self) -> dict[str, Any]:
            """Returns the arguments."""
            config = {
                "init": initializers.serialize(self.init),
                "activity_regularizer": regularizers.serialize(self.activity_regularizer),
                "bias": self.bias,
                "input_dim": self.input_dim,
            }
            for name in ("W_regularizer", "b_regularizer"):
                config[name] = regularizers.serialize(getattr(self, name))
            for name in ("W_constraint", "b_constraint"):
                config[name] = constraints.serialize(getattr(self, name))
            return {**super().get_config(), **config}

    return OfKeras1


@functools.lru_cache(maxsize=None)
def maxout_dense() -> Any:
    """Returns the class `MaxoutDense`."""
    backend = _keras("backend")

    class MaxoutDense(_base()):  # type: ignore[misc]
        """A layer from `[batch, input_dim]` to `[batch, output_dim]`: the element-wise maximum of linear layers.

        Goodfellow et al., arXiv:1302.4389.

        Args:
            output_dim: Size of the output.
            nb_feature: Number of linear layers.
        """

        def __init__(self, output_dim: int, nb_feature: int = 4, *args: Any, **arguments: Any) -> None:
            super().__init__(*args, **arguments)
            self.output_dim, self.nb_feature = output_dim, nb_feature

        def build(self, input_shape: Any) -> None:
            """Makes the variables."""
            self.W = self.matrix((self.nb_feature, int(input_shape[-1]), self.output_dim))
            self.b = self.vector((self.nb_feature, self.output_dim))
            self.built = True

        def compute_output_shape(self, input_shape: Any) -> Any:
            """Returns the output's shape."""
            return (input_shape[0], self.output_dim)

        def call(self, x: Any) -> Any:
            """Returns the output."""
            output = backend.dot(x, self.W)
            return backend.max(output if self.b is None else output + self.b, axis=1)

        def get_config(self) -> dict[str, Any]:
            """Returns the arguments."""
            return {**super().get_config(), "output_dim": self.output_dim, "nb_feature": self.nb_feature}

    return MaxoutDense


@functools.lru_cache(maxsize=None)
def highway() -> Any:
    """Returns the class `Highway`."""
    backend, activations = _keras("backend"), _keras("activations")

    class Highway(_base()):  # type: ignore[misc]
        """A dense layer from and to `[batch, input_dim]`, with a gate that lets part of its input through.

        Srivastava et al., arXiv:1505.00387.
        """

        def __init__(self, init: Any = "glorot_uniform", activation: Any = None, *args: Any, **arguments: Any) -> None:
            if arguments.pop("transform_bias", None) is not None:
                warnings.warn("Keras 2 ignores Highway(transform_bias=).", UserWarning, stacklevel=2)
            super().__init__(init, *args, **arguments)
            self.activation = activations.get(activation)

        def build(self, input_shape: Any) -> None:
            """Makes the variables."""
            size = int(input_shape[-1])
            self.W = self.matrix((size, size))
            self.W_carry = self.add_weight(name="W_carry", shape=(size, size), initializer=self.init)
            self.b = self.vector((size,))
            self.b_carry = self.add_weight(name="b_carry", shape=(size,), initializer="ones") if self.bias else None
            self.built = True

        def call(self, x: Any) -> Any:
            """Returns the output."""
            gate, new = backend.dot(x, self.W_carry), backend.dot(x, self.W)
            if self.bias:
                gate, new = gate + self.b_carry, new + self.b
            gate = backend.sigmoid(gate)
            return self.activation(new) * gate + (1 - gate) * x

        def get_config(self) -> dict[str, Any]:
            """Returns the arguments."""
            return {**super().get_config(), "activation": activations.serialize(self.activation)}

    return Highway


@functools.lru_cache(maxsize=None)
def recurrent() -> Any:
    """Returns the class `Recurrent`, from which programs derive recurrent layers with a method `step`."""
    backend, keras_layers = _keras("backend"), _keras("layers")

    class Recurrent(keras_layers.Layer):  # type: ignore[misc, name-defined]
        """Base class of recurrent layers without a cell.

        A subclass sets `units`, and in `build` the list `states`, of None for each state. Inputs are of shape
        [batch, time, features], states of shape [batch, units].
        """

        def __init__(  # noqa: PLR0917
            self,
            return_sequences: bool = False,
            return_state: bool = False,
            go_backwards: bool = False,
            stateful: bool = False,
            unroll: bool = False,
            implementation: int = 0,
            **arguments: Any,
        ) -> None:
            super().__init__(**arguments)
            self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
            self.stateful, self.unroll, self.implementation = stateful, unroll, implementation
            self.supports_masking = True
            self.input_spec, self.state_spec = [keras_layers.InputSpec(ndim=3)], None
            self.dropout = self.recurrent_dropout = 0

        def compute_output_shape(self, input_shape: Any) -> Any:
            """Returns the output's shape, and with `return_state` those of the states."""
            batch, time = tuple(input_shape[0] if isinstance(input_shape, list) else input_shape)[:2]
            output = (batch, time, self.units) if self.return_sequences else (batch, self.units)
            return [output, *((batch, self.units) for _ in self.states)] if self.return_state else output

        def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
            """Returns the output's mask, and with `return_state` None for each state."""
            mask = _first(mask) if self.return_sequences else None
            return [mask, *(None for _ in self.states)] if self.return_state else mask

        def step(self, inputs: Any, states: Any) -> Any:
            """Returns the output [batch, units] of a time step and its list of new states; a subclass defines it.

            Args:
                inputs: [batch, features], of one time step.
                states: The states, and after them the constants.
            """
            raise NotImplementedError

        def get_constants(self, inputs: Any, training: Any = None) -> list[Any]:
            """Returns the tensors that each step gets after the states."""
            return []

        def get_initial_state(self, inputs: Any) -> list[Any]:
            """Returns zeros for each state."""
            zeros = backend.expand_dims(backend.sum(backend.zeros_like(inputs), axis=(1, 2)))
            return [backend.tile(zeros, [1, self.units])] * len(self.states)

        def preprocess_input(self, inputs: Any, training: Any = None) -> Any:
            """Returns the inputs as the steps get them, of shape [batch, time, …]."""
            return inputs

        def __call__(self, inputs: Any, initial_state: Any = None, **arguments: Any) -> Any:
            """Returns the layer's output for inputs, with an initial state after them or by name."""
            if initial_state is None and isinstance(inputs, (list, tuple)) and len(inputs) > 1:
                inputs, initial_state = inputs[0], list(inputs[1:])
            if initial_state is None:
                return super().__call__(inputs, **arguments)
            states = list(initial_state) if isinstance(initial_state, (list, tuple)) else [initial_state]
            of_keras = [hasattr(state, "_keras_history") for state in states]
            if not any(of_keras):
                return super().__call__(inputs, initial_state=states, **arguments)
            if not all(of_keras):
                raise ValueError("An initial state is of Keras's tensors, or has none of them")
            specs = [self.input_spec, self.state_spec]
            input_spec = self.input_spec
            self.input_spec = [each for spec in specs for each in (spec if isinstance(spec, list) else [spec])]
            try:
                return super().__call__([inputs, *states], **arguments)
            finally:
                self.input_spec = input_spec

        def call(self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None) -> Any:
            """Returns the output, and with `return_state` the last states after it."""
            if isinstance(inputs, (list, tuple)):
                inputs, initial_state = inputs[0], list(inputs[1:])
            elif initial_state is None:
                initial_state = self.states if self.stateful else self.get_initial_state(inputs)
            if len(initial_state) != len(self.states):
                raise ValueError(f"Layer has {len(self.states)} states but was passed {len(initial_state)}")
            steps = backend.int_shape(inputs)[1]
            if self.unroll and steps in (None, 1):
                raise ValueError("Cannot unroll a RNN if the time dimension is undefined or equal to 1")
            constants = self.get_constants(inputs, training=None)  # before the inputs, as in Keras 2.2: both may draw
            last, outputs, states = backend.rnn(
                self.step,
                self.preprocess_input(inputs, training=None),
                list(initial_state),
                go_backwards=self.go_backwards,
                mask=_first(mask),
                constants=constants,
                unroll=self.unroll,
                input_length=steps,
            )
            if self.stateful:
                self.add_update([backend.update(*pair) for pair in zip(self.states, states)])
            output = outputs if self.return_sequences else last
            return [output, *states] if self.return_state else output

        def reset_states(self, states: Any = None) -> None:
            """Sets the states of a stateful layer: to zeros by default, else to arrays [batch, units]."""
            if not self.stateful:
                raise AttributeError("Layer must be stateful.")
            batch = self.input_spec[0].shape[0]
            if not batch:
                raise ValueError("A stateful layer needs batch_input_shape or batch_shape, with a batch size")
            shape = (batch, self.units)
            if self.states[0] is None:
                # Not by the layer's own way, which would count these variables as its weights.
                object.__setattr__(self, "states", [backend.zeros(shape) for _ in self.states])
                return
            if states is None:
                import numpy as np  # late: without TensorFlow, tf1mem.v1 says so before NumPy is missed

                states = [np.zeros(shape) for _ in self.states]
            values = list(states) if isinstance(states, (list, tuple)) else [states]
            if len(values) != len(self.states) or any(value.shape != shape for value in values):
                raise ValueError(f"{self.name} expects {len(self.states)} states of shape {shape}")
            for state, value in zip(self.states, values):
                backend.set_value(state, value)

        def get_config(self) -> dict[str, Any]:
            """Returns the arguments."""
            names = "return_sequences return_state go_backwards stateful unroll implementation".split()
            return {**super().get_config(), **{name: getattr(self, name) for name in names}}

    return Recurrent


def _first(mask: Any) -> Any:
    return mask[0] if isinstance(mask, list) else mask
