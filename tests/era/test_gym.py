"""Programs for gym 0.9 to 0.21 run on gymnasium: rollouts are those recorded on gym 0.15.7, and its API works."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes.environment import LIMIT_S, clean

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="gymnasium 1.0 needs Python 3.10")

ROLLOUTS = Path(__file__).parent / "rollouts"
# Environments whose rollouts differ from gym 0.15.7's -> by how much at most, and why; None: altogether.
DIFFERING = {
    "Acrobot-v1": (1e-2, "gymnasium keeps the state in 32 bits"),
    "Blackjack-v0": (None, "gymnasium draws the suit of a card, too"),
    "MountainCarContinuous-v0": (1e-6, "gymnasium keeps the state in 32 bits"),
}

PROGRAM = """
import copy
import json
import os
import pickle
import sys

import gym
import numpy as np
from gym import spaces, wrappers
from gym.envs.classic_control import AcrobotEnv, CartPoleEnv, PendulumEnv
from gym.envs.classic_control.pendulum import PendulumEnv as Same
from gym.envs.registration import register
from gym.spaces.box import Box
from gym.utils import seeding

assert gym.logger.MIN_LEVEL == 30
gym.logger.set_level(40)
assert gym.logger.MIN_LEVEL == 40 and isinstance(np.bool_(True), np.bool8)
assert not {"gym"} & set(sys.modules), "the installed name stays free"


class Old(gym.Env):
    metadata = {"render.modes": ["human"]}

    def __init__(self, size):
        self.action_space = spaces.Discrete(2)
        self.observation_space = Box(low=[-1.0] * size, high=[1.0] * size, dtype=np.float32)
        self._seed()

    def _seed(self, seed=None):
        self.np_random, seed = seeding.np_random(seed)
        return [seed]

    def _reset(self):
        return np.zeros(3)

    def _step(self, action):
        return np.ones(3), 1.0, False, {}


register(id="Old-v0", entry_point="__main__:Old", kwargs={"size": 3}, timestep_limit=5)
env = gym.make("Old-v0")
assert env.seed(3) == [3] and env.spec.timestep_limit == 5 and isinstance(env, gym.Wrapper)
assert env.observation_space.contains(env.reset()) and env.reset() in env.observation_space
steps = [env.step(0) for _ in range(5)]
assert [done for _, _, done, _ in steps] == [False] * 4 + [True]
assert steps[-1][3]["TimeLimit.truncated"]


class Doubled(gym.RewardWrapper):
    def reward(self, reward):
        return 2 * reward


env = Doubled(wrappers.Monitor(gym.make("CartPole-v0"), "monitored", video_callable=False, force=True))
assert isinstance(env.unwrapped, gym.Env) and env.unwrapped.x_threshold == 2.4
env.seed(0)
env.reset()
done, total = False, 0
while not done:
    observation, reward, done, info = env.step(0)
    total += reward
env.unwrapped.state = np.zeros(4)
assert env.unwrapped.state.tolist() == [0, 0, 0, 0] and env.unwrapped.inner.state.tolist() == [0, 0, 0, 0]
env.close()
[stats] = [name for name in os.listdir("monitored") if name.endswith("stats.json")]
with open(os.path.join("monitored", stats)) as file:
    assert json.load(file)["episode_rewards"] == [total / 2]
lake = gym.make("FrozenLake-v0", is_slippery=False)
assert lake.env.nS == 16 and lake.unwrapped.nA == 4 and len(lake.unwrapped.P) == 16
lake.reset()
lake.render()
assert isinstance(CartPoleEnv().reset(), np.ndarray)
assert "Taxi-v2" in gym.envs.registry.env_specs
kinds = {type(lake.env.nS), type(lake.action_space.n), type(spaces.Discrete(3).n), type(lake.action_space.sample())}
assert kinds == {int}


class Measured(PendulumEnv):
    last_u = "none"

    def __init__(self):
        self.size, self.g = 2, 3.0
        super().__init__()
        self.action_space = spaces.Discrete(3)

    def _get_obs(self):
        return np.concatenate([super()._get_obs()[: self.size], [self.state[0], 7.0]])

    def _step(self, action):
        return PendulumEnv._step(self, [action - 1.0])


