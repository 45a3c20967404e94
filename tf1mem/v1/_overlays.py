"""What tf1mem.v1 lays over TensorFlow, namespace by namespace."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Callable

from tf1mem.errors import RemovedModuleError
from tf1mem.v1 import _configs, _contrib, _eager, _estimators, _keras, _legacy_keras, _sessions, _testing, _training
from tf1mem.v1._namespace import ROOT, Layer
from tf1mem.v1._where import asked


def layers(tf: Any, package: Any, is_tf1: bool, version: Any) -> dict[str, Layer]:
    """Every namespace that tf1mem changes.

    Args:
        tf: TensorFlow's TF1 API.
        package: The module `tensorflow`.
        is_tf1: Whether it is TensorFlow 1.
        version: TensorFlow's.
    """

    def ours(dotted: str) -> Callable[[], Any]:
        def get() -> Any:
            module, _, name = dotted.rpartition(".")
            return getattr(import_module(".".join(filter(None, (ROOT, module)))), name)

        return get

    def once(make: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        return lambda: make(*args)

    train = {
        "ChiefSessionCreator": lambda: _training.chief_session_creator(tf.train),
        "MonitoredTrainingSession": lambda: _training.monitored_training_session(tf.train),
        "Server": lambda: _training.server(tf.train),
        "SessionManager": lambda: _training.session_manager(tf.train),
        "SingularMonitoredSession": lambda: _training.singular_monitored_session(tf.train),
        "Supervisor": lambda: _training.supervisor(tf.train),
        "WorkerSessionCreator": lambda: _training.worker_session_creator(tf.train),
    }
    found = {
        "": Layer(
            {
                "InteractiveSession": once(_sessions.interactive_session, tf),
                "Session": once(_sessions.session, tf),
                "enable_eager_execution": once(_eager.enable_eager_execution, tf, package),
            }
        ),
        "compat": Layer({"v1": lambda: import_module(ROOT)}),
        "test": Layer({"TestCase": lambda: _testing.test_case(tf.test)}),
        "train": Layer(train),
    }
    found.update(_inside(ours, package))
    found.update(_keras.layers(version))
    found.update(_of_estimator(tf, version))
    found.update(_of_contrib_1() if is_tf1 else dict(_contrib.layers(), examples=_examples()))
    return found


def _inside(ours: Callable[[str], Callable[[], Any]], package: Any) -> dict[str, Layer]:
    """The same classes where programs take them from TensorFlow's own files."""

    def device_lib() -> Any:
        base = import_module(package.__name__ + ".python.client.device_lib").list_local_devices

        @functools.wraps(base)
        def list_local_devices(session_config: Any = None) -> Any:
            return base(session_config=_configs.session_config(session_config))

        return list_local_devices

    def names(prefix: str, text: str) -> dict[str, Callable[[], Any]]:
        return {name: ours(prefix + name) for name in text.split()}

    def new_checkpoint_reader(dotted: str, name: str) -> Any:
        """TensorFlow 2.1 and later have it among the public names only."""
        if name == "NewCheckpointReader":
            return ours("train.NewCheckpointReader")()
        raise AttributeError(f"module 'tensorflow.{dotted}' has no attribute {name!r}")

    return {
        "python.client.device_lib": Layer({"list_local_devices": device_lib}),
        "python.client.session": Layer(names("", "Session InteractiveSession")),
        "python.framework.ops": Layer(names("", "enable_eager_execution")),
        "python.pywrap_tensorflow": Layer({}, missing=new_checkpoint_reader),
        "python.training.monitored_session": Layer(
            names(
                "train.",
                "ChiefSessionCreator MonitoredTrainingSession SingularMonitoredSession WorkerSessionCreator",
            )
        ),
        "python.training.server_lib": Layer(names("train.", "Server")),
        "python.training.session_manager": Layer(names("train.", "SessionManager")),
        "python.training.supervisor": Layer(names("train.", "Supervisor")),
    }


def _of_estimator(tf: Any, version: Any) -> dict[str, Layer]:
    def base() -> Any:
        module = _estimators.installed() if _legacy_keras.has_keras_3(version) else tf.estimator
        _estimators.keep_defaults_under_what_was_applied()
        return module

    return {
        "estimator": Layer(
            {"RunConfig": lambda: _estimators.run_config(base().RunConfig, ROOT + ".estimator")},
            base=base,
            required=True,
        ),
        "estimator.tpu": Layer(
            {"RunConfig": lambda: _estimators.run_config(base().tpu.RunConfig, ROOT + ".estimator.tpu")},
            base=lambda: base().tpu,
            required=True,
        ),
    }


def _examples() -> Layer:
    def base() -> Any:
        raise RemovedModuleError(
            asked("tf.examples"),
            "TensorFlow 2 has no tensorflow.examples, and so no input_data",
            "Use tf.keras.datasets.mnist, or bring input_data.py of TensorFlow 1.15 into the program",
        )

    return Layer({}, base=base, required=True)


def _of_contrib_1() -> dict[str, Layer]:
    """TensorFlow 1's own contrib, whose configs are applied too, for the report."""

    def contrib(dotted: str) -> Any:
        module = import_module("tensorflow.contrib")
        for name in dotted.split("."):
            module = getattr(module, name)
        return module

    def configured(dotted: str, parameter: str, *names: str) -> Layer:
        def factory(name: str) -> Callable[[], Any]:
            return lambda: _configs.with_config(getattr(contrib(dotted), name), parameter)

        return Layer({name: factory(name) for name in names}, base=lambda: contrib(dotted))

    def run_config(dotted: str) -> Layer:
        return Layer(
            {"RunConfig": lambda: _estimators.run_config(contrib(dotted).RunConfig, f"{ROOT}.contrib.{dotted}")},
            base=lambda: contrib(dotted),
        )

    return {
        "contrib": Layer({}, base=lambda: import_module("tensorflow.contrib")),
        "contrib.learn": run_config("learn"),
        "contrib.slim": Layer({}, base=lambda: contrib("slim")),
        "contrib.slim.evaluation": configured("slim.evaluation", "session_config", "evaluate_once", "evaluation_loop"),
        "contrib.slim.learning": configured("slim.learning", "session_config", "train"),
        "contrib.tpu": run_config("tpu"),
        "contrib.training": configured("training", "config", "evaluate_once", "evaluate_repeatedly", "train"),
    }
