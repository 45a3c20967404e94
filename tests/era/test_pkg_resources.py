"""tf1mem.era.pkg_resources returns what setuptools' pkg_resources returns."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings

import pytest

from tests.processes.environment import clean

PACKAGE = """\
import pkg_resources

try:
    version = pkg_resources.get_distribution("no-such-package").version
except pkg_resources.DistributionNotFound:
    version = "none"
words = pkg_resources.resource_string(__name__, "data/words.txt").decode()
"""
# Runs a program as if setuptools' pkg_resources weren't installed.
HIDDEN = """\
import sys
from importlib.machinery import PathFinder

find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name == "pkg_resources" else find(name, *more)
sys.argv[:] = ["tf1mem", "run", "--report", "main.py"]
from tf1mem.__main__ import main
sys.exit(main())
"""


def test_a_program_without_setuptools(tmp_path):
    (tmp_path / "own" / "data").mkdir(parents=True)
    (tmp_path / "own" / "__init__.py").write_text(PACKAGE, encoding="utf-8")
    (tmp_path / "own" / "data" / "words.txt").write_text("two words", encoding="utf-8")
    (tmp_path / "main.py").write_text("import own\nprint(own.version, own.words)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN],
        cwd=str(tmp_path),
        env=clean(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "none two words\n", done.stderr
    assert "repaired: import pkg_resources at own/__init__.py:1, which setuptools 82 took out" in done.stderr


def _results(module):
    """Returns the results of the calls that programs make of pkg_resources."""
    numpy, packages = module.get_distribution("numpy"), ("tests.era", "recorded")
    with pytest.raises(module.VersionConflict):
        module.require("numpy>=1,<1.1")
    with pytest.raises(module.DistributionNotFound):
        module.require(["numpy", "no-such-package"])
    (entry,) = module.iter_entry_points("console_scripts", "pytest")
    requirements = list(module.parse_requirements("numpy>=1.18  # for arrays\n\n# nothing\nscipy\n"))
    return [
        (numpy.project_name, numpy.key, numpy.version, str(numpy), numpy.parsed_version > module.parse_version("1.2")),
        [(each.project_name, each.key, each.specs) for each in requirements],
        module.resource_filename(*packages),
        module.resource_isdir(*packages),
        module.resource_exists(packages[0], "no/such/file"),
        sorted(module.resource_listdir(*packages)),
        module.resource_string(packages[0], "__init__.py"),
        entry.load().__module__,
        str(module.Requirement.parse("a-b[c]>=2,<3").specifier),
        "numpy" in module.working_set.by_key,
        [str(each) for each in module.require("numpy")],
    ]


def test_results_are_those_of_setuptools():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # setuptools warns that pkg_resources is deprecated
        original = pytest.importorskip("pkg_resources")
        assert _results(importlib.import_module("tf1mem.era.pkg_resources")) == _results(original)
