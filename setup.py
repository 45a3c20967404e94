"""Metadata and options live in setup.cfg; here is what that can't say: the README as a package index shows it."""

import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent


def long_description():
    """The README with links that lead somewhere from anywhere.

    A link to a file of the repository begins with the project URL "Files" of setup.cfg; without one it is its words.
    """
    config = ConfigParser()
    config.read(str(ROOT / "setup.cfg"), encoding="utf-8")
    lines = config.get("metadata", "project_urls", fallback="").splitlines()
    files = dict(re.split(r"\s*=\s*", line, maxsplit=1) for line in lines if line).get("Files")

    def whole(link):
        words, target = link.groups()
        return "[{}]({}/{})".format(words, files.rstrip("/"), target) if files else words

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"\[([^][]+)\]\((?!https?:)([^()\s]+)\)", whole, text)


setup(long_description=long_description())
