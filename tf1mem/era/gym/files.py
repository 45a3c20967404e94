"""Files of gym that programs import, whose names are all in one module here."""

from __future__ import annotations

# Module -> the paths of the files in it.
FILES = {
    "spaces": ("box", "dict", "discrete", "multi_binary", "multi_discrete", "space", "tuple", "utils"),
    "wrappers": (
        *("clip_action", "flatten_observation", "frame_stack", "monitor", "monitoring", "record_episode_statistics"),
        *("rescale_action", "time_limit", "transform_observation", "transform_reward"),
    ),
    "envs": (
        *("box2d", "box2d.bipedal_walker", "box2d.car_racing", "box2d.lunar_lander"),
        *("classic_control", "classic_control.acrobot", "classic_control.cartpole"),
        *("classic_control.continuous_mountain_car", "classic_control.mountain_car", "classic_control.pendulum"),
        *("mujoco", "mujoco.mujoco_env"),
        *("toy_text", "toy_text.blackjack", "toy_text.cliffwalking", "toy_text.frozen_lake", "toy_text.taxi"),
    ),
}


def is_file(module: str, name: str) -> bool:
    """Returns True if a module stands for a file of gym, so that `gym.spaces.utils` is `gym.spaces`.

    Such a name is no attribute of its own in the module, where `dict` would hide the builtin.

    Args:
        module: The module, a key of `FILES`.
        name: The name of the file, or of its folder.
    """
    return any(name in path.split(".") for path in FILES[module])
