"""The choice between Keras 2 and Keras 3 for `tf.keras`, by the environment variable TF_USE_LEGACY_KERAS.

From TensorFlow 2.16 on, `tf.keras` is Keras 3 unless the variable selects the package tf_keras, which is Keras 2. It is
read when TensorFlow is imported (tensorflow/python/util/lazy_loader.py). On 2.15 or older it breaks TensorFlow.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any, Mapping

VARIABLE = "TF_USE_LEGACY_KERAS"


def is_selected(environment: Mapping[str, str]) -> bool:
    """Returns True if the variable selects tf_keras.

    Args:
        environment: The environment variables.
    """
    return environment.get(VARIABLE) in ("true", "True", "1")


def is_refused() -> bool:
    """Returns True if the user has set the variable to choose Keras 3."""
    return VARIABLE in os.environ and not is_selected(os.environ)


def has_keras_3(version: Any) -> bool:
    """Returns True if `tf.keras` is Keras 3 in that version of TensorFlow, unless the variable selects tf_keras.

    Args:
        version: The version, or None if it isn't known.
    """
    return version is not None and tuple(version.release[:2]) >= (2, 16)


def is_installed() -> bool:
    """Returns True if tf_keras can be imported."""
    return "tf_keras" in sys.modules or find_spec("tf_keras") is not None


def select(version: Any) -> None:
    """Makes TensorFlow use tf_keras, unless tf_keras is missing or not needed, or TensorFlow is imported already.

    A value that the user has set stays.

    Args:
        version: TensorFlow's version, or None if it isn't known.
    """
    too_late = "tensorflow" in sys.modules or "keras" in sys.modules
    if has_keras_3(version) and VARIABLE not in os.environ and not too_late and is_installed():
        os.environ[VARIABLE] = "1"
