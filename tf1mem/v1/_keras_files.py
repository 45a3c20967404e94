"""Files of Keras's models, written and read in TensorFlow 1's formats.

Newer versions of Keras write a format of their own to files named `….keras` and `….weights.h5`, and read no other from
the latter: on TensorFlow 1 these are HDF5 files like any other. There the third argument of `save` is
`include_optimizer`.

Standalone Keras writes HDF5 whatever a file is called. `tf.keras` decides by the name, and writes a checkpoint of
TensorFlow for weights, a folder for a model.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import put, put_around_once
from tf1mem.v1 import _keras_alone
from tf1mem.v1._keras_package import keras_file


@functools.lru_cache(maxsize=None)
def save_as_tf1(keras: Any) -> None:
    """Makes Keras write and read TensorFlow 1's files. Programs for standalone Keras write HDF5 alone.

    Args:
        keras: The TF1 API of Keras 2.
    """
    put_around_once(keras.Model, "save", _saving)
    put_around_once(keras.models, "save_model", _saving)
    put_around_once(keras.Model, "save_weights", _saving_weights)
    by_name = keras_file(keras.Model, "saving.saving_api")  # of Keras 2.12 and later
    if by_name is not None:
        formats = keras_file(keras.Model, "saving.legacy.save")
        put(by_name, "save_weights", formats.save_weights)
        put_around_once(by_name, "load_weights", functools.partial(_loading_weights, formats))


def _saving(own: Callable[..., None]) -> Callable[..., None]:
    """Returns `save`, or `save_model`, with the arguments and the formats of TensorFlow 1."""

    def save(
        model: Any,
        filepath: Any,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if save_format is None and (_keras_alone.is_in_use() or str(filepath).endswith(".keras")):
            save_format = "h5"
        kwargs.update(zip(("signatures", "options"), args))
        if not include_optimizer:  # the newest format, which a program can choose, doesn't take it
            kwargs["include_optimizer"] = False
        own(model, filepath, overwrite, save_format=save_format, **kwargs)

    return save


def _saving_weights(own: Callable[..., None]) -> Callable[..., None]:
    """Returns `save_weights` that writes HDF5 in programs for standalone Keras."""

    def save_weights(
        self: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None, **kwargs: Any
    ) -> None:
        if save_format is None and _keras_alone.is_in_use():
            save_format = "h5"
        own(self, filepath, overwrite, save_format, **kwargs)

    return save_weights


def _loading_weights(formats: Any, own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `load_weights` that reads files of TensorFlow 1 under any name.

    Args:
        formats: Keras's module that reads and writes these files.
        own: Keras's function, for its new formats.
    """

    def load_weights(model: Any, filepath: Any, **kwargs: Any) -> Any:
        h5py: Any = import_module("h5py")
        if str(filepath).endswith(".weights.h5") and h5py.is_hdf5(filepath):
            with h5py.File(filepath, "r") as file:
                if "layer_names" in file.attrs or "model_weights" in file:
                    return formats.load_weights(model, filepath, **kwargs)
        return own(model, filepath, **kwargs)

    return load_weights
