"""Trains a policy on CartPole, as the README of stable-baselines does, on one process."""

import gym
from stable_baselines import PPO2

env = gym.make("CartPole-v1")
env.seed(1)
PPO2("MlpPolicy", env, n_steps=64, seed=1, verbose=1).learn(640)
