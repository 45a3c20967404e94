"""Trains PPO on CartPole and VPG on Pendulum, as the documentation of Spinning Up does, with seeded environments.

DDPG and TD3 aren't here: in one run they update weights and average them, in either order, so that their numbers follow
from how TensorFlow schedules the ops.
"""

import gym
import tensorflow as tf
from spinup import ppo, vpg


def environment(name):
    env = gym.make(name)
    env.seed(1)
    return env


ppo(
    lambda: environment("CartPole-v1"),
    ac_kwargs={"hidden_sizes": (32, 32)},
    steps_per_epoch=40,
    epochs=2,
    train_pi_iters=6,
    train_v_iters=6,
    logger_kwargs={"output_dir": "out/ppo"},
)
tf.reset_default_graph()
vpg(
    lambda: environment("Pendulum-v0"),
    ac_kwargs={"hidden_sizes": (32, 32)},
    steps_per_epoch=20,
    epochs=2,
    max_ep_len=10,
    train_v_iters=8,
    logger_kwargs={"output_dir": "out/vpg"},
)
