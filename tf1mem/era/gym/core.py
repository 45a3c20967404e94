"""gym's base classes: environments and wrappers whose `step` returns four values.

Source: gym 0.9 to 0.21, gym/core.py.
"""

from __future__ import annotations

import inspect
from functools import lru_cache, wraps
from typing import Any

import numpy as np

from tf1mem.era.gym import spaces
from tf1mem.era.gym.utils import seeding

_OWN = __name__.rpartition(".")[0]  # the package of all Env classes that aren't the program's


class Env:
    """The base class of environments.

    Up to gym 0.9, subclasses defined `_step`, `_reset` and so on in place of `step` and `reset`; both work. `step`,
    `reset` and `render` raise NotImplementedError if the subclass defines neither; `close` and `seed` do nothing then.

    Attributes:
        metadata: A dict: "render.modes" lists the modes that `render` takes.
        reward_range: The smallest and the largest reward of a step.
        spec: The environment's entry in the registry; None if it wasn't made by an id.
        action_space: The space that actions are in.
        observation_space: The space that observations are in.
    """

    metadata: Any = {"render.modes": []}  # noqa: RUF012 - an environment's own takes its place, as in gym
    reward_range = (-float("inf"), float("inf"))
    spec: Any = None
    action_space: Any = None
    observation_space: Any = None

    def step(self, action: Any) -> Any:
        """Takes a step by an action of `action_space`.

        Returns:
            The observation, the reward as a float, True at the end of the episode, and a dict of further values.
        """
        return self._call("step", action)

    def reset(self, **arguments: Any) -> Any:
        """Starts an episode; returns the first observation."""
        return self._call("reset", **arguments)

    def render(self, mode: str = "human", **arguments: Any) -> Any:
        """Renders the environment.

        Args:
            mode: "human" shows it; "rgb_array" returns an array of uint8, of shape [height, width, 3]; "ansi" returns
                text. An environment may have others.
            **arguments: Further arguments of the environment's own method.
        """
        return self._call("render", mode, **arguments)

    def close(self) -> Any:
        """Frees the environment's resources, such as its window."""
        return self._call("close")

    def seed(self, seed: Any = None) -> Any:
        """Seeds the environment's random numbers; None for a random seed.

        Returns:
            A list of the seeds in use; None from an environment that doesn't define it.
        """
        return self._call("seed", seed)

    def _call(self, name: str, *args: Any, **arguments: Any) -> Any:
        """Calls the method with an underscore, such as `_step`, that gym 0.9 has in place of `name`.

        If a class of the program has both, the one with the underscore has another use, and doesn't count.

        Raises:
            NotImplementedError: There is no such method.
        """
        older = "_" + name
        for kind in type(self).__mro__:
            if older in vars(kind) and (name not in vars(kind) or kind.__module__.startswith(_OWN)):
                return vars(kind)[older].__get__(self, type(self))(*args, **arguments)
        raise NotImplementedError

    def _close(self) -> Any:
        return None

    def _seed(self, seed: Any = None) -> Any:
        return None

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
    """An environment whose observations are dicts of "observation", "achieved_goal" and "desired_goal"."""

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the reward for `achieved_goal` where `desired_goal` is the aim; `info` is that of `step`."""
        raise NotImplementedError


class Wrapper(Env):
    """An environment that calls another, and through which the other's attributes can be read.

    Args:
        env: The other environment. Attributes whose names start with an underscore aren't looked up in it.
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
        """The wrapper's own spec if it was set, else the environment's."""
        return self.__dict__.get("_spec") or self.env.spec

    @spec.setter
    def spec(self, spec: Any) -> None:
        self._spec = spec

    @classmethod
    def class_name(cls) -> str:
        """Returns the name of the wrapper's class."""
        return cls.__name__

    def _step(self, action: Any) -> Any:
        return self.env.step(action)

    def _reset(self, **arguments: Any) -> Any:
        return self.env.reset(**arguments)

    def _render(self, mode: str = "human", **arguments: Any) -> Any:
        return self.env.render(mode, **arguments)

    def _close(self) -> Any:
        return self.env.close()

    def _seed(self, seed: Any = None) -> Any:
        return self.env.seed(seed)

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the environment's reward for a goal: see `GoalEnv.compute_reward`."""
        return self.env.compute_reward(achieved_goal, desired_goal, info)

    @property
    def unwrapped(self) -> Any:
        """The environment without its wrappers."""
        return self.env.unwrapped

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.env}>"

    __repr__ = __str__


