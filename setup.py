"""The part of the build that setup.cfg can't express; metadata and options are there.

It adapts the README's links for a package index, and adds stubs of tf1mem.v1 for editors.
"""

import re
import sys
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


def long_description():
    """Returns the README with links that also work outside of the repository.

    A link to a file of the repository gets the project URL "Files" of setup.cfg in front. Without that URL only the
    link's text is kept.
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
    """Builds the package, with the stubs of tf1mem.v1 unless the install is editable: they'd lie in the checkout."""

    def run(self):
        """Copies the package, and writes the stubs into the copy, unless the checkout itself is installed."""
        super().run()
        if getattr(self, "editable_mode", False):
            return
        sys.path.insert(0, str(ROOT))
        from tf1mem.names import stubs

        for folder, text in stubs.all_stubs():
            path = Path(self.build_lib, "tf1mem", "v1", folder)
            path.mkdir(parents=True, exist_ok=True)
            (path / "__init__.pyi").write_text(text, encoding="utf-8")


setup(long_description=long_description(), cmdclass={"build_py": BuildWithStubs})
