"""Prints rollouts of seeded environments as JSON. Its output on gym 0.15.7 and Python 3.7 is recorded, by:

uv venv --python 3.7 OLD && uv pip install --python OLD gym==0.15.7 "numpy<1.20"
OLD/bin/python rollouts.py > gym_0_15.json
"""

import json
import sys

import gym
import numpy as np

IDS = (
    "Acrobot-v1 Blackjack-v0 CartPole-v0 CartPole-v1 CliffWalking-v0 FrozenLake-v0 FrozenLake8x8-v0 MountainCar-v0 "
    "MountainCarContinuous-v0 Pendulum-v0 Taxi-v3"
).split()
STEPS = 210  # more than the 200 after which some environments end


def plain(value):
    return np.asarray(value, dtype=float).ravel().round(12).tolist()


def rollout(id):
    env = gym.make(id)
    seeds = env.seed(7)
    env.action_space.seed(3)
    env.observation_space.seed(4)
    rows = [plain(env.reset())]
    for step in range(STEPS):
        observation, reward, done, info = env.step(env.action_space.sample())
        row = [*plain(observation), float(reward), float(done), float(info.get("TimeLimit.truncated", -1))]
        if step < 20 or step % 10 == 0 or done:
            rows.append([step, *row])
        if done:
            rows.append(plain(env.reset()))
    spec = env.spec
    return {
        "seeds": [int(seed) for seed in seeds],
        "rows": rows,
        "spec": [spec.id, spec.max_episode_steps, spec.reward_threshold, spec.nondeterministic],
        "sample": plain(env.observation_space.sample()),
        "is_in": bool(env.observation_space.contains(env.observation_space.sample())),
        "types": [type(env).__name__, type(env.action_space).__name__, type(env.observation_space).__name__],
    }


if __name__ == "__main__":
    json.dump({id: rollout(id) for id in IDS}, sys.stdout)