class ObservationWrapper(Wrapper):
    """A wrapper that replaces each observation by the result of its method `observation`."""

    def _reset(self, **arguments: Any) -> Any:
        return self.observation(self.env.reset(**arguments))

    def _step(self, action: Any) -> Any:
        observation, reward, done, info = self.env.step(action)
        return self.observation(observation), reward, done, info

    def observation(self, observation: Any) -> Any:
        """Returns the observation that replaces the environment's; a subclass defines it."""
        return self._call("observation", observation)


class RewardWrapper(Wrapper):
    """A wrapper that replaces each reward by the result of its method `reward`."""

    def _step(self, action: Any) -> Any:
        observation, reward, done, info = self.env.step(action)
        return observation, self.reward(reward), done, info

    def reward(self, reward: Any) -> Any:
        """Returns the reward that replaces the environment's; a subclass defines it."""
        return self._call("reward", reward)


class ActionWrapper(Wrapper):
    """A wrapper that replaces each action by the result of its method `action`."""

    def _step(self, action: Any) -> Any:
        return self.env.step(self.action(action))

    def action(self, action: Any) -> Any:
        """Returns the environment's action for the program's; a subclass defines it."""
        return self._call("action", action)

    def reverse_action(self, action: Any) -> Any:
        """Returns the program's action for the environment's: the inverse of `action`. A subclass defines it."""
        return self._call("reverse_action", action)


def _of_pendulum(state: Any) -> Any:
    return np.array([np.cos(state[0]), np.sin(state[0]), state[1]])


def _of_state(state: Any) -> Any:
    return np.array(state, dtype=np.float64)


# Class of gymnasium whose observations are float32 -> function from its state to gym's observation, a float64 array.
_OBSERVATIONS = {
    "CartPoleEnv": _of_state,
    "Continuous_MountainCarEnv": _of_state,
    "MountainCarEnv": _of_state,
    "PendulumEnv": _of_pendulum,
}
# Classes of gymnasium that computed in float64 in gym, even from float32 actions, as NumPy 1 promoted their elements.
_WIDE_ACTIONS = ("Continuous_MountainCarEnv", "PendulumEnv")
# Attribute of gym's environments -> the path of the attribute of gymnasium's that has its value.
_ATTRIBUTES = {
    "isd": "initial_state_distrib",
    "nA": "action_space.n",
    "nS": "observation_space.n",
    "steps_beyond_done": "steps_beyond_terminated",
    "viewer": "screen",
}


# Methods and attributes that differ between gym and gymnasium, or that each of the two objects has for itself: they
# aren't forwarded from one to the other.
_OUTER = frozenset(
    "step reset render close seed _step _reset _render _close _seed unwrapped np_random inner outer "
    "metadata reward_range spec action_space observation_space".split()
)


