"""gym's wrappers: those that programs use, for environments with gym's `step` of four results."""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
import warnings
from collections import deque
from typing import Any

import numpy as np

from tf1mem.era.gym import error, spaces, video_recorder
from tf1mem.era.gym.core import ActionWrapper, ObservationWrapper, RewardWrapper, Wrapper
from tf1mem.era.gym.files import is_file
from tf1mem.era.gym.version import VERSION

__all__ = [
    "ClipAction",
    "FlattenObservation",
    "FrameStack",
    "LazyFrames",
    "Monitor",
    "RecordEpisodeStatistics",
    "RescaleAction",
    "TimeLimit",
    "TransformObservation",
    "TransformReward",
    "video_recorder",
]


class TimeLimit(Wrapper):
    """A wrapper that ends an episode after a number of steps.

    Args:
        env: The environment.
        max_episode_steps: The number of steps; None for that in the environment's spec.
    """

    def __init__(self, env: Any, max_episode_steps: Any = None) -> None:
        super().__init__(env)
        if env.spec is not None:
            if max_episode_steps is None:
                max_episode_steps = env.spec.max_episode_steps
            env.spec.max_episode_steps = max_episode_steps
        self._max_episode_steps = max_episode_steps
        self._elapsed_steps: Any = None

    def _step(self, action: Any) -> Any:
        assert self._elapsed_steps is not None, "Cannot call env.step() before calling reset()"
        observation, reward, done, info = self.env.step(action)
        self._elapsed_steps += 1
        if self._elapsed_steps >= self._max_episode_steps:
            info["TimeLimit.truncated"] = not done
            done = True
        return observation, reward, done, info

    def _reset(self, **arguments: Any) -> Any:
        self._elapsed_steps = 0
        return self.env.reset(**arguments)


class Monitor(Wrapper):
    """A wrapper that writes the lengths and rewards of episodes to a folder. It records no videos.

    Args:
        env: The environment.
        directory: The folder.
        video_callable: False for no videos; with anything else it warns.
        force: True to delete an earlier monitor's files.
        resume: True to keep an earlier monitor's files.
        write_upon_reset: True to write the files at each reset, and not only at the end.
        uid: A part of the files' names; the process's number by default.
        mode: "training" (default) or "evaluation", which the files note for each episode.

    Raises:
        gym.error.Error: `mode` is unknown, or the folder has an earlier monitor's files, without `force` or `resume`.
    """

    _count = 0

    def __init__(  # noqa: PLR0917
        self,
        env: Any,
        directory: str,
        video_callable: Any = None,
        force: bool = False,
        resume: bool = False,
        write_upon_reset: bool = False,
        uid: Any = None,
        mode: Any = None,
    ) -> None:
        super().__init__(env)
        if mode not in (None, "training", "evaluation"):
            raise error.Error(f'Invalid mode {mode}: must be "training" or "evaluation"')
        os.makedirs(directory, exist_ok=True)
        earlier = sorted(name for name in os.listdir(directory) if name.startswith("openaigym."))
        if earlier and not (force or resume):
            raise error.Error(
                f"Trying to write to monitor directory {directory} with existing monitor files: {', '.join(earlier)}. "
                "Use another directory, or force=True"
            )
        for name in earlier if force else ():
            os.remove(os.path.join(directory, name))
        if video_callable is not False:
            warnings.warn("gym.wrappers.Monitor records no videos here; it writes the statistics alone.", stacklevel=2)
        self.directory, self.videos, self.enabled = os.path.abspath(directory), [], True  # type: ignore[var-annotated]
        self._writes_upon_reset, self._type = write_upon_reset, "e" if mode == "evaluation" else "t"
        self._infix = f"{Monitor._count}.{uid or os.getpid()}"
        Monitor._count += 1
        self._start: Any = None
        self._steps, self._reward = 0, 0.0
        self._lengths: list[int] = []
        self._rewards: list[float] = []
        self._types: list[str] = []
        self._times: list[float] = []
        atexit.register(self.close)

    def _step(self, action: Any) -> Any:
        observation, reward, done, info = self.env.step(action)
        self._steps += 1
        self._reward += float(reward)
        if done and self.enabled:
            self._lengths.append(self._steps)
            self._rewards.append(self._reward)
            self._times.append(time.time())
        return observation, reward, done, info

    def _reset(self, **arguments: Any) -> Any:
        if self._start is None:
            self._start = time.time()
        observation = self.env.reset(**arguments)
        self._steps, self._reward = 0, 0.0
        if self.enabled:
            self._types.append(self._type)
            if self._writes_upon_reset:
                self._write()
        return observation

    def _close(self) -> Any:
        if self.enabled:
            self.enabled = False
            atexit.unregister(self.close)
            self._write()
        return super()._close()

    def _write(self) -> None:
        stats = f"openaigym.episode_batch.{self._infix}.stats.json"
        manifest = f"openaigym.manifest.{self._infix}.manifest.json"
        content: dict[str, Any] = {
            "initial_reset_timestamp": self._start,
            "timestamps": self._times,
            "episode_lengths": self._lengths,
            "episode_rewards": self._rewards,
            "episode_types": self._types,
        }
        info = {"gym_version": VERSION, "env_id": self.spec.id if self.spec else "(unknown)"}
        for name, value in ((stats, content), (manifest, {"stats": stats, "videos": [], "env_info": info})):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                json.dump(value, file)

    def get_episode_lengths(self) -> list[int]:
        """Returns the number of steps of each episode."""
        return self._lengths

    def get_episode_rewards(self) -> list[float]:
        """Returns the sum of rewards of each episode."""
        return self._rewards

    def get_total_steps(self) -> int:
        """Returns the number of steps of all episodes."""
        return sum(self._lengths) + self._steps * (len(self._types) > len(self._lengths))


