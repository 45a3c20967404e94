"""Finds the public name in TensorFlow 1 of a dotted path, whichever module a program imports it from.

`tensorflow.compat.v1.Session`, `tensorflow.python.client.session.Session` and `tf1mem.v1.Session` are all TF1's
`Session`; `keras.backend.tensorflow_backend.set_session` is Keras's `keras.backend.set_session`.
"""

from __future__ import annotations

from functools import lru_cache

from tf1mem.names import internals

HOME = "tf1mem.v1"

# TensorFlow 1.15 to 2.1 also had the name tensorflow_core, which editors inserted.
_ROOTS = ("tensorflow", "tensorflow_core")

# Modules inside TensorFlow from which programs import public names -> the public module with these names.
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
# Other modules of Keras with the names of keras.backend.
_KERAS_BACKENDS = ("keras.backend.tensorflow_backend", "keras.backend.backend", "keras.backend.common")


def dotted_text(text: bytes) -> str:
    """Returns a dotted name without the white space that Python allows in it."""
    return "".join(text.decode("utf-8", "replace").replace("\\", "").split())


@lru_cache(maxsize=1 << 14)  # the same few thousand names are in all files of a tree
def tf1_name(path: str) -> str | None:
    """Returns the public name in TensorFlow 1 for a dotted path, such as "train.Server".

    Args:
        path: A path from `Names.paths`, such as "tensorflow.compat.v1.train.Server".

    Returns:
        The name without "tensorflow."; "" for TensorFlow itself. None for a path outside TensorFlow and Keras, and for
        one in `tensorflow.compat.v2`, except for the Estimator there, which takes the same configs. Keras's own names
        start with "keras.".
    """
    name = _below_roots(path)
    if name is None:
        return _keras_name(path)
    if name.startswith("compat."):
        if name.startswith("compat.v2.compat.v1"):
            name = name[len("compat.v2.") :]
        while _below(name, "compat.v1") is not None:
            name = name[len("compat.v1.") :]
        if name.startswith("compat.v2.estimator."):
            name = name[len("compat.v2.") :]
        if _below(name, "compat.v2") is not None:
            return None
    if name.startswith(("python.", "core.")):
        name = _public(name)
    return _keras_name(name) or name


@lru_cache(maxsize=1 << 14)
def public_name(path: str) -> str | None:
    """Returns a path's name in TensorFlow's public API, of 1 or 2, such as "config.experimental.set_memory_growth".

    Unlike `tf1_name`, it doesn't take TensorFlow's own files for public modules: the module
    `tensorflow.python.framework.config` has names that `tf.config` never had.

    Args:
        path: A path from `Names.paths`. `tensorflow.python…` keeps its name: "python.framework.config.…".

    Returns:
        The name without "tensorflow."; "" for TensorFlow itself; None for a path outside TensorFlow.
    """
    name = _below_roots(path)
    while name and any(_below(name, version) is not None for version in ("compat.v1", "compat.v2")):
        name = name[len("compat.v1.") :]
    return name


def shim_module(path: str) -> str | None:
    """Returns the module of tf1mem.v1 for a module of TensorFlow or Keras; None if there is none."""
    name = tf1_name(path)
    if name is None or name.startswith("core."):
        return None
    if name.startswith("python.") and not internals.has_files(name):
        return None
    return f"{HOME}.{name}" if name else HOME


def may_be_public(path: str) -> bool:
    """Returns True unless a path is in TensorFlow's own files, of which none at or below it has public names."""
    name = _below_roots(path)
    if name is None or not name.startswith(("python", "core")):
        return True
    return any(module.startswith(name) or _below(name, module) is not None for module in _INTERNALS)


def _below(path: str, module: str) -> str | None:
    """Returns a path relative to a module; "" for the module itself, None for a path outside it."""
    if not path.startswith(module):
        return None
    inner = path[len(module) :]
    return inner[1:] if inner[:1] in ("", ".") else None


def _below_roots(path: str) -> str | None:
    root, _, inner = path.partition(".")
    return inner if root in _ROOTS else _below(path, HOME)


def _public(name: str) -> str:
    """Returns a name of TensorFlow's own files as the public module with it has it; others unchanged."""
    parts = name.split(".")
    for size in range(2, len(parts) + 1):
        public = _INTERNALS.get(".".join(parts[:size]))
        if public is not None:
            return ".".join([public, *parts[size:]]).strip(".")
    return name


def _keras_name(path: str) -> str | None:
    if not path.startswith(("keras", "tf_keras")):
        return None
    if path.startswith("tf_keras"):
        path = path[len("tf_") :]
    if _below(path, "keras") is None:
        return None
    for module in _KERAS_BACKENDS:
        inner = _below(path, module)
        if inner is not None:
            path = f"keras.backend.{inner}".rstrip(".")
    inner = _below(path, "keras.backend.tf")
    return path if inner is None else tf1_name(f"tensorflow.{inner}".rstrip("."))


def is_public_tensorflow(path: str) -> bool:
    """Returns True if a path is in TensorFlow's public API, in any spelling; not for tf1mem and TensorFlow's files."""
    root, _, name = path.partition(".")
    if root not in ("tensorflow", "tensorflow_core"):
        return False
    return not name.startswith(("python.", "core.", "compat.v2")) and name not in ("python", "core")


def is_compat_v1(path: str) -> bool:
    """Returns True if a path spells TensorFlow 1's API as TensorFlow 2 does: `tensorflow.compat.v1…`."""
    return _below(path, "tensorflow.compat.v1") is not None


def is_compat_v2(path: str) -> bool:
    """Returns True if a path spells TensorFlow 2's API as TensorFlow 1.13 and newer do: `tensorflow.compat.v2…`."""
    return _below(path, "tensorflow.compat.v2") is not None


def is_shim(path: str) -> bool:
    """Returns True if a path is in tf1mem.v1."""
    return _below(path, HOME) is not None
