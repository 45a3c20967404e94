"""Tests of the codemod's targets."""
