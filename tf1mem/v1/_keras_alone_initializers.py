"""Random initializers of standalone Keras, which take the seed that a program doesn't give from NumPy's generator.

So `numpy.random.seed` sets the first weights of a program that imports `keras`. Initializers of `tf.keras` take it from
TensorFlow's op instead.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Mapping

from tf1mem.v1._namespace import ROOT

# The standard deviation of a normal distribution that is cut off at two standard deviations.
_TRUNCATED = 0.87962566103423978
_SCALED = {
    "glorot_normal": (1.0, "fan_avg", "normal"),
    "glorot_uniform": (1.0, "fan_avg", "uniform"),
    "he_normal": (2.0, "fan_in", "normal"),
    "he_uniform": (2.0, "fan_in", "uniform"),
    "lecun_normal": (1.0, "fan_in", "normal"),
    "lecun_uniform": (1.0, "fan_in", "uniform"),
}
_ALIASES = {
    "normal": "RandomNormal",
    "orthogonal": "Orthogonal",
    "random_normal": "RandomNormal",
    "random_uniform": "RandomUniform",
    "truncated_normal": "TruncatedNormal",
    "uniform": "RandomUniform",
}
# The names of standalone Keras's random initializers.
NAMES = ("RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling", "Orthogonal", *_SCALED, *_ALIASES)


@functools.lru_cache(maxsize=None)
def initializers() -> Mapping[str, Any]:
    """Returns standalone Keras's random initializers by name: classes, and functions that make an instance."""
    keras: Any = import_module(ROOT + ".keras")
    backend = keras.backend

    class Seeded(keras.initializers.Initializer):  # type: ignore[misc]
        """Base class of random initializers, whose attributes are their arguments."""

        def get_config(self) -> dict[str, Any]:
            """Returns the arguments by name."""
            return dict(vars(self))

    class RandomNormal(Seeded):
        """Draws from a normal distribution."""

        def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
            self.mean, self.stddev, self.seed = mean, stddev, seed

        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return backend.random_normal(shape, self.mean, self.stddev, dtype=dtype, seed=self.seed)

    class RandomUniform(Seeded):
        """Draws from `[minval, maxval)`."""

        def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
            self.minval, self.maxval, self.seed = minval, maxval, seed

        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return backend.random_uniform(shape, self.minval, self.maxval, dtype=dtype, seed=self.seed)

    class TruncatedNormal(Seeded):
        """Draws from a normal distribution that is cut off at two standard deviations."""

        def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
            self.mean, self.stddev, self.seed = mean, stddev, seed

        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return backend.truncated_normal(shape, self.mean, self.stddev, dtype=dtype, seed=self.seed)

    class VarianceScaling(Seeded):
        """Draws with a variance of `scale / n`, where n is the number of a kernel's inputs, outputs, or their mean."""

        def __init__(
            self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "normal", seed: int | None = None
        ) -> None:
            self.scale, self.mode, self.distribution, self.seed = scale, mode.lower(), distribution.lower(), seed
            if scale <= 0:
                raise ValueError(f"VarianceScaling: scale is {scale}, and has to be above 0.")
            for name, value, values in (
                ("mode", self.mode, ("fan_in", "fan_out", "fan_avg")),
                ("distribution", self.distribution, ("normal", "uniform")),
            ):
                if value not in values:
                    raise ValueError(f"VarianceScaling: {name} is {value!r}, and has to be one of {', '.join(values)}.")

        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            fans = dict(zip(("fan_in", "fan_out"), compute_fans(shape, backend.image_data_format())))
            fans["fan_avg"] = (fans["fan_in"] + fans["fan_out"]) / 2
            variance = self.scale / max(1.0, fans[self.mode])
            if self.distribution == "normal":
                stddev = variance**0.5 / _TRUNCATED
                return backend.truncated_normal(shape, 0.0, stddev, dtype=dtype, seed=self.seed)
            limit = (3 * variance) ** 0.5
            return backend.random_uniform(shape, -limit, limit, dtype=dtype, seed=self.seed)

    class Orthogonal(Seeded):
        """Makes an orthogonal matrix, times `gain`: singular vectors of a matrix that NumPy draws."""

        def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
            self.gain, self.seed = gain, seed

        def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            import numpy as np

            shape = tuple(int(size) for size in shape)
            flat = (int(np.prod(shape[:-1])), shape[-1])
            generator: Any = np.random if self.seed is None else np.random.RandomState(self.seed)
            left, _, right = np.linalg.svd(generator.normal(0.0, 1.0, flat), full_matrices=False)
            matrix = self.gain * (left if left.shape == flat else right).reshape(shape)
            return backend.constant(matrix, dtype=dtype)

    members: dict[str, Any] = {
        each.__name__: each for each in (RandomNormal, RandomUniform, TruncatedNormal, VarianceScaling, Orthogonal)
    }
    for each in members.values():
        each.__qualname__ = each.__name__
    for name, arguments in _SCALED.items():
        members[name] = _scaled(VarianceScaling, name, *arguments)
    members.update((alias, members[name]) for alias, name in _ALIASES.items())
    return members


def _scaled(variance_scaling: Any, name: str, scale: float, mode: str, distribution: str) -> Any:
    """Returns the function of that name, which makes a `VarianceScaling` with these arguments and a seed."""

    def scaled(seed: int | None = None) -> Any:
        return variance_scaling(scale=scale, mode=mode, distribution=distribution, seed=seed)

    scaled.__name__ = scaled.__qualname__ = name
    return scaled


def compute_fans(shape: Any, data_format: str = "channels_last") -> tuple[float, float]:
    """Returns the numbers of inputs and of outputs of a kernel.

    Args:
        shape: The kernel's shape. Shapes of three to five dimensions are those of convolutions.
        data_format: "channels_last" or "channels_first", which says where convolutions' channels are.
    """
    sizes = [int(size) for size in shape]
    if len(sizes) == 2:
        return sizes[0], sizes[1]
    if 3 <= len(sizes) <= 5:
        if data_format == "channels_first":
            fan_in, fan_out, field = sizes[1], sizes[0], sizes[2:]
        else:
            fan_in, fan_out, field = sizes[-2], sizes[-1], sizes[:-2]
        area = _product(field)
        return fan_in * area, fan_out * area
    root = _product(sizes) ** 0.5
    return root, root


def _product(sizes: list[int]) -> int:
    return functools.reduce(lambda product, size: product * size, sizes, 1)
