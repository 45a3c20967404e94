"""Running programs in processes of their own: every test that starts TensorFlow does it here.

environment.py   the environment of such a process: this one's, without variables that set anything
fork_server.py   a process that has imported some modules and forks for each program
warm.py          the side of the tests: such processes, made once for a session and shared by all its tests
"""
