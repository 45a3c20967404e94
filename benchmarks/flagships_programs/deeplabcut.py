"""Trains the network of a labeled project, as the README of DeepLabCut does."""

import os

import deeplabcut

deeplabcut.train_network(os.path.abspath("project/config.yaml"), displayiters=5, saveiters=100, maxiters=20)
