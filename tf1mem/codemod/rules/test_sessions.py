"""The config of a test case's Session goes through `tf1mem.apply`."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.rules import Example, Rule
from tf1mem.settings import takers

_TEST = "class T(tf.test.TestCase):\n    def test(self):\n        with self.{}(config={}):\n            pass\n"
_HEAD = "import tensorflow as tf\n"
_BOTH = "import tf1mem\nimport tensorflow as tf\n"

rule = Rule(
    "TFM209",
    to=("shim", "apply", "native"),
    shown_for="apply",
    examples=(
        Example(_HEAD + "class Own(object):\n    def run(self):\n        return self.session(config=config)\n"),
        Example(_HEAD + _TEST.format("test_session", "None")),
        Example(_HEAD + _TEST.format("session", "config").replace("tf.test", "own")),
        *(
            Example(
                _HEAD + _TEST.format(name, "tf.compat.v1.ConfigProto()"),
                _BOTH + _TEST.format(name, "tf1mem.apply(tf.compat.v1.ConfigProto())"),
            )
            for name in ("test_session", "session", "cached_session")
        ),
        Example(
            _HEAD + _TEST.format("cached_session", "config").replace("tf.test", "own"),
            _BOTH + _TEST.format("cached_session", "tf1mem.apply(config)").replace("tf.test", "own"),
        ),
        Example(
            "from tensorflow.python.platform import test\n"
            + _TEST.format("test_session", "config").replace("tf.test", "test"),
            "import tf1mem\nfrom tensorflow.python.platform import test\n"
            + _TEST.format("test_session", "tf1mem.apply(config)").replace("tf.test", "test"),
        ),
    ),
)


@rule
def test_sessions(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each Session that a test case of TensorFlow's makes by a method of its own."""
    yield from consumers.rewrites(facts, claims, takers.TEST_SESSION)
