"""The config that a Supervisor or a SessionManager makes a Session with goes through `tf1mem.apply`."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import Claims
from tf1mem.codemod.facts import consumers
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.rules import Example, Rule
from tf1mem.settings import takers

_HEAD = "import tensorflow as tf\n"
_BOTH = "import tf1mem\nimport tensorflow as tf\n"

rule = Rule(
    "TFM204",
    to=("shim", "apply", "native"),
    shown_for="apply",
    examples=(
        Example(_HEAD + "with supervisor.managed_session(master) as sess:\n    pass\n"),
        Example(_HEAD + "sess = own.prepare_session(config=config)\n"),
        Example(
            _HEAD + "sv = tf.train.Supervisor(logdir=None)\nwith sv.managed_session(master, config=config) as sess:\n"
            "    pass\n",
            _BOTH + "sv = tf.train.Supervisor(logdir=None)\n"
            "with sv.managed_session(master, config=tf1mem.apply(config)) as sess:\n    pass\n",
        ),
        Example(
            _HEAD + "def run(sv):\n    return sv.prepare_or_wait_for_session(config=tf.compat.v1.ConfigProto())\n",
            _BOTH + "def run(sv):\n"
            "    return sv.prepare_or_wait_for_session(config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
            to="apply",
        ),
        Example(
            _HEAD
            + "sm = tf.compat.v1.train.SessionManager()\nsess = sm.prepare_session('', init_op=op, config=config)\n",
            _BOTH + "sm = tf.compat.v1.train.SessionManager()\n"
            "sess = sm.prepare_session('', init_op=op, config=tf1mem.apply(config))\n",
        ),
    ),
)


@rule
def supervisor(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Each call of a method that makes a Session, in a file that imports TensorFlow."""
    if facts.imports.bindings:
        yield from consumers.rewrites(facts, claims, takers.SUPERVISOR, takers.SESSION_MANAGER)
