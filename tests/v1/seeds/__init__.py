"""Tests that equal seeds give equal numbers: they count the ops that calls make, and compare what graphs draw."""
