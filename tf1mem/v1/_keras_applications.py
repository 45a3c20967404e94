"""Nets of keras.applications with TensorFlow 1's layers.

Programs freeze layers by their number and take them by their name. On TensorFlow 1 a MobileNet pads its first
convolution by a layer, and reshapes the means that its top takes; the last layers of several nets have other names.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, NamedTuple

from tf1mem.hooks.wrappers import put
from tf1mem.v1._keras_package import keras_file

# Takes Keras's layers, the class of a layer, its positional arguments and the others, and makes TensorFlow 1's layers.
Make = Callable[[Any, Any, Any, Any], Callable[[Any], Any]]


class NetLayers(NamedTuple):
    """Keras's layers for the file of a net, some of which are made as on TensorFlow 1.

    Attributes:
        own: Keras's layers.
        makers: (Class, name that the net gives to the layer) -> the function that makes TensorFlow 1's.
    """

    own: Any
    makers: Mapping[tuple[str, str | None], Make]

    def __getattr__(self, name: str) -> Any:
        layer = getattr(self.own, name)

        def make(*args: Any, **config: Any) -> Any:
            make_as_tf1 = self.makers.get((name, config.get("name")))
            return layer(*args, **config) if make_as_tf1 is None else make_as_tf1(self.own, layer, args, config)

        return make


@functools.lru_cache(maxsize=None)
def build_as_tf1(keras: Any) -> None:
    """Makes the nets of a Keras have TensorFlow 1's layers.

    Args:
        keras: The TF1 API of Keras 2.
    """
    utils = keras_file(keras.Model, "applications.imagenet_utils")
    if not hasattr(utils, "correct_pad"):
        return  # its nets are keras_applications's, as on TensorFlow 1
    makers: dict[str, dict[tuple[str, str | None], Make]] = {
        "densenet": {("Dense", "predictions"): configured(name="fc1000")},
        "mobilenet": {
            ("Conv2D", "conv1"): _padded("conv1_pad", lambda x: ((0, 1), (0, 1))),
            ("GlobalAveragePooling2D", None): _reshaped,
            ("Activation", "predictions"): configured(name="act_softmax"),
        },
        "mobilenet_v2": {
            ("Conv2D", "Conv1"): _padded("Conv1_pad", lambda x: utils.correct_pad(x, 3)),
            ("Dense", "predictions"): configured(name="Logits"),
        },
        "resnet": {("Dense", "predictions"): configured(name="probs")},
    }
    for name, of_net in makers.items():
        file = keras_file(keras.Model, f"applications.{name}")
        layers = NetLayers(file.VersionAwareLayers(), of_net)
        put(file, "VersionAwareLayers", lambda layers=layers: layers)  # most files take their layers anew for each net
        if name == "densenet":
            put(file, "layers", layers)


def configured(**changes: Any) -> Make:
    """Returns a function that makes a layer with other arguments, such as another name."""
    return lambda own, layer, args, config: layer(*args, **{**config, **changes})


def _padded(name: str, padding: Callable[[Any], Any]) -> Make:
    """Returns a function that makes a layer of padding before a convolution, which itself doesn't pad.

    Args:
        name: Name of the layer that pads.
        padding: Takes the images, and returns the numbers of pixels above, below, left and right of them.
    """

    def make(own: Any, layer: Any, args: Any, config: Any) -> Any:
        if config.get("padding") != "same":
            return layer(*args, **config)
        convolution = layer(*args, **{**config, "padding": "valid"})
        return lambda x: convolution(own.ZeroPadding2D(padding=padding(x), name=name)(x))

    return make


def _reshaped(own: Any, layer: Any, args: Any, config: Any) -> Any:
    """Makes a layer of means and one that reshapes them, in place of means that keep their dimensions."""
    if not config.pop("keepdims", False):
        return layer(*args, **config)
    means = layer(*args, **config)

    def call(x: Any) -> Any:
        mean = means(x)
        first = means.data_format == "channels_first"
        channels = int(mean.shape[-1])
        return own.Reshape((channels, 1, 1) if first else (1, 1, channels), name="reshape_1")(mean)

    return call