class ClipAction(ActionWrapper):
    """A wrapper that clips actions to the limits of their space."""

    def action(self, action: Any) -> Any:
        """Returns the clipped action."""
        return np.clip(action, self.action_space.low, self.action_space.high)


class RescaleAction(ActionWrapper):
    """A wrapper whose actions lie between `a` and `b`, in place of the limits of the environment's action space.

    Args:
        env: The environment, whose action space is a Box.
        a: The lower limit: a number, or an array of the space's shape.
        b: The upper limit, in the same form.
    """

    def __init__(self, env: Any, a: Any, b: Any) -> None:
        super().__init__(env)
        space = env.action_space
        self.a, self.b = (np.zeros(space.shape, space.dtype) + end for end in (a, b))
        self.action_space = spaces.Box(self.a, self.b, dtype=space.dtype)

    def action(self, action: Any) -> Any:
        """Returns the action of the environment."""
        assert np.all((action >= self.a) & (action <= self.b)), (action, self.a, self.b)
        low, high = self.env.action_space.low, self.env.action_space.high
        return np.clip(low + (high - low) * ((action - self.a) / (self.b - self.a)), low, high)


class FlattenObservation(ObservationWrapper):
    """A wrapper whose observations are vectors, as `spaces.flatten` returns them."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        size = spaces.flatdim(env.observation_space)
        self.observation_space = spaces.Box(-float("inf"), float("inf"), (size,), np.float32)

    def observation(self, observation: Any) -> Any:
        """Returns the observation as a vector."""
        return spaces.flatten(self.env.observation_space, observation)


class TransformObservation(ObservationWrapper):
    """A wrapper that changes observations by a function."""

    def __init__(self, env: Any, f: Any) -> None:
        super().__init__(env)
        self.f = f

    def observation(self, observation: Any) -> Any:
        """Returns `f(observation)`."""
        return self.f(observation)


class TransformReward(RewardWrapper):
    """A wrapper that changes rewards by a function."""

    def __init__(self, env: Any, f: Any) -> None:
        super().__init__(env)
        self.f = f

    def reward(self, reward: Any) -> Any:
        """Returns `f(reward)`."""
        return self.f(reward)


class RecordEpisodeStatistics(Wrapper):
    """A wrapper that adds `info["episode"]` to an episode's last step.

    That is a dict: "r" is the episode's sum of rewards, "l" its number of steps, and "t" the time in seconds since this
    wrapper was made.

    Args:
        env: The environment.
        deque_size: Number of last episodes that `return_queue` and `length_queue` hold.
    """

    def __init__(self, env: Any, deque_size: int = 100) -> None:
        super().__init__(env)
        self.t0 = time.time()
        self.episode_return, self.episode_length = 0.0, 0
        self.return_queue: Any = deque(maxlen=deque_size)
        self.length_queue: Any = deque(maxlen=deque_size)

    def _reset(self, **arguments: Any) -> Any:
        self.episode_return, self.episode_length = 0.0, 0
        return super()._reset(**arguments)

    def _step(self, action: Any) -> Any:
        observation, reward, done, info = super()._step(action)
        self.episode_return += reward
        self.episode_length += 1
        if done:
            seconds = round(time.time() - self.t0, 6)
            info["episode"] = {"r": self.episode_return, "l": self.episode_length, "t": seconds}
            self.return_queue.append(self.episode_return)
            self.length_queue.append(self.episode_length)
            self.episode_return, self.episode_length = 0.0, 0
        return observation, reward, done, info


class LazyFrames:
    """Several observations of equal shape, which are stacked along a new first axis each time they are used.

    Args:
        frames: The observations.
        lz4_compress: Ignored; nothing is compressed.
    """

    def __init__(self, frames: Any, lz4_compress: bool = False) -> None:
        self._frames = frames

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        frames = np.stack(self._frames, axis=0)
        return frames if dtype is None else frames.astype(dtype)

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, i: Any) -> Any:
        return self.__array__()[i]


class FrameStack(ObservationWrapper):
    """A wrapper whose observations are the last `num_stack` ones, as `LazyFrames`.

    After a reset the first observation is repeated.

    Args:
        env: The environment, whose observation space is a Box.
        num_stack: Number of observations.
        lz4_compress: Ignored; nothing is compressed.
    """

    def __init__(self, env: Any, num_stack: int, lz4_compress: bool = False) -> None:
        super().__init__(env)
        self.num_stack = num_stack
        self.frames: Any = deque(maxlen=num_stack)
        space = env.observation_space
        low, high = (np.repeat(limit[np.newaxis], num_stack, axis=0) for limit in (space.low, space.high))
        self.observation_space = spaces.Box(low, high, dtype=space.dtype)

    def _reset(self, **arguments: Any) -> Any:
        observation = self.env.reset(**arguments)
        self.frames.extend([observation] * (self.num_stack - 1))
        return self.observation(observation)

    def observation(self, observation: Any) -> Any:
        """Returns the last observations, of which this is the newest."""
        self.frames.append(observation)
        return LazyFrames(list(self.frames))


def __getattr__(name: str) -> Any:
    # A file of gym's package, such as gym.wrappers.time_limit, is this module.
    if is_file("wrappers", name):
        return sys.modules[__name__]
    raise AttributeError(f"gym.wrappers.{name} isn't supplied by tf1mem; copy its file from gym 0.15 into the program")
