"""Seeds of Keras's random layers in graph mode, as in TensorFlow 1.

Keras 2.10 (2.4 doesn't) draws the random numbers of layers through a `RandomGenerator`. It raises a layer's seed at
each call, and leaves ops of layers without a seed to the graph's. TensorFlow 1's Keras kept a layer's seed, and took
that of noise and of the dropout of recurrent cells from NumPy's generator.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.modules import loaded_module
from tf1mem.v1._namespace import import_or_none

# Methods of `RandomGenerator`, and functions of Keras's backend that take their seed from NumPy's generator.
_DRAWN = ("random_normal", "random_uniform", "truncated_normal")


def take_tf1_seeds(home: str) -> None:
    """Makes the layers of a Keras package take TensorFlow 1's seeds; does nothing if they do.

    Args:
        home: The package, such as "tf_keras.src".
    """
    backend = import_or_none(f"{home}.backend")
    generator: Any = getattr(backend, "RandomGenerator", None)
    if generator is None or hasattr(generator.make_legacy_seed, "tf1mem_keeps"):
        return
    put_around(generator, "make_legacy_seed", _keeping_the_seed)
    calls: Any = import_or_none(f"{home}.engine.base_layer_utils")
    for name in _DRAWN:
        put_around(
            generator,
            name,
            lambda draw, name=name: _drawing(draw, getattr(backend, name), calls.call_context),  # type: ignore
        )
    mixin = import_or_none(f"{home}.layers.rnn.dropout_rnn_cell_mixin")
    put_around(mixin, "_generate_dropout_mask", lambda masks: _dropping_by(masks, backend))


class _Dropout:
    """A generator for `_generate_dropout_mask`, which only drops, with seeds from NumPy's generator.

    Attributes:
        dropout: Function that is called with a tensor and a rate.
    """

    def __init__(self, dropout: Callable[..., Any]) -> None:
        self.dropout = dropout


def _keeping_the_seed(raising: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `RandomGenerator.make_legacy_seed`, which returns the layer's seed, or None."""

    def make_legacy_seed(self: Any) -> Any:
        return raising(self) if _is_eager() else self._seed

    make_legacy_seed.tf1mem_keeps = True  # type: ignore[attr-defined]
    return make_legacy_seed


def _drawing(
    draw: Callable[..., Any], of_backend: Callable[..., Any], call_context: Callable[[], Any]
) -> Callable[..., Any]:
    """Returns a method of `RandomGenerator` that draws like the backend's function: without a seed by NumPy's.

    Only layers draw so. Initializers and schedules of learning rates have generators, too, which keep their own way:
    in TensorFlow 1 they took no seed from NumPy.

    Args:
        draw: The method.
        of_backend: The backend's function with the same first arguments.
        call_context: Returns the context of Keras's calls, with the innermost layer that is being called.
    """

    @functools.wraps(draw)
    def drawing(self: Any, *args: Any, **kwargs: Any) -> Any:
        of_layer: Any = getattr(call_context().layer, "_random_generator", None)
        if _is_eager() or of_layer is not self:
            return draw(self, *args, **kwargs)
        kwargs.pop("nonce", None)  # only stateless ops take it
        return of_backend(*args[:4], **kwargs, seed=self._seed)

    return drawing


def _dropping_by(masks: Callable[..., Any], backend: Any) -> Callable[..., Any]:
    """Returns `_generate_dropout_mask`, which drops by the backend's `dropout`."""

    @functools.wraps(masks)
    def generate(generator: Any, *args: Any, **kwargs: Any) -> Any:
        return masks(generator if _is_eager() else _Dropout(backend.dropout), *args, **kwargs)

    return generate


def _is_eager() -> bool:
    return bool(loaded_module("python.eager.context").executing_eagerly())
