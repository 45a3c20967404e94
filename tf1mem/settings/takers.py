"""What takes a ConfigProto in TensorFlow 1: a row for each thing, by its TF1 name, with the argument that it takes.

The codemod's rules, `tf1mem.v1` and the benchmarks' checks are fed from here. Looked up in the signatures of TensorFlow
1.15; under what each lives on TensorFlow 2 was seen with 2.4 and 2.21 on simulated GPUs.
"""

from __future__ import annotations

from typing import NamedTuple

# What lives on TensorFlow 2 under what tf.config was told, if it is given no config: it takes the eager context's.
# Source: BaseSession.__init__ in tensorflow/python/client/session.py.
UNDER_TF_CONFIG = "under tf.config"
# What has settings of its own there if it is given no config, and so needs its ConfigProto.
ON_ITS_OWN = "on its own"


class Taker(NamedTuple):
    """Things that take a config in the same way.

    Attributes:
        label: What they are called for people.
        names: Their names in TensorFlow 1, without "tensorflow.", by which they are public or by which programs reach
            into TensorFlow for them; the names of methods where `of` isn't empty.
        keyword: The argument that is the config.
        position: Where it stands among positional arguments, from 0; None where it is given by its name only.
        of: The class whose methods they are; "" for classes and functions.
        config: Under what they live on TensorFlow 2 without a config; None for what TensorFlow 2 hasn't got, or what
            makes its Session in a way of its own.
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
# It makes a config of its own on TensorFlow 2, in which GPUs grow and nothing else is set.
# Source: InteractiveSession.__init__ in tensorflow/python/client/session.py.
INTERACTIVE_SESSION = Taker("the Session", ("InteractiveSession",), position=2, config=UNDER_TF_CONFIG)
MONITORED_SESSION = Taker(
    "the monitored Session", ("train.MonitoredTrainingSession", "train.SingularMonitoredSession"),
    config=UNDER_TF_CONFIG,
)  # fmt: skip
SESSION_CREATOR = Taker(
    "the Session's creator", ("train.ChiefSessionCreator", "train.WorkerSessionCreator"), config=UNDER_TF_CONFIG
)
# No other class has methods of these names that take a config; a SessionManager's are common words.
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
# TensorFlow 1's contrib has slim at two places, and tf_slim is slim for later ones.
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
