"""Runs programs in separate processes. All tests that start TensorFlow use these files.

environment.py   the environment of such a process: this one's, without variables that are settings
fork_server.py   a program that imports modules once, and forks for each program that it is to run
warm.py          starts such fork servers, once for a test session, and has programs run by them
schemas.py       checks the JSON output of commands against its schema
wheel.py         builds the wheel that holds the compiled simulator
"""
