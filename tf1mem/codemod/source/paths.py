"""From where a name was imported to what TensorFlow 1 calls it.

`tensorflow.compat.v1.Session`, `tensorflow.python.client.session.Session` and `tf1mem.v1.Session` are all TF1's
`Session`; `keras.backend.tensorflow_backend.set_session` is Keras's `keras.backend.set_session`.
"""

from __future__ import annotations

HOME = "tf1mem.v1"

# TensorFlow 1.15 to 2.1 also had the name tensorflow_core, which editors imported from.
_ROOTS = ("tensorflow", "tensorflow_core", HOME)

# Modules inside TensorFlow that programs import public things from -> the public module that has them.
_INTERNALS = {
    "core.protobuf.config_pb2": "",
    "python.client.session": "",
    "python.estimator.run_config": "estimator",
    "python.framework.config": "config",
    "python.framework.test_util": "test",
    "python.keras": "keras",
    "python.platform.test": "test",
    "python.tpu.tpu_config": "estimator.tpu",
    "python.training.monitored_session": "train",
    "python.training.server_lib": "train",
    "python.training.session_manager": "train",
    "python.training.supervisor": "train",
    "python.eager.context": "",
}
# Keras programs reach TensorFlow, and its backend, by these as well.
_KERAS_BACKENDS = ("keras.backend.tensorflow_backend", "keras.backend.backend", "keras.backend.common")


def dotted_text(text: bytes) -> str:
    """A dotted name without the white space that Python allows in it."""
    return "".join(text.decode("utf-8", "replace").replace("\\", "").split())


def tf1_name(path: str) -> str | None:
    """The public name in TensorFlow 1 of what a dotted path leads to, such as "train.Server".

    Args:
        path: As `Names.paths` gives it, such as "tensorflow.compat.v1.train.Server".

    Returns:
        The name without "tensorflow."; "" for TensorFlow itself; None for what isn't TensorFlow's or Keras's, and for
        TF2's API asked for by name, but for its Estimator, which takes the same configs. Keras's own names start with
        "keras.".
    """
    for root in _ROOTS:
        if path == root or path.startswith(root + "."):
            rest = path[len(root) + 1 :]
            break
    else:
        return _keras_name(path)
    if rest.startswith("compat.v2.compat.v1"):
        rest = rest[len("compat.v2.") :]
    while rest == "compat.v1" or rest.startswith("compat.v1."):
        rest = rest[len("compat.v1.") :]
    if rest.startswith("compat.v2.estimator."):
        rest = rest[len("compat.v2.") :]
    if rest == "compat.v2" or rest.startswith("compat.v2."):
        return None
    for module, public in _INTERNALS.items():
        if rest == module or rest.startswith(module + "."):
            rest = (public + rest[len(module) :]).lstrip(".")
            break
    return _keras_name(rest) or rest


def _keras_name(path: str) -> str | None:
    if path.startswith("tf_keras"):
        path = path[len("tf_") :]
    if path != "keras" and not path.startswith("keras."):
        return None
    for module in _KERAS_BACKENDS:
        if path == module or path.startswith(module + "."):
            path = "keras.backend" + path[len(module) :]
    if path == "keras.backend.tf" or path.startswith("keras.backend.tf."):
        return tf1_name("tensorflow" + path[len("keras.backend.tf") :])
    return path


def is_public_tensorflow(path: str) -> bool:
    """Whether a path is TensorFlow's public API, by whichever spelling: not tf1mem's, not TensorFlow's inside."""
    root, _, rest = path.partition(".")
    if root not in ("tensorflow", "tensorflow_core"):
        return False
    return not rest.startswith(("python.", "core.", "compat.v2")) and rest not in ("python", "core")


def is_compat_v1(path: str) -> bool:
    """Whether a path spells TensorFlow 1's API as TensorFlow 2 does: `tensorflow.compat.v1…`."""
    return path == "tensorflow.compat.v1" or path.startswith("tensorflow.compat.v1.")


def is_shim(path: str) -> bool:
    """Whether a path is tf1mem.v1's."""
    return path == HOME or path.startswith(HOME + ".")
