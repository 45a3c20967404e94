"""tf.estimator: RunConfig's session_config goes through `apply`, and estimators run on TensorFlow 2.16 and later.

TensorFlow 2.16 removed estimators. The last version of their package, tensorflow_estimator 2.15.0, still works with
newer TensorFlows if a few modules that TensorFlow removed at the same time are replaced.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from tf1mem.errors import MissingPackageError, RemovedSymbolError
from tf1mem.machine.legacy_keras import has_keras_3
from tf1mem.machine.modules import dotted_name
from tf1mem.routes import default_config
from tf1mem.v1._configs import anything_applied, config_in_force, overlay_class, session_config
from tf1mem.v1._keras import keras_2
from tf1mem.v1._namespace import ROOT, Layer, import_or_none, located, raise_if_removed


def layers(tf: Any, version: Any) -> dict[str, Layer]:
    """Returns a `_namespace.Layer` for each namespace of tf.estimator, by dotted name.

    Args:
        tf: TensorFlow's TF1 API.
        version: TensorFlow's version; None if it isn't known.
    """

    def base() -> Any:
        module = _installed() if has_keras_3(version) else tf.estimator
        _use_applied_settings_by_default()
        return module

    return {
        "estimator": Layer(
            {"RunConfig": lambda: run_config(base().RunConfig, ROOT + ".estimator")},
            base=base,
            missing=_missing,
            required=True,
        ),
        "estimator.tpu": Layer(
            {"RunConfig": lambda: run_config(base().tpu.RunConfig, ROOT + ".estimator.tpu")},
            base=lambda: base().tpu,
            required=True,
        ),
    }


def _missing(dotted: str, name: str) -> Any:
    raise_if_removed(f"{dotted}.{name}")
    raise AttributeError(f"module {dotted_name(ROOT, dotted)!r} has no attribute {name!r}")


def run_config(base: Any, module: str) -> Any:
    """Returns a subclass of RunConfig, whose session_config goes through `apply`.

    The config is applied when the RunConfig is made, so that errors are raised there, and again when an estimator
    reads it, because the program may have changed it in between.

    Args:
        base: TensorFlow's RunConfig class.
        module: The `__module__` of the subclass.
    """

    def applied(arguments: dict[str, Any]) -> dict[str, Any]:
        config = arguments.get("session_config")
        if config is None:
            return arguments
        result = session_config(config)
        return arguments if isinstance(config, type(result)) else dict(arguments, session_config=result)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        base.__init__(self, *args, **applied(kwargs))

    def replace(self: Any, **kwargs: Any) -> Any:
        return base.replace(self, **applied(kwargs))

    def read(self: Any) -> Any:
        config = base.session_config.fget(self)
        return None if config is None else session_config(config)

    replace.__doc__ = base.replace.__doc__
    body = {"__init__": __init__, "replace": replace, "session_config": property(read, doc=base.session_config.__doc__)}
    return overlay_class(base, module, body)


def _installed() -> Any:
    """Returns tensorflow_estimator's TF1 API, on a TensorFlow without estimators.

    Raises:
        MissingPackageError: tensorflow_estimator or tf_keras isn't installed.
    """
    for package, pip in (("tensorflow_estimator", "tensorflow_estimator==2.15.0"), ("tf_keras", "tf_keras")):
        if find_spec(package) is None:
            raise MissingPackageError(
                located("tf.estimator"),
                f"TensorFlow 2.16 and later have no estimators without {package}",
                "pip install " + pip,
            )
    keras_2("", "tf.estimator")
    loaded = sys.modules.get("tensorflow_estimator.python.estimator.api._v1.estimator")
    return loaded if loaded is not None else _import_with_stand_ins()


def _import_with_stand_ins() -> Any:
    """Imports the estimators with stand-ins for TensorFlow's modules that newer versions lack; returns the package."""
    stand_ins = {
        name: make(name)
        for name, make in (
            (_TRAINING, _training_on_one_machine),
            ("tensorflow.python.tpu.session_support", _RemovedModule),
            ("tensorflow.python.tpu.tpu_embedding", _RemovedModule),
            ("tensorflow.python.tpu.tpu_embedding_gradient", _RemovedModule),
        )
        if name not in sys.modules and find_spec(name) is None
    }
    sys.modules.update(stand_ins)
    if not hasattr(import_module("tensorflow.python.util.tf_export"), "ESTIMATOR_API_NAME"):
        name = "tensorflow_estimator.python.estimator.estimator_export"
        sys.modules[name] = _estimator_export(name)
    try:
        return import_module("tensorflow_estimator.python.estimator.api._v1.estimator")
    finally:
        for name in stand_ins:  # tensorflow_estimator keeps its references; other code must not import stand-ins
            sys.modules.pop(name, None)


class _RemovedModule(ModuleType):
    """Stand-in for a removed module while tensorflow_estimator is imported; its functions raise an error."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        path = f"{self.__name__}.{name}"

        def gone(*args: Any, **kwargs: Any) -> Any:
            raise RemovedSymbolError(
                path, "TensorFlow 2.16 removed it with its estimators", "Train on this machine's CPU or GPUs"
            )

        return gone


def _estimator_export(name: str) -> ModuleType:
    """Returns a module with a no-op `estimator_export`, a decorator that only TensorFlow's build needed."""
    module = ModuleType(name)

    def estimator_export(*names: str, **options: Any) -> Any:
        return lambda decorated: decorated

    module.estimator_export = estimator_export  # type: ignore[attr-defined]
    return module


# TensorFlow's module for estimators under a distribution strategy.
_TRAINING = "tensorflow.python.distribute.estimator_training"


def estimator_training() -> ModuleType:
    """Returns the module estimator_training: TensorFlow's own up to 2.15, later the stand-in that estimators use."""
    own = import_or_none(_TRAINING)
    return _training_on_one_machine(_TRAINING) if own is None else own


def _training_on_one_machine(name: str) -> ModuleType:
    """Returns a stand-in for 2.15's estimator_training; it trains on one machine, with or without a strategy."""
    module = _RemovedModule(name)

    def init_run_config(config: Any, tf_config: Any) -> None:
        if tf_config.get("cluster"):
            raise RemovedSymbolError(
                "RunConfig with a strategy and a cluster in TF_CONFIG",
                "TensorFlow 2.16 removed its coordinator with its estimators",
                "Train on one machine, or keep TensorFlow 2.15",
            )
        config._distribute_coordinator_mode = None
        config._init_distributed_setting_from_environment_var(tf_config)
        config._maybe_overwrite_session_config_for_distributed_training()

    def should_run_distribute_coordinator(config: Any) -> bool:
        return False

    module.init_run_config = init_run_config  # type: ignore[attr-defined]
    module.should_run_distribute_coordinator = should_run_distribute_coordinator  # type: ignore[attr-defined]
    return module


def _use_applied_settings_by_default() -> None:
    """Makes estimators without a session_config use the settings that were applied before."""
    default_config.for_estimators = lambda: config_in_force() if anything_applied() else None
    default_config.hook_estimators(import_module("tensorflow_estimator.python.estimator.run_config"))
