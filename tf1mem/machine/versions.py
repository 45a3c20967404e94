"""The TensorFlow versions that tf1mem is tested on, and the span that it supports.

To add a TensorFlow, add a row to `TESTED`: the test matrix (noxfile.py) and every text that names the span follow. This
file is data only: reading it needs nothing else of tf1mem, and no TensorFlow.
"""

from __future__ import annotations

from typing import NamedTuple


class Tested(NamedTuple):
    """A TensorFlow that the tests run on.

    Attributes:
        version: TensorFlow's version, or "candidate" for the newest release candidate.
        python: The Python version to run it on.
        packages: The arguments of `pip install`: TensorFlow's distribution, and packages that it needs besides.
        gpu_build: True for a build for GPUs, which conformance and the simulated GPUs need.
        candidate_of: For a candidate, the first two numbers of its release.
    """

    version: str
    python: str
    packages: tuple[str, ...]
    gpu_build: bool = True
    candidate_of: tuple[int, int] | None = None

    @property
    def release(self) -> tuple[int, int]:
        """The first two numbers of the release."""
        major, minor = self.candidate_of or map(int, self.version.split(".")[:2])
        return major, minor


# Up to 2.4 TensorFlow came before protobuf 3.21's generated code, 2.5 to 2.10 before NumPy 2.
_OLD_PROTOBUF = "protobuf<3.21"
# The last release, which TensorFlow 2.16 and up no longer install; 2.16 and the candidate are tested without it.
_ESTIMATOR = "tensorflow_estimator==2.15.0"

# A build for GPUs is tensorflow-gpu up to 2.0, and tensorflow from 2.1 on.
TESTED = (
    Tested("1.13.2", "3.7", ("tensorflow==1.13.2", _OLD_PROTOBUF), gpu_build=False),
    Tested("1.14.0", "3.7", ("tensorflow==1.14.0", _OLD_PROTOBUF), gpu_build=False),
    Tested("1.15.5", "3.7", ("tensorflow-gpu==1.15.5", _OLD_PROTOBUF)),
    Tested("2.0.4", "3.7", ("tensorflow-gpu==2.0.4", _OLD_PROTOBUF)),
    Tested("2.4.4", "3.8", ("tensorflow==2.4.4", _OLD_PROTOBUF)),
    Tested("2.10.1", "3.10", ("tensorflow==2.10.1", "numpy<2")),
    Tested("2.15.1", "3.11", ("tensorflow==2.15.1",)),
    Tested("2.16.2", "3.12", ("tensorflow-cpu==2.16.2", "tf_keras==2.16.*"), gpu_build=False),
    Tested("2.18.1", "3.12", ("tensorflow==2.18.1", "tf_keras==2.18.*", _ESTIMATOR)),
    Tested("2.21.0", "3.13", ("tensorflow==2.21.0", "tf_keras==2.21.*", _ESTIMATOR)),
    Tested("candidate", "3.13", ("--prerelease=allow", "tensorflow>2.21.99rc0"), candidate_of=(2, 22)),
)

# The supported span: the first two numbers of the oldest and the newest TensorFlow.
OLDEST, NEWEST = TESTED[0].release, TESTED[-1].release

# The span as text: "1.13 to 2.22".
SPAN = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
