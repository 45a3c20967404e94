"""Choosing Keras 2 where TensorFlow would take Keras 3.

From 2.16 on, `tf.keras` is Keras 3, which has no graph mode and no sessions. The package tf_keras is Keras 2; the
environment variable TF_USE_LEGACY_KERAS has TensorFlow use it, if it is set before TensorFlow is imported. Set on
2.15 or older it breaks TensorFlow, and a choice of the user's own is the user's.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tf1mem.errors import MissingPackageError
from tf1mem.v1._namespace import below, located

VARIABLE = "TF_USE_LEGACY_KERAS"
_YES = ("true", "True", "1")  # As TensorFlow reads it (util/lazy_loader.py).


def has_keras_3(version: Any) -> bool:
    """Whether TensorFlow of that version has Keras 3 as `tf.keras`."""
    return version is not None and tuple(version.release[:2]) >= (2, 16)


def installed() -> bool:
    """Whether tf_keras is there to be imported."""
    return "tf_keras" in sys.modules or find_spec("tf_keras") is not None


def choose(version: Any) -> None:
    """Has TensorFlow use tf_keras, where that is right and not too late.

    Args:
        version: TensorFlow's, or None if it isn't known.
    """
    too_late = "tensorflow" in sys.modules or "keras" in sys.modules
    if has_keras_3(version) and VARIABLE not in os.environ and not too_late and installed():
        os.environ[VARIABLE] = "1"


def refused() -> bool:
    """Whether the user asked for Keras 3."""
    return os.environ.get(VARIABLE, "1") not in _YES


def module(dotted: str, symbol: str) -> Any:
    """A module of Keras 2's TF1 API.

    Args:
        dotted: Below `keras`, such as "backend".
        symbol: What the program asked for, for the error.

    Raises:
        MissingPackageError: tf_keras is not installed.
    """
    if not installed():
        raise MissingPackageError(
            located(symbol),
            "TensorFlow 2.16 and later have no Keras for graph mode without tf_keras",
            "pip install tf_keras",
        )
    # Its own modules rather than tensorflow.keras, which may have settled on Keras 3 before tf1mem was imported.
    os.environ.setdefault(VARIABLE, "1")
    return import_module(below("tf_keras.api._v1.keras", dotted))
