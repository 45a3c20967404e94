"""Seeds of Keras's random layers in graph mode, as in TensorFlow 1.

Keras (2.10 does, 2.4 doesn't) draws the random numbers of layers through a `RandomGenerator`. It increments a layer's
seed at each call, and without a seed of the layer it lets the graph choose. TensorFlow 1's Keras kept a layer's seed,
and without one took a seed from NumPy's generator for noise and for the dropout of recurrent cells.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.modules import loaded_module
from tf1mem.v1._namespace import import_or_none

# Names of methods of `RandomGenerator`, and of functions of Keras's backend, which without a seed take one from NumPy.
_DRAWN = ("random_normal", "random_uniform", "truncated_normal")


def take_tf1_seeds(home: str) -> None:
    """Makes the layers of a Keras package take TensorFlow 1's seeds; does nothing if they already do.

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
    """A generator for `_generate_dropout_mask`, which calls only `dropout`; seeds come from NumPy's generator.

    Attributes:
        dropout: Keras's backend function of a tensor and a rate.
    """

    def __init__(self, dropout: Callable[..., Any]) -> None:
        self.dropout = dropout


def _keeping_the_seed(raising: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a `RandomGenerator.make_legacy_seed` that returns the layer's seed, or None, and doesn't increment it.

    Args:
        raising: Keras's method, which increments the seed; eager mode still calls it.
    """

    def make_legacy_seed(self: Any) -> Any:
        return raising(self) if _is_eager() else self._seed

    make_legacy_seed.tf1mem_keeps = True  # type: ignore[attr-defined]
    return make_legacy_seed


def _drawing(
    draw: Callable[..., Any], of_backend: Callable[..., Any], call_context: Callable[[], Any]
) -> Callable[..., Any]:
    """Returns a method of `RandomGenerator` that draws by a backend function, which without a seed takes NumPy's.

    Only layers draw so. Initializers and schedules of learning rates have generators, too; these draw as before, since
    in TensorFlow 1 they took no seed from NumPy.

    Args:
        draw: Keras's method of `RandomGenerator`.
        of_backend: The backend's function of the same name; its first four arguments are those of `draw`.
        call_context: Returns the context of Keras's calls; its `layer` is the innermost layer that is being called.
    """

    @functools.wraps(draw)
    def drawing(self: Any, *args: Any, **kwargs: Any) -> Any:
        of_layer: Any = getattr(call_context().layer, "_random_generator", None)
        if _is_eager() or of_layer is not self:
            return draw(self, *args, **kwargs)
        kwargs.pop("nonce", None)  # the fifth argument, which only stateless ops take
        return of_backend(*args[:4], **kwargs, seed=self._seed)

    return drawing


def _dropping_by(masks: Callable[..., Any], backend: Any) -> Callable[..., Any]:
    """Returns a `_generate_dropout_mask` that drops by the backend's `dropout`; `masks` is Keras's function."""

    @functools.wraps(masks)
    def generate(generator: Any, *args: Any, **kwargs: Any) -> Any:
        return masks(generator if _is_eager() else _Dropout(backend.dropout), *args, **kwargs)

    return generate


def _is_eager() -> bool:
    return bool(loaded_module("python.eager.context").executing_eagerly())