env = Measured()
env.seed(5)
assert Same is PendulumEnv and env.g == env.inner.g == 10.0 and env.last_u == "none" and env.reset()[-1] == 7.0
observation = [env.step(2) for _ in range(20)][-1][0]
assert observation.shape == (4,) and observation.dtype == np.float64 and observation[2] == env.state[0]
assert env.last_u == 1.0, "what gymnasium's object has set since"
assert env.inner.action_space is env.action_space
twin = copy.deepcopy(env)
assert twin.step(0)[0].tolist() == env.step(0)[0].tolist() and twin.inner.outer is twin
assert twin.reset().tolist() == env.reset().tolist(), "the generators are alike"


class Still(AcrobotEnv):
    book_or_nips = "nips"

    def _dsdt(self, state, t):
        return tuple(0.0 * x for x in super()._dsdt(state, t))


env = Still()
first = env.reset()
# The state is rounded to 32 bits at the first step: one start in 150 has a cosine of another last digit.
assert np.allclose(env.step(0)[0], first, rtol=0, atol=1e-6) and env.inner.book_or_nips == "nips"


class Calls(gym.Wrapper):
    def _step(self, action):
        return self.env.step(action)[:3] + ("step",)

    def _reset(self, **arguments):
        self.env.reset(**arguments)
        return "reset"

    def _render(self, mode="human", close=False):
        return "render " + mode

    def _seed(self, seed=None):
        return "seed"

    def _close(self):
        return "close"


class Newer(Calls):
    def step(self, action):
        return super().step(action)[3] + " twice"


class Helper(gym.Wrapper):
    def step(self, action):
        return self._step(action)

    def _step(self, action):
        return super().step(action)


def calls(env):
    return env.reset(), env.step(0)[3], env.render("x"), env.seed(1), env.close()


same = "reset", "step", "render x", "seed", "close"
newer = Newer(CartPoleEnv())
assert calls(Calls(CartPoleEnv())) == same and newer.reset() == "reset" and newer.step(0) == "step twice"
for base in (gym.ObservationWrapper, gym.RewardWrapper, gym.ActionWrapper, wrappers.TimeLimit):
    assert calls(type("Own", (Calls, base), {})(CartPoleEnv())) == same, base
env = Helper(gym.make("CartPole-v0"))
env.reset()
assert env.step(0)[1] == 1.0
env.metadata["mine"] = 1
env.spec = copy.deepcopy(env.env.spec)
assert env.spec.id == "CartPole-v0" and env.spec is not env.env.spec
env = pickle.loads(pickle.dumps(env.env))
assert type(env.unwrapped) is CartPoleEnv and pickle.loads(pickle.dumps(CartPoleEnv)) is CartPoleEnv
assert env.reset().tolist() == copy.deepcopy(env).env.state.tolist() and env.metadata["mine"] == 1
spaces.prng.seed(3)
drawn = [spaces.Discrete(1000).sample() for _ in range(2)]
spaces.prng.seed(3)
assert drawn == [np.random.RandomState(3).randint(1000), drawn[1]] and drawn[0] != drawn[1]
both = spaces.Tuple(
    [spaces.Discrete(3), spaces.Dict({"a": Box(0.0, 1.0, (2,), np.float64), "b": spaces.MultiDiscrete([4, 5])})]
)
flat = gym.spaces.utils.flatten(both, (1, {"a": [0.5, 0.25], "b": [3, 2]}))
assert flat.tolist() == [0, 1, 0, 0.5, 0.25, 3, 2] and gym.spaces.utils.flatdim(both) == 7
assert gym.spaces.utils.flatten(spaces.Discrete(3), 1).dtype == np.float32
one, rest = gym.spaces.utils.unflatten(both, flat)
assert one == 1 and rest["a"].dtype == np.float32 and rest["b"].tolist() == [3, 2] and list(rest) == ["a", "b"]
assert gym.spaces.flatten_space(both).high.tolist() == [1, 1, 1, 1, 1, 4, 5]
assert gym.envs.classic_control.CartPoleEnv is gym.envs.classic_control.cartpole.CartPoleEnv
assert gym.version.VERSION == gym.__version__ == "0.15.7"
try:
    from gym.envs.classic_control import rendering
