"""Trains a deep Q-network on CartPole, as an example of OpenAI's Baselines does, from a seed and in fewer steps."""

import gym
from baselines import deepq

env = gym.make("CartPole-v0")
env.seed(1)
deepq.learn(
    env,
    network="mlp",
    seed=1,
    lr=1e-3,
    total_timesteps=200,
    buffer_size=500,
    exploration_fraction=0.5,
    learning_starts=100,
    train_freq=2,
    target_network_update_freq=20,
    prioritized_replay=True,
    print_freq=5,
)
