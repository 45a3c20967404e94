"""Rollouts of gym 0.15.7, and the program that recorded them."""
