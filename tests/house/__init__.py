"""Tests of the repository itself: the folders ("rooms") of tf1mem and their order, CONTRIBUTING, packaging files."""
