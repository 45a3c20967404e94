"""Transforms images by the functions of tf.keras.preprocessing, and describes the results by a few numbers.

Usage, from the root of the repository, with TensorFlow 1.15.5, keras-preprocessing 1.1.2, SciPy and Pillow:
    python -m tests.v1.images.transformations > tests/v1/images/recorded.json
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

GENERATORS: dict[str, dict[str, Any]] = {
    "rotation": {"rotation_range": 30},
    "width": {"width_shift_range": 0.2},
    "height": {"height_shift_range": 0.2},
    "pixels": {"width_shift_range": 3, "height_shift_range": [-2, 1]},
    "shear": {"shear_range": 20},
    "zoom": {"zoom_range": [0.5, 0.9]},
    "channels": {"channel_shift_range": 30.0},
    "flips": {"horizontal_flip": True, "vertical_flip": True},
    "constant": {"rotation_range": 40, "fill_mode": "constant", "cval": 7.0},
    "reflected": {"rotation_range": 40, "fill_mode": "reflect"},
    "usual": {"rescale": 1 / 255.0, "shear_range": 0.2, "zoom_range": 0.2, "horizontal_flip": True},
    "statistics": {"samplewise_center": True, "samplewise_std_normalization": True},
}
BRIGHTER = {"brightness_range": (0.5, 1.5)}
FITTED: dict[str, dict[str, Any]] = {
    "mean": {"featurewise_center": True, "featurewise_std_normalization": True},
    "whitened": {"zca_whitening": True, "zca_epsilon": 1e-2},
    "whitened and centered": {"zca_whitening": True, "zca_epsilon": 1e-2, "featurewise_center": True, "rescale": 0.5},
}
TRANSFORMATIONS: list[dict[str, float]] = [
    {"theta": 20}, {"tx": 2}, {"ty": 2}, {"shear": 15}, {"zx": 0.8},
    {"theta": 10, "tx": 1, "ty": -2, "shear": 5, "zy": 1.1},
]  # fmt: skip
RANDOM: dict[str, tuple[Any, ...]] = {
    "random_rotation": (30,), "random_shift": (0.2, 0.3), "random_shear": (25,), "random_zoom": ((0.6, 1.2),),
}  # fmt: skip
AXES = {"last": {"row_axis": 0, "col_axis": 1, "channel_axis": 2}, "first": {}}


def described(values: Any) -> list[float]:
    """Returns an array's sum, its weighted sum, which changes if values move, its least and its greatest value."""
    array = np.asarray(values, "float64")
    weights = np.cos(np.arange(array.size)).reshape(array.shape)
    return [round(float(number), 3) for number in (array.sum(), (array * weights).sum(), array.min(), array.max())]


def images() -> Any:
    """Returns six smooth images of 16 x 12 pixels, float64 of shape `[6, 16, 12, 3]` with values of 20 to 220."""
    sums = np.cumsum(np.cumsum(np.random.RandomState(0).normal(size=(6, 16, 12, 3)), 1), 2)
    return ((sums - sums.min()) / np.ptp(sums) * 200 + 20).round()


def results(preprocessing: Any) -> dict[str, Any]:
    """Returns the described results of transformations by name.

    Args:
        preprocessing: The module `tf.keras.preprocessing`.
    """
    image = preprocessing.image
    computed: dict[str, Any] = {}
    pixels = images()
    channels_first = np.moveaxis(pixels, 3, 1)

    def batches(x: Any, fit: dict[str, Any] | None = None, **options: Any) -> list[Any]:
        generator = image.ImageDataGenerator(**options)
        if fit is not None:
            generator.fit(x, **fit)
        flow = generator.flow(x, np.arange(6), batch_size=4, seed=3)
        return [[described(batch), labels.tolist()] for batch, labels in (next(flow), next(flow))]

    for name, options in GENERATORS.items():
        computed[name] = batches(pixels, **options)
        computed[f"{name}, channels first"] = batches(channels_first, data_format="channels_first", **options)
    for name, x in {"brighter": pixels, "brighter, up to 1": pixels / 255, "brighter, centered": pixels - 128}.items():
        computed[name] = batches(x, **BRIGHTER)
    small = pixels[:, :6, :5] / 255
    for name, options in FITTED.items():
        computed[name] = batches(small, {}, **options)
    whitened = image.ImageDataGenerator(zca_whitening=True, rotation_range=20, zca_epsilon=1e-3)
    whitened.fit(small, augment=True, rounds=2, seed=5)
    computed["whitened, others"] = described(whitened.standardize(small[0, ::-1, ::-1].copy()))
    computed["principal components"] = described(whitened.principal_components)
    for options in TRANSFORMATIONS:
        transformed = image.ImageDataGenerator().apply_transform(pixels[0], options)
        computed[f"transform {sorted(options)}"] = described(transformed)
    for name, arguments in RANDOM.items():
        for order, axes in AXES.items():
            np.random.seed(7)
            x = pixels[0] if order == "last" else channels_first[0]
            computed[f"{name}, channels {order}"] = described(getattr(image, name)(x, *arguments, **axes))
    computed["apply_affine_transform"] = described(image.apply_affine_transform(pixels[0], theta=12, tx=1))
    computed["random_brightness"] = described(image.random_brightness(pixels[0] / 255, (0.7, 0.7)))
    computed["text_to_word_sequence"] = preprocessing.text.text_to_word_sequence(text="A dog, a CAT; end!")
    computed["one_hot"] = len(preprocessing.text.one_hot(text="a b c", n=50))
    return computed


if __name__ == "__main__":
    import tensorflow as tf

    lines = [f" {json.dumps(name)}: {json.dumps(result)}" for name, result in results(tf.keras.preprocessing).items()]
    print("{\n" + ",\n".join(lines) + "\n}")
