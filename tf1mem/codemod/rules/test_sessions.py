"""The config of a test case's Session goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.settings import takers

_TEST = "class T(tf.test.TestCase):\n    def test(self):\n        with self.{}(config={}):\n            pass\n"

rule = Rule(
    "TFM209",
    takes=(takers.TEST_SESSION,),
    examples=(
        Example(HEAD + "class Own(object):\n    def run(self):\n        return self.session(config=config)\n"),
        Example(HEAD + _TEST.format("test_session", "None")),
        Example(HEAD + _TEST.format("session", "config").replace("tf.test", "own")),
        *(
            Example(
                HEAD + _TEST.format(name, "tf.compat.v1.ConfigProto()"),
                BOTH + _TEST.format(name, "tf1mem.apply(tf.compat.v1.ConfigProto())"),
            )
            for name in ("test_session", "session", "cached_session")
        ),
        Example(
            HEAD + _TEST.format("cached_session", "config").replace("tf.test", "own"),
            BOTH + _TEST.format("cached_session", "tf1mem.apply(config)").replace("tf.test", "own"),
        ),
        Example(
            "from tensorflow.python.platform import test\n"
            + _TEST.format("test_session", "config").replace("tf.test", "test"),
            "import tf1mem\nfrom tensorflow.python.platform import test\n"
            + _TEST.format("test_session", "tf1mem.apply(config)").replace("tf.test", "test"),
        ),
    ),
)
