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
    """Returns the base class of both layers: their arguments, and the first matrix and bias."""
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
            """Returns the new variable W."""
            kinds = {"regularizer": self.W_regularizer, "constraint": self.W_constraint, **options}
            return self.add_weight(name="W", shape=shape, initializer=self.init, **kinds)

        def vector(self, shape: Any) -> Any:
            """Returns the new variable b, of zeros; None without a bias."""
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
        """A layer whose output is the maximum of several linear layers."""

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
        """A dense layer with a gate that lets part of its input through; Srivastava et al., arXiv:1505.00387."""

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
