"""From where a name was imported to what TensorFlow 1 calls it.

`tensorflow.compat.v1.Session`, `tensorflow.python.client.session.Session` and `tf1mem.v1.Session` are all TF1's
`Session`; `keras.backend.tensorflow_backend.set_session` is Keras's `keras.backend.set_session`.
"""

from __future__ import annotations

from tf1mem.machine import internals

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
    rest = _below_roots(path)
    if rest is None:
        return _keras_name(path)
    if rest.startswith("compat.v2.compat.v1"):
        rest = rest[len("compat.v2.") :]
    while _below(rest, "compat.v1") is not None:
        rest = rest[len("compat.v1.") :]
    if rest.startswith("compat.v2.estimator."):
        rest = rest[len("compat.v2.") :]
    if _below(rest, "compat.v2") is not None:
        return None
    for module, public in _INTERNALS.items():
        inner = _below(rest, module)
        if inner is not None:
            rest = f"{public}.{inner}".strip(".")
            break
    return _keras_name(rest) or rest


def public_name(path: str) -> str | None:
    """What TensorFlow's public API calls something, in whichever version: "config.experimental.set_memory_growth".

    In `tf1_name`'s terms TensorFlow's inside counts as public. Here it doesn't: the module behind
    `tensorflow.python.framework.config` has names that `tf.config` never had.

    Args:
        path: As `Names.paths` gives it. `tensorflow.python…` keeps that name: "python.framework.config.…".

    Returns:
        The name without "tensorflow."; "" for TensorFlow itself; None for what isn't TensorFlow's.
    """
    rest = _below_roots(path)
    while rest and any(_below(rest, version) is not None for version in ("compat.v1", "compat.v2")):
        rest = rest[len("compat.v1.") :]
    return rest


def shim_module(path: str) -> str | None:
    """The module of tf1mem.v1 that has what a module of TensorFlow or Keras has; None where there is none."""
    name = tf1_name(path)
    if name is None or name.startswith("core."):
        return None
    if name.startswith("python.") and not internals.has_files(name):
        return None
    return f"{HOME}.{name}" if name else HOME


def _below(path: str, module: str) -> str | None:
    """What a path is called within a module; "" for the module itself, None for what lies elsewhere."""
    if not path.startswith(module):
        return None
    rest = path[len(module) :]
    return rest[1:] if rest[:1] in ("", ".") else None


def _below_roots(path: str) -> str | None:
    return next((rest for rest in (_below(path, root) for root in _ROOTS) if rest is not None), None)


def _keras_name(path: str) -> str | None:
    if path.startswith("tf_keras"):
        path = path[len("tf_") :]
    if _below(path, "keras") is None:
        return None
    for module in _KERAS_BACKENDS:
        rest = _below(path, module)
        if rest is not None:
            path = f"keras.backend.{rest}".rstrip(".")
    rest = _below(path, "keras.backend.tf")
    return path if rest is None else tf1_name(f"tensorflow.{rest}".rstrip("."))


def is_public_tensorflow(path: str) -> bool:
    """Whether a path is TensorFlow's public API, by whichever spelling: not tf1mem's, not TensorFlow's inside."""
    root, _, rest = path.partition(".")
    if root not in ("tensorflow", "tensorflow_core"):
        return False
    return not rest.startswith(("python.", "core.", "compat.v2")) and rest not in ("python", "core")


def is_compat_v1(path: str) -> bool:
    """Whether a path spells TensorFlow 1's API as TensorFlow 2 does: `tensorflow.compat.v1…`."""
    return _below(path, "tensorflow.compat.v1") is not None


def is_compat_v2(path: str) -> bool:
    """Whether a path spells TensorFlow 2's API as TensorFlow 1.13 and up do: `tensorflow.compat.v2…`."""
    return _below(path, "tensorflow.compat.v2") is not None


def is_shim(path: str) -> bool:
    """Whether a path is tf1mem.v1's."""
    return _below(path, HOME) is not None
