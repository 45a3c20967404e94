"""gym's base classes: environments and wrappers whose `step` returns four values."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from tf1mem.era.gym import spaces
from tf1mem.era.gym.utils import seeding


class Env:
    """An environment. Up to gym 0.9 one defined `_step` and `_reset` in place of `step` and `reset`; both work."""

    metadata: Any = MappingProxyType({"render.modes": []})
    reward_range = (-float("inf"), float("inf"))
    spec: Any = None
    action_space: Any = None
    observation_space: Any = None

    def step(self, action: Any) -> Any:
        """Takes a step; returns the observation, the reward, True at the end of the episode, and a dict."""
        return self._older("_step", action)

    def reset(self) -> Any:
        """Starts an episode; returns the first observation."""
        return self._older("_reset")

    def render(self, mode: str = "human") -> Any:
        """Shows the environment, or returns an array or a text, by `mode`."""
        return self._older("_render", mode)

    def close(self) -> None:
        """Frees what the environment holds."""

    def seed(self, seed: Any = None) -> Any:
        """Seeds the environment; returns a list of its seeds."""
        return self._older("_seed", seed) if hasattr(self, "_seed") else None

    def _older(self, name: str, *args: Any) -> Any:
        if not hasattr(type(self), name):
            raise NotImplementedError
        return getattr(self, name)(*args)

    @property
    def unwrapped(self) -> Any:
        """The environment without its wrappers."""
        return self

    def __str__(self) -> str:
        name = type(self).__name__
        return f"<{name} instance>" if self.spec is None else f"<{name}<{self.spec.id}>>"

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        self.close()


class GoalEnv(Env):
    """An environment whose observations are dicts with a goal."""

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the reward of an achieved goal."""
        raise NotImplementedError


class Wrapper(Env):
    """An environment around another, which has its attributes.

    Args:
        env: The other environment.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.action_space, self.observation_space = env.action_space, env.observation_space
        self.reward_range, self.metadata = env.reward_range, env.metadata

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "env":
            raise AttributeError(f"attempted to get missing private attribute {name!r}")
        return getattr(self.env, name)

    @property
    def spec(self) -> Any:
        """The spec of the environment."""
        return self.env.spec

    @classmethod
    def class_name(cls) -> str:
        """Returns the wrapper's name."""
        return cls.__name__

    def step(self, action: Any) -> Any:
        """Takes a step."""
        return self._step(action) if hasattr(type(self), "_step") else self.env.step(action)

    def reset(self, **arguments: Any) -> Any:
        """Starts an episode."""
        return self._reset(**arguments) if hasattr(type(self), "_reset") else self.env.reset(**arguments)

    def render(self, mode: str = "human", **arguments: Any) -> Any:
        """Renders the environment."""
        return self.env.render(mode, **arguments)

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()

    def seed(self, seed: Any = None) -> Any:
        """Seeds the environment."""
        return self.env.seed(seed)

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the environment's reward of a goal."""
        return self.env.compute_reward(achieved_goal, desired_goal, info)

    @property
    def unwrapped(self) -> Any:
        """The environment without its wrappers."""
        return self.env.unwrapped

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.env}>"

    __repr__ = __str__


class ObservationWrapper(Wrapper):
    """A wrapper that changes observations by `observation`."""

    def reset(self, **arguments: Any) -> Any:
        """Starts an episode."""
        return self.observation(self.env.reset(**arguments))

    def step(self, action: Any) -> Any:
        """Takes a step."""
        observation, reward, done, info = self.env.step(action)
        return self.observation(observation), reward, done, info

    def observation(self, observation: Any) -> Any:
        """Returns the observation in place of one."""
        return self._older("_observation", observation)


class RewardWrapper(Wrapper):
    """A wrapper that changes rewards by `reward`."""

    def step(self, action: Any) -> Any:
        """Takes a step."""
        observation, reward, done, info = self.env.step(action)
        return observation, self.reward(reward), done, info

    def reward(self, reward: Any) -> Any:
        """Returns the reward in place of one."""
        return self._older("_reward", reward)


class ActionWrapper(Wrapper):
    """A wrapper that changes actions by `action`."""

    def step(self, action: Any) -> Any:
        """Takes a step."""
        return self.env.step(self.action(action))

    def action(self, action: Any) -> Any:
        """Returns the action in place of one."""
        return self._older("_action", action)

    def reverse_action(self, action: Any) -> Any:
        """Returns the action that `action` makes another of."""
        raise NotImplementedError


def _of_pendulum(state: Any) -> Any:
    return np.array([np.cos(state[0]), np.sin(state[0]), state[1]])


def _of_state(state: Any) -> Any:
    return np.array(state, dtype=np.float64)


