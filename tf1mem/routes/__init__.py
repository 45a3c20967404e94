"""The ways of telling TensorFlow: the only code, with `applying`, that changes anything.

A route's module holds `ACTIONS`: what the action of a plan's step does, given TensorFlow and the step's arguments; each
returns how to undo it. `planning` decides which route a setting takes. Adding a route means adding a module here, its
name in `planning/steps.py`, and the `tf.` names that it calls in `machine/calls.py`.
"""

from __future__ import annotations

from tf1mem.planning.steps import DEFAULT_CONFIG, EAGER, ENVIRONMENT, SESSION, TF_CONFIG
from tf1mem.routes import default_config, eager_config, environment, session, tf_config

ROUTES = {
    TF_CONFIG: tf_config,
    EAGER: eager_config,
    ENVIRONMENT: environment,
    SESSION: session,
    DEFAULT_CONFIG: default_config,
}
