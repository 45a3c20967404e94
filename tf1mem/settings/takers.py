"""A table of TensorFlow 1's classes and functions that take a ConfigProto, with the argument that takes it.

The codemod's rules, `tf1mem.v1` and the benchmarks' checks read it. The arguments are from the signatures of TensorFlow
1.15; the settings that each uses on TensorFlow 2 were measured with 2.4 and 2.21 on simulated GPUs.
"""

from __future__ import annotations

from typing import NamedTuple

# For classes that, on TensorFlow 2 and without a config, use the eager context's settings, those of tf.config.
# Source: BaseSession.__init__ in tensorflow/python/client/session.py.
UNDER_TF_CONFIG = "under tf.config"
# For classes that, on TensorFlow 2 and without a config, have settings of their own, and so need their ConfigProto.
ON_ITS_OWN = "on its own"


class Taker(NamedTuple):
    """Classes, functions or methods that take a config in the same way.

    Attributes:
        label: A description for messages.
        names: The names in TensorFlow 1, without "tensorflow.", public or as programs import them from TensorFlow's
            own files; names of methods if `of` isn't empty.
        keyword: The argument that is the config.
        position: The index of that argument, from 0, or None if it is passed by keyword only.
        of: The class of the methods; "" for classes and functions.
        config: The settings used on TensorFlow 2 without a config: `UNDER_TF_CONFIG` or `ON_ITS_OWN`; None for names
            that TensorFlow 2 lacks, and for those that create their Session in another way.
    """

    label: str
    names: tuple[str, ...]
    keyword: str = "config"
    position: int | None = None
    of: str = ""
    config: str | None = None

    @property
    def leaves(self) -> tuple[str, ...]:
        """The last part of each name: "Server" of "train.Server"."""
        return tuple(name.rpartition(".")[2] for name in self.names)


SESSION = Taker("the Session", ("Session",), position=2, config=UNDER_TF_CONFIG)
# Without a config on TensorFlow 2 it creates one, with growth on and nothing else set: the codemod keeps a config that
# sets more.
# Source: InteractiveSession.__init__ in tensorflow/python/client/session.py.
INTERACTIVE_SESSION = Taker("the Session", ("InteractiveSession",), position=2, config=UNDER_TF_CONFIG)
MONITORED_SESSION = Taker(
    "the monitored Session", ("train.MonitoredTrainingSession", "train.SingularMonitoredSession"),
    config=UNDER_TF_CONFIG,
)  # fmt: skip
SESSION_CREATOR = Taker(
    "the Session's creator", ("train.ChiefSessionCreator", "train.WorkerSessionCreator"), config=UNDER_TF_CONFIG
)
# No other class has methods of these names that take a config. A SessionManager's methods have common names.
SUPERVISOR = Taker(
    "the Supervisor", ("managed_session", "prepare_or_wait_for_session", "PrepareSession"), position=1,
    of="train.Supervisor", config=UNDER_TF_CONFIG,
)  # fmt: skip
SESSION_MANAGER = Taker(
    "the SessionManager", ("prepare_session", "recover_session", "wait_for_session"), of="train.SessionManager"
)
RUN_CONFIG = Taker(
    "the RunConfig", ("estimator.RunConfig", "estimator.tpu.RunConfig"), "session_config", config=ON_ITS_OWN
)
# session_config is a keyword that no other `replace` has.
RUN_CONFIG_REPLACE = Taker(
    "the RunConfig", ("replace",), "session_config", of="estimator.RunConfig", config=ON_ITS_OWN
)  # fmt: skip
CONTRIB_RUN_CONFIG = Taker(
    "the RunConfig",
    (
        "contrib.learn.RunConfig", "contrib.tpu.RunConfig",
        "contrib.learn.python.learn.estimators.run_config.RunConfig", "contrib.tpu.python.tpu.tpu_config.RunConfig",
    ),
    "session_config",
)  # fmt: skip
# TensorFlow 1's contrib has slim in two places, and tf_slim is slim for later versions.
SLIM = Taker(
    "slim's loop",
    tuple(
        home + name
        for home in ("contrib.slim.", "contrib.slim.python.slim.", "tf_slim.")
        for name in ("learning.train", "evaluation.evaluate_once", "evaluation.evaluation_loop")
    ),
    "session_config",
)
CONTRIB_TRAINING = Taker(
    "the loop", ("contrib.training.train", "contrib.training.evaluate_once", "contrib.training.evaluate_repeatedly")
)
SERVER = Taker("the Server", ("train.Server", "distribute.Server"), position=4, config=ON_ITS_OWN)
LOCAL_SERVER = Taker("the Server", ("train.Server.create_local_server",), position=0, config=ON_ITS_OWN)
EAGER = Taker("eager execution", ("enable_eager_execution",), position=0, config=UNDER_TF_CONFIG)
TEST_SESSION = Taker(
    "the test's Session", ("test_session", "session", "cached_session"), position=1, of="test.TestCase",
    config=ON_ITS_OWN,
)  # fmt: skip
DEVICE_LISTING = Taker(
    "the device listing", ("python.client.device_lib.list_local_devices",), "session_config", 0, config=ON_ITS_OWN
)

TAKERS = (
    SESSION, INTERACTIVE_SESSION, MONITORED_SESSION, SESSION_CREATOR, SUPERVISOR, SESSION_MANAGER, RUN_CONFIG,
    RUN_CONFIG_REPLACE, CONTRIB_RUN_CONFIG, SLIM, CONTRIB_TRAINING, SERVER, LOCAL_SERVER, EAGER, TEST_SESSION,
    DEVICE_LISTING,
)  # fmt: skip