except ImportError as error:
    print(error)
unclosed = wrappers.Monitor(gym.make("CartPole-v0"), "unclosed", video_callable=False)
unclosed.reset()
for id in ("NChain-v0", "NoSuch-v0", "CartPole-v7", "PongNoFrameskip-v4", "HalfCheetah-v2", "LunarLander-v2"):
    try:
        gym.make(id)
    except Exception as error:
        print(type(error).__name__, error)
"""


def run(program, folder, *options):
    command = [sys.executable, "-W", "ignore", "-m", "tf1mem", "run", *options, str(program)]
    return subprocess.run(
        command, cwd=str(folder), env=clean(), capture_output=True, encoding="utf-8", check=False, timeout=LIMIT_S
    )


def test_rollouts_are_those_of_gym_0_15(tmp_path):
    then = json.loads((ROLLOUTS / "gym_0_15.json").read_text())
    done = run(ROLLOUTS / "rollouts.py", tmp_path)
    assert done.returncode == 0, done.stderr
    now = json.loads(done.stdout)
    for name, recorded in then.items():
        rows, others = recorded.pop("rows"), now[name].pop("rows")
        assert now[name] == recorded
        within, _ = DIFFERING.get(name, (1e-9, ""))
        if within is None:
            assert rows != others, f"{name} is equal now: remove it from DIFFERING"
        else:
            assert others == [pytest.approx(row, abs=within) for row in rows], name
            assert name not in DIFFERING or others != [pytest.approx(row, abs=1e-9) for row in rows]


def test_its_way_of_calling(tmp_path):
    (tmp_path / "main.py").write_text(PROGRAM)
    done = run("main.py", tmp_path, "--report")
    assert done.returncode == 0, done.stderr
    assert "repaired: import gym at main.py:8, which gymnasium 1.0 replaced" in done.stderr
    assert "FFF\nFHFH\n" in done.stdout  # the lake, in the terminal
    assert "gymnasium has no such environment" in done.stdout
    assert "UnregisteredEnv No registered env with id: NoSuch-v0" in done.stdout
    assert "DeprecatedEnv Env CartPole-v7 not found" in done.stdout
    assert "Copy the file rendering.py from gym 0.15" in done.stdout
    assert list((tmp_path / "unclosed").glob("*.stats.json")), "a monitor that isn't closed writes at exit"


def test_a_recorder_of_videos_warns_and_records_nothing(tmp_path):
    program = """
import os
import warnings
import gym
import gym.wrappers.monitoring.video_recorder as same
from gym.wrappers.monitoring import video_recorder
from gym.wrappers.monitoring.video_recorder import VideoRecorder

assert same is video_recorder and VideoRecorder is video_recorder.VideoRecorder
env = gym.make("CartPole-v1")
with warnings.catch_warnings(record=True) as raised:
    warnings.simplefilter("always")
    VideoRecorder(env, enabled=False)
    assert not raised, raised
    recorder = VideoRecorder(env=env, base_path="video", metadata={"step": 1})
assert recorder.path == "video.mp4"
assert [str(each.message) for each in raised] == ["gym's VideoRecorder records no videos here: no file is written."]
try:
    VideoRecorder(env, "video.mp4", base_path="video")
except gym.error.Error as raised:
    assert "at most one of `path` or `base_path`" in str(raised)
else:
    raise AssertionError("path and base_path")
env.reset()
recorder.capture_frame()
recorder.close()
assert not recorder.functional and not recorder.enabled and os.listdir(".") == ["program.py"]
print("passed")
"""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "tf1mem", "run", "program.py"]
    ended = subprocess.run(command, cwd=str(tmp_path), env=clean(), capture_output=True, encoding="utf-8", check=False)
    assert ended.stdout == "passed\n", ended.stderr


def test_without_gymnasium_it_says_what_to_install(tmp_path):
    (tmp_path / "gymnasium.py").write_text("raise ModuleNotFoundError('no gymnasium here', name='gymnasium')\n")
    (tmp_path / "main.py").write_text("try:\n    import gym\nexcept ImportError as error:\n    print(error)\n")
    done = run("main.py", tmp_path)
    assert "pip install 'gymnasium>=1.0'" in done.stdout, done.stderr
