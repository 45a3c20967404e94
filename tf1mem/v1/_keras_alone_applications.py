"""ResNet50 of standalone Keras, another net than that of `tf.keras`.

It is the net of He et al., arXiv:1512.03385, as Keras first had it: layers are called `res2a_branch2a`, batch norms
have Keras's own epsilon, and the weights for ImageNet are those of another training.
"""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import import_module
from typing import Any

from tf1mem.v1._keras_applications import Make, NetLayers, configured
from tf1mem.v1._keras_package import keras_file

_WEIGHTS = "https://github.com/fchollet/deep-learning-models/releases/download/v0.2/"
# With the top or without -> the file with weights for ImageNet, and its MD5 sum.
_FILES = {
    True: ("resnet50_weights_tf_dim_ordering_tf_kernels.h5", "a7b3fe01876f51b976af0dea6bc144eb"),
    False: ("resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5", "a268eb855778b3df3c7506639542a6af"),
}
_CLASSES = 1000  # of ImageNet
# Filters of the two first convolutions of a stage's blocks, and the number of these blocks; the first stage is 2.
_STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))


@lru_cache(maxsize=None)
def resnet_50(keras: Any) -> Any:
    """Returns standalone Keras's `ResNet50`, for nets of `keras`.

    Args:
        keras: The TF1 API of Keras 2.
    """
    file = keras_file(keras.Model, "applications.resnet")
    if not hasattr(file, "VersionAwareLayers"):  # TensorFlow 2.0 has its nets from the package of standalone Keras
        own = import_module("keras_applications.resnet50").ResNet50
        return partial(own, backend=keras.backend, layers=keras.layers, models=keras.models, utils=keras.utils)

    def ResNet50(  # noqa: N802, PLR0917 - as Keras had it
        include_top: bool = True,
        weights: Any = "imagenet",
        input_tensor: Any = None,
        input_shape: Any = None,
        pooling: str | None = None,
        classes: int = _CLASSES,
    ) -> Any:
        """Returns a ResNet with 50 layers.

        Args:
            include_top: True for a layer with a probability for each class at the end.
            weights: "imagenet", a path of a file with weights, or None for random ones.
            input_tensor: Tensor of images, `[batch, height, width, channels]`.
            input_shape: Shape of an image, without the batch; by default `(224, 224, 3)`.
            pooling: "avg" or "max" for a vector of features in place of their maps, without a top.
            classes: Number of classes.

        Raises:
            ValueError: The weights for ImageNet have other classes, or the shape is too small.
        """
        if weights == "imagenet" and include_top and classes != _CLASSES:
            raise ValueError(f"weights='imagenet' with a top are for {_CLASSES} classes, not for {classes}.")
        layers = NetLayers(file.VersionAwareLayers(), _makers(include_top))
        model = file.ResNet(
            lambda x: _stages(keras, x), False, True, "resnet50", include_top,
            None if weights == "imagenet" else weights, input_tensor, input_shape, pooling, classes, layers=layers,
        )  # fmt: skip
        if weights == "imagenet":
            name, md5 = _FILES[include_top]
            model.load_weights(keras.utils.get_file(name, _WEIGHTS + name, cache_subdir="models", md5_hash=md5))
        return model

    return ResNet50


def _makers(include_top: bool) -> dict[tuple[str, str | None], Make]:
    """Returns the layers before and after the stages that have other arguments than those of `tf.keras`."""
    makers: dict[tuple[str, str | None], Make] = {
        ("Conv2D", "conv1_conv"): configured(name="conv1", kernel_initializer="he_normal"),
        ("BatchNormalization", "conv1_bn"): configured(name="bn_conv1", epsilon=1e-3),
        ("Activation", "conv1_relu"): configured(name=None),
        ("MaxPooling2D", "pool1_pool"): configured(name=None),
        ("Dense", "predictions"): configured(name="fc1000"),
    }
    if not include_top:
        makers["GlobalAveragePooling2D", "avg_pool"] = configured(name=None)
        makers["GlobalMaxPooling2D", "max_pool"] = configured(name=None)
    return makers


def _stages(keras: Any, x: Any) -> Any:
    """Returns the feature maps of the last stage.

    Args:
        keras: The TF1 API of Keras 2.
        x: Feature maps of the first convolution, `[batch, height, width, 64]`.
    """
    for stage, (filters, number) in enumerate(_STAGES, 2):
        for block in "abcdef"[:number]:
            strides = None if block > "a" else 1 if stage == 2 else 2
            x = _block(keras, x, f"{stage}{block}_branch", filters, strides)
    return x


def _block(keras: Any, x: Any, name: str, filters: int, strides: int | None) -> Any:
    """Returns the feature maps of a block: three convolutions, added to the maps before them.

    Args:
        keras: The TF1 API of Keras 2.
        x: Feature maps, `[batch, height, width, channels]`.
        name: Part of the layers' names, such as "2a_branch".
        filters: Number of filters of the first two convolutions; the third has four times as many.
        strides: Strides of the first convolution and of one at the shortcut; None for a shortcut without one.
    """
    layers, axis = keras.layers, 3 if keras.backend.image_data_format() == "channels_last" else 1

    def convolved(maps: Any, branch: str, number: int, size: int, steps: int = 1) -> Any:
        maps = layers.Conv2D(
            number, size, strides=steps, padding="same" if size > 1 else "valid", kernel_initializer="he_normal",
            name=f"res{name}{branch}",
        )(maps)  # fmt: skip
        return layers.BatchNormalization(axis=axis, name=f"bn{name}{branch}")(maps)

    maps = layers.Activation("relu")(convolved(x, "2a", filters, 1, strides or 1))
    maps = layers.Activation("relu")(convolved(maps, "2b", filters, 3))
    maps = convolved(maps, "2c", 4 * filters, 1)
    shortcut = x if strides is None else convolved(x, "1", 4 * filters, 1, strides)
    return layers.Activation("relu")(layers.add([maps, shortcut]))
