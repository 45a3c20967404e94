"""Metadata and options live in setup.cfg; here is what that can't say.

That is the README as a package index shows it, and what editors read of tf1mem.v1.
"""

import re
import sys
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

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


class BuildWithStubs(build_py):
    """As setuptools does it, with the stubs of tf1mem.v1; not into the checkout, if that is installed itself."""

    def run(self):
        """Copies the package, and writes the stubs into the copy."""
        super().run()
        if getattr(self, "editable_mode", False):
            return
        sys.path.insert(0, str(ROOT))
        from tf1mem.machine import stubs

        for folder, text in stubs.made():
            path = Path(self.build_lib, "tf1mem", "v1", folder)
            path.mkdir(parents=True, exist_ok=True)
            (path / "__init__.pyi").write_text(text, encoding="utf-8")


setup(long_description=long_description(), cmdclass={"build_py": BuildWithStubs})
