"""gym as it was from 0.9 to 0.21, over today's gymnasium: a program's own files get it for `import gym`.

gymnasium computes; this package has gym's way of calling: `reset()` returns the observation, `step` four values, and
`env.seed` seeds NumPy's generator of that time, so that a seed starts the same episode as it did. An old id makes the
environment with the limits that it had.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Sequence

from tf1mem.era import repair_notes
from tf1mem.era.repairs import Repair
from tf1mem.errors import MissingPackageError

__all__ = [
    "ActionWrapper",
    "Env",
    "GoalEnv",
    "ObservationWrapper",
    "RewardWrapper",
    "Space",
    "Wrapper",
    "error",
    "logger",
    "make",
    "register",
    "registry",
    "spaces",
    "spec",
]

try:
    import_module("gymnasium")
except ModuleNotFoundError as failure:
    if failure.name != "gymnasium":
        raise  # it is installed, and its own import fails
    raise MissingPackageError(
        "import gym",
        "no gym of 0.9 to 0.21 is installed, and gymnasium, which can take its place, isn't either",
        "Install it: pip install 'gymnasium>=1.0'",
    ) from None
repair_notes.note(Repair("", "gym", "gymnasium 1.0", "", "import gym", "replaced"))

from tf1mem.era.gym import error, logger, spaces, video_recorder  # noqa: E402
from tf1mem.era.gym.core import ActionWrapper, Env, GoalEnv, ObservationWrapper, RewardWrapper, Wrapper  # noqa: E402
from tf1mem.era.gym.envs import make, register, registry, spec  # noqa: E402
from tf1mem.era.gym.version import VERSION  # noqa: E402

Space = spaces.Space
__version__ = VERSION

# Files of gym that programs import, whose names are all in one module here.
_FILES = {
    "spaces": "box dict discrete multi_binary multi_discrete space tuple utils",
    "wrappers": "clip_action flatten_observation frame_stack monitor monitoring record_episode_statistics "
    "rescale_action time_limit transform_observation transform_reward",
    "envs": "box2d box2d.bipedal_walker box2d.car_racing box2d.lunar_lander classic_control classic_control.acrobot "
    "classic_control.cartpole classic_control.continuous_mountain_car classic_control.mountain_car "
    "classic_control.pendulum mujoco mujoco.mujoco_env toy_text toy_text.blackjack toy_text.cliffwalking "
    "toy_text.frozen_lake toy_text.taxi",
}


def _with_files(module: ModuleType, files: Sequence[str]) -> None:
    """Makes a module importable by the names of gym's files, and readable as their attribute: `gym.spaces.utils`.

    Args:
        module: The module with the names of all files.
        files: The paths of the files in the module: "classic_control.cartpole".
    """
    others = vars(module).get("__getattr__")
    names = {name for file in files for name in file.split(".")}

    def __getattr__(name: str) -> Any:  # noqa: N807
        # Not an attribute of its own: a file's name, such as `dict`, would hide the builtin.
        if name in names:
            return module
        if others is None:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return others(name)

    vars(module)["__getattr__"] = __getattr__
    for file in files:
        sys.modules.setdefault(f"{module.__name__}.{file}", module)


for _name, _files in _FILES.items():
    _with_files(import_module(f"{__name__}.{_name}"), _files.split())
sys.modules.setdefault(f"{__name__}.spaces.prng", spaces.prng)
sys.modules.setdefault(f"{__name__}.wrappers.monitoring.video_recorder", video_recorder)