# Class of gymnasium -> function of its state that returns gym's observation, of 64 bits.
_OBSERVATIONS = {
    "CartPoleEnv": _of_state,
    "Continuous_MountainCarEnv": _of_state,
    "MountainCarEnv": _of_state,
    "PendulumEnv": _of_pendulum,
}
# Classes that computed with actions of 64 bits, which NumPy 1 made of those of 32.
_WIDE_ACTIONS = ("Continuous_MountainCarEnv", "PendulumEnv")
# Attribute of gym's environments -> how to read it from gymnasium's.
_ATTRIBUTES = {
    "isd": "initial_state_distrib",
    "nA": "action_space.n",
    "nS": "observation_space.n",
    "steps_beyond_done": "steps_beyond_terminated",
    "viewer": "screen",
}


class Today(Env):
    """An environment of gymnasium, called as one of gym.

    Args:
        inner: gymnasium's environment, without wrappers.
    """

    def __init__(self, inner: Any) -> None:
        own: dict[str, Any] = {"inner": inner, "spec": None, "action_space": spaces.of_then(inner.action_space)}
        own["observation_space"] = spaces.of_then(inner.observation_space)
        if self._is_a(["CartPoleEnv"], inner):
            own["observation_space"] = spaces.without_infinity(own["observation_space"])
        modes = inner.metadata.get("render_modes", [])
        own["metadata"] = {**inner.metadata, "render.modes": modes}
        own["metadata"]["video.frames_per_second"] = inner.metadata.get("render_fps")
        own["reward_range"] = getattr(inner, "reward_range", Env.reward_range)
        self.__dict__.update(own)
        self.seed()
        if hasattr(inner, "P"):
            inner.reset()  # gym's environments of tables had a state from the first

    def seed(self, seed: Any = None) -> Any:
        """Seeds the environment."""
        generator, used = seeding.np_random(seed)
        self.inner.np_random = generator
        return [used]

    def reset(self, **arguments: Any) -> Any:
        """Starts an episode."""
        if arguments.get("seed") is not None:
            self.seed(arguments.pop("seed"))
        arguments.pop("seed", None)
        observation, _ = self.inner.reset(**arguments)
        return self._observation_of(observation)

    def step(self, action: Any) -> Any:
        """Takes a step."""
        if self._is_a(_WIDE_ACTIONS):
            action = np.asarray(action, np.float64)
        observation, reward, terminated, truncated, info = self.inner.step(action)
        return self._observation_of(observation), reward, bool(terminated or truncated), info

    def _is_a(self, names: Any, inner: Any = None) -> bool:
        return any(kind.__name__ in names for kind in type(self.inner if inner is None else inner).__mro__)

    def _observation_of(self, observation: Any) -> Any:
        for kind in type(self.inner).__mro__:
            if kind.__name__ in _OBSERVATIONS:
                return _OBSERVATIONS[kind.__name__](self.inner.state)
        return observation

    def render(self, mode: str = "human", **arguments: Any) -> Any:
        """Renders the environment; a table in the terminal."""
        inner = self.inner
        modes = inner.metadata.get("render_modes", [])
        if mode not in modes:
            raise NotImplementedError(f"{self} has no mode {mode!r} of rendering; it has {', '.join(modes)}")
        in_terminal = mode == "human" and "ansi" in modes
        drawn = "ansi" if in_terminal else mode
        if getattr(inner, "screen", None) is not None and self.__dict__.get("drawn") != drawn:
            inner.close()
            inner.screen, inner.isopen = None, True
        self.__dict__["drawn"] = inner.render_mode = drawn
        try:
            picture = inner.render()
        finally:
            inner.render_mode = None  # it would render each step
        if not in_terminal:
            return picture
        print(picture)
        return None

    def close(self) -> None:
        """Closes the environment."""
        self.inner.close()

    def __getattr__(self, name: str) -> Any:
        if name == "inner":
            raise AttributeError(name)
        value = self.inner
        for part in _ATTRIBUTES.get(name, name).split("."):
            value = getattr(value, part)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        today = _ATTRIBUTES.get(name, name)
        if name in self.__dict__ or not hasattr(self.inner, today):
            object.__setattr__(self, name, value)
        else:
            setattr(self.inner, today, value)


@lru_cache(maxsize=None)
def class_of(kind: Any) -> Any:
    """Returns the class of gym for a class of gymnasium: its arguments are those of gymnasium's."""

    def __init__(self: Any, *args: Any, **arguments: Any) -> None:  # noqa: N807
        Today.__init__(self, kind(*args, **arguments))

    return type(kind.__name__, (Today,), {"__init__": __init__, "__doc__": kind.__doc__})


def of_today(env: Any) -> Any:
    """Returns an environment of gymnasium, without its wrappers, as one of gym."""
    kind = class_of(type(env.unwrapped))  # type: ignore[arg-type]
    new = kind.__new__(kind)
    Today.__init__(new, env.unwrapped)
    return new
