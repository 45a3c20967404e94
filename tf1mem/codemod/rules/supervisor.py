"""The config with which a Supervisor or a SessionManager makes a Session goes through `tf1mem.apply`."""

from __future__ import annotations

from tf1mem.codemod.rules import BOTH, HEAD, Example, Rule
from tf1mem.settings import takers

rule = Rule(
    "TFM204",
    takes=(takers.SUPERVISOR, takers.SESSION_MANAGER),
    only_importers=True,
    examples=(
        Example(HEAD + "with supervisor.managed_session(master) as sess:\n    pass\n"),
        # Not rewritten unless the object is known to be a SessionManager: other classes have such methods, too.
        Example(HEAD + "sess = own.prepare_session(config=config)\n"),
        Example(
            HEAD + "sv = tf.train.Supervisor(logdir=None)\nwith sv.managed_session(master, config=config) as sess:\n"
            "    pass\n",
            BOTH + "sv = tf.train.Supervisor(logdir=None)\n"
            "with sv.managed_session(master, config=tf1mem.apply(config)) as sess:\n    pass\n",
        ),
        # Rewritten for any object: only a Supervisor has a method of this name that takes a config.
        Example(
            HEAD + "def run(sv):\n    return sv.prepare_or_wait_for_session(config=tf.compat.v1.ConfigProto())\n",
            BOTH + "def run(sv):\n"
            "    return sv.prepare_or_wait_for_session(config=tf1mem.apply(tf.compat.v1.ConfigProto()))\n",
            to="apply",
        ),
        Example(
            HEAD
            + "sm = tf.compat.v1.train.SessionManager()\nsess = sm.prepare_session('', init_op=op, config=config)\n",
            BOTH + "sm = tf.compat.v1.train.SessionManager()\n"
            "sess = sm.prepare_session('', init_op=op, config=tf1mem.apply(config))\n",
        ),
    ),
)
