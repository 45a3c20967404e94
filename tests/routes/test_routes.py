"""Each route has a name, actions and a docstring, and every action of a plan's step is found in its route."""

from __future__ import annotations

import tf1mem
from tf1mem.planning import steps
from tf1mem.routes import ROUTES

CONFIG = {
    "gpu_options": {"visible_device_list": "1,0", "allow_growth": True, "per_process_gpu_memory_fraction": 0.4},
    "device_count": {"CPU": 2, "TPU": 1},
    "graph_options": {"place_pruned_graph": True},
}


def test_routes_are_of_one_shape():
    for name, route in ROUTES.items():
        assert name in vars(steps).values()
        assert all(callable(action) for action in route.ACTIONS.values())
        assert route.__doc__


def test_every_action_of_a_plan_is_there():
    for version in ("1.13.2", "1.15.5", "2.4.4", "2.21.0"):
        for step in tf1mem.plan(CONFIG, tensorflow=version, gpus=2).steps:
            assert not step.action or step.action in ROUTES[step.route].ACTIONS
