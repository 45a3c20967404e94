"""`import tf1mem` imports few modules, and its public names exist."""

from __future__ import annotations

import pytest

import tf1mem


def test_importing_imports_nothing_heavy(python):
    out = python(
        """
        import sys
        import tf1mem
        heavy = "tensorflow tensorflow_core numpy google.protobuf click rich yaml packaging keras tf_keras".split()
        print([name for name in heavy if name in sys.modules])
        """
    )
    assert out == "[]\n"


def test_public_names():
    for name in tf1mem.__all__:  # type: ignore[attr-defined]
        assert getattr(tf1mem, name) is not None
    assert set(tf1mem.__all__) <= set(dir(tf1mem))  # type: ignore[attr-defined]


def test_no_such_name():
    with pytest.raises(AttributeError, match="aply"):
        tf1mem.aply  # type: ignore[attr-defined]  # noqa: B018


def test_version_agrees_with_the_metadata():
    from configparser import ConfigParser
    from pathlib import Path

    metadata = ConfigParser()
    metadata.read(Path(__file__).parent.parent / "setup.cfg", encoding="utf-8")
    assert metadata["metadata"]["version"] == tf1mem.__version__