class GymnasiumEnv(Env):
    """An environment of gymnasium with gym's interface. The two share attributes, as if they were one object.

    Args:
        inner: gymnasium's environment, without wrappers.
    """

    def __init__(self, inner: Any) -> None:
        attributes: dict[str, Any] = {"inner": inner, "spec": None}
        attributes["action_space"] = spaces.as_gym_space(inner.action_space)
        attributes["observation_space"] = spaces.as_gym_space(inner.observation_space)
        if self._is_a(["CartPoleEnv"], inner):
            attributes["observation_space"] = spaces.without_infinity(attributes["observation_space"])
        modes = inner.metadata.get("render_modes", [])
        attributes["metadata"] = {**inner.metadata, "render.modes": modes}
        attributes["metadata"]["video.frames_per_second"] = inner.metadata.get("render_fps")
        attributes["reward_range"] = getattr(inner, "reward_range", Env.reward_range)
        for name in set(self.__dict__).intersection(vars(inner)):
            del self.__dict__[name]  # the program's class set it before; in gym, this constructor overwrote it
        self.__dict__.update(attributes)
        self.seed()
        if hasattr(inner, "P"):
            inner.reset()  # gym's tabular environments had a state before the first reset

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for name, value in list(vars(cls).items()):
            if not (name in _OUTER or _is_special(name) or hasattr(type(value), "__get__")):
                setattr(cls, name, _Shared(name, value))

    def _seed(self, seed: Any = None) -> Any:
        generator, used = seeding.np_random(seed)
        self.inner.np_random = generator
        return [used]

    def _reset(self, **arguments: Any) -> Any:
        if arguments.get("seed") is not None:
            self.seed(arguments.pop("seed"))
        arguments.pop("seed", None)
        observation, _ = self.inner.reset(**arguments)
        return self._observation_of(observation)

    def _step(self, action: Any) -> Any:
        if self._is_a(_WIDE_ACTIONS):
            action = np.asarray(action, np.float64)
        observation, reward, terminated, truncated, info = self.inner.step(action)
        return self._observation_of(observation), reward, bool(terminated or truncated), info

    def _is_a(self, names: Any, inner: Any = None) -> bool:
        return any(kind.__name__ in names for kind in type(self.inner if inner is None else inner).__mro__)

    def _observation_of(self, observation: Any) -> Any:
        """Returns gym's observation in place of gymnasium's, unless the program's own `_get_obs` has returned it."""
        if "_get_obs" in getattr(self.inner, "overridden", ()):
            return observation
        for kind in type(self.inner).__mro__:
            if kind.__name__ in _OBSERVATIONS:
                return _OBSERVATIONS[kind.__name__](self.inner.state)
        return observation

    def _render(self, mode: str = "human", close: bool = False, **arguments: Any) -> Any:
        """Returns the environment as `mode` says, or prints it: "human" prints the text where the environment has one.

        Args:
            mode: The mode: see `Env.render`.
            close: True closes the window and renders nothing, as in gym 0.9.
            **arguments: Ignored.

        Raises:
            NotImplementedError: The environment doesn't have this mode.
        """
        inner = self.inner
        if close:
            return inner.close()
        modes = inner.metadata.get("render_modes", [])
        if mode not in modes:
            raise NotImplementedError(f"{self} has no mode {mode!r} of rendering; it has {', '.join(modes)}")
        in_terminal = mode == "human" and "ansi" in modes
        drawn = "ansi" if in_terminal else mode
        if getattr(inner, "screen", None) is not None and self.__dict__.get("drawn") != drawn:
            inner.close()  # another mode draws on another screen, which gymnasium creates where there is none
            inner.screen, inner.isopen = None, True
        self.__dict__["drawn"] = inner.render_mode = drawn
        try:
            picture = inner.render()
        finally:
            inner.render_mode = None  # with a mode, gymnasium's `step` would render, too
        if not in_terminal:
            return picture
        print(picture)
        return None

    def _close(self) -> Any:
        return self.inner.close()

    def __getattr__(self, name: str) -> Any:
        if "inner" not in self.__dict__ or _is_special(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.inner
        for part in _ATTRIBUTES.get(name, name).split("."):
            value = getattr(value, part)
        return int(value) if isinstance(value, np.integer) and name in _ATTRIBUTES else value

    def __setattr__(self, name: str, value: Any) -> None:
        today = _ATTRIBUTES.get(name, name)
        if name in self.__dict__ or isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            if name == "action_space":
                self.inner.action_space = value  # gymnasium's `step` checks that its own has the action
        elif "inner" not in self.__dict__ or not hasattr(self.inner, today):
            object.__setattr__(self, name, value)
        else:
            setattr(self.inner, today, value)


class _Shared:
    """A descriptor for an attribute of a class of the program that derives from one of `gym_class`.

    An instance's own value comes first, then the value that gymnasium's object has, then that of the class.

    Args:
        name: The attribute's name.
        value: The value in the class.
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __get__(self, env: Any, kind: Any) -> Any:
        if env is None:
            return self.value
        if self.name in env.__dict__:
            return env.__dict__[self.name]
        return getattr(env.__dict__.get("inner"), self.name, self.value)

    def __set__(self, env: Any, value: Any) -> None:
        env.__dict__[self.name] = value


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


@lru_cache(maxsize=None)
def gym_class(kind: Any) -> Any:
    """Returns gym's class for a class of gymnasium; its constructor takes the same arguments.

    It also has the methods of gymnasium's class, so that a derived class can call and override them.
    """

    def __init__(self: Any, *args: Any, **arguments: Any) -> None:  # noqa: N807
        inner = _blank_inner(kind, type(self))
        if type(inner) is not kind:
            inner.outer = self
        self.__dict__["inner"] = inner
        inner.__init__(*args, **arguments)
        GymnasiumEnv.__init__(self, inner)

    def __reduce_ex__(self: Any, protocol: Any) -> Any:  # noqa: N807
        return (
            (_blank, (kind,), dict(self.__dict__))
            if type(self) is outer_class
            else object.__reduce_ex__(self, protocol)
        )

    methods = {name: _forwarded(kind, name) for name in dir(kind) if not (name in _OUTER or _is_special(name))}
    namespace = {name: method for name, method in methods.items() if method is not None}
    special = {"__init__": __init__, "__reduce_ex__": __reduce_ex__, "__doc__": kind.__doc__}
    outer_class = type(kind.__name__, (GymnasiumEnv,), {**namespace, **special, "__module__": f"{_OWN}.envs"})
    return outer_class


def _forwarded(kind: Any, name: str) -> Any:
    """Returns a method that calls gymnasium's function on the inner object; None for other attributes."""
    function = inspect.getattr_static(kind, name)
    if not inspect.isfunction(function):
        return None

    @wraps(function)
    def method(self: Any, *args: Any, **arguments: Any) -> Any:
        if name == "_get_obs" and kind.__name__ in _OBSERVATIONS:
            return _OBSERVATIONS[kind.__name__](self.inner.state)
        if name == "_dsdt":
            args = args[:1]  # Acrobot's derivatives: gym passed the time, too
        return function(self.inner, *args, **arguments)

    return method


def _overriding(name: str, overridden: Any) -> Any:
    """Returns the attribute that lets gymnasium's object use an attribute of the program's class.

    Args:
        name: The attribute's name.
        overridden: The attribute of the program's class, unbound; a plain value (`_Shared`) is returned itself.
    """
    if isinstance(overridden, _Shared):
        return overridden.value
    if isinstance(overridden, property):
        return property(lambda inner: getattr(inner.outer, name))

    def method(inner: Any, *args: Any, **arguments: Any) -> Any:
        function = getattr(inner.outer, name)
        if name == "_dsdt" and len(inspect.signature(function).parameters) > 1:
            args = (*args, 0.0)  # Acrobot's derivatives: gym passed the time, too
        return function(*args, **arguments)

    return method


@lru_cache(maxsize=None)
def _inner_class(kind: Any, outer: Any) -> Any:
    """Returns gymnasium's class with the overrides of `outer`, a class derived from gym's."""
    derived = outer.__mro__[: outer.__mro__.index(gym_class(kind))]
    names = {name for base in derived for name in vars(base) if not (name in _OUTER or _is_special(name))}
    overriding = {name: _overriding(name, inspect.getattr_static(outer, name)) for name in names if hasattr(kind, name)}
    if not overriding:
        return kind

    def __reduce_ex__(self: Any, protocol: Any) -> Any:  # noqa: N807
        return _blank_inner, (kind, outer), dict(self.__dict__)

    special = {"overridden": frozenset(overriding), "__reduce_ex__": __reduce_ex__, "__module__": kind.__module__}
    return type(kind.__name__, (kind,), {**overriding, **special})


def _blank_inner(kind: Any, outer: Any) -> Any:
    """Returns gymnasium's object, whose constructor hasn't run; the arguments are those of `_inner_class`."""
    inner_class = _inner_class(kind, outer)
    return inner_class.__new__(inner_class)


def _blank(kind: Any) -> Any:
    """Returns gym's object for a class of gymnasium; its constructor hasn't run."""
    outer_class = gym_class(kind)
    return outer_class.__new__(outer_class)


def from_gymnasium(env: Any) -> Any:
    """Returns a `GymnasiumEnv` for an environment of gymnasium; gymnasium's wrappers are left out."""
    new = _blank(type(env.unwrapped))
    GymnasiumEnv.__init__(new, env.unwrapped)
    return new
