"""Metadata and options live in setup.cfg; this file lets old pips build the project."""

from setuptools import setup

setup()
