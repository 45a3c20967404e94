"""The routes by which a setting reaches TensorFlow: the only code, with `applying`, that changes anything.

A route's module holds `ACTIONS`: a function for each action that a plan's step may name. It takes the `tensorflow`
module and the step's arguments, and returns a function that undoes the change. `planning` decides which route a setting
takes. To add a route, add a module here, its name in `planning/steps.py`, and the `tf.` names that it calls in
`machine/call_versions.py`.
"""

from __future__ import annotations

from tf1mem.planning.steps import DEFAULT_CONFIG, EAGER, ENVIRONMENT, SESSION, TF_CONFIG
from tf1mem.routes import default_config, eager_config, exported_variables, session, tf_config

ROUTES = {
    TF_CONFIG: tf_config,
    EAGER: eager_config,
    ENVIRONMENT: exported_variables,
    SESSION: session,
    DEFAULT_CONFIG: default_config,
}
