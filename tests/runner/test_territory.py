"""A program's own files are distinguished from installed packages."""

from __future__ import annotations

import os
import sys

import pytest

from tf1mem.runner.territory import Territory


@pytest.fixture
def root(tmp_path):
    (tmp_path / "program").mkdir()
    return tmp_path / "program"


def _owns(root, module, relative, **options):
    path = (root / relative).resolve() if not os.path.isabs(relative) else relative
    if not os.path.isabs(relative):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return Territory(str(root), **options).owns(module, str(path))


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("model", "model.py"),
        ("package.layers", "package/layers.py"),
        ("elsewhere", "../library/elsewhere.py"),
        ("keras.layers", "keras/layers.py"),
        ("tensorflow", "tensorflow.py"),
    ],
)
def test_files_of_the_program_are_its_own(root, module, path):
    assert _owns(root, module, path)


@pytest.mark.parametrize(
    ("module", "path"),
    [
        ("os", os.__file__),
        ("json.decoder", os.path.join(os.path.dirname(os.__file__), "json", "decoder.py")),
        ("lib", "../venv/lib/python3/site-packages/lib/__init__.py"),
        ("lib", "venv/lib/python3/site-packages/lib/__init__.py"),
        ("lib", "/usr/lib/python3/dist-packages/lib.py"),
        ("lib", "../eggs/lib-1.0-py3.7.egg/lib/__init__.py"),
        ("tf1mem.v1", sys.modules["tf1mem"].__file__),
        ("tensorflow.python.client", "../target/tensorflow/python/client.py"),
        ("keras", "../target/keras/__init__.py"),
    ],
)
def test_installed_packages_are_not_the_program_s_own(root, module, path):
    assert not _owns(root, module, path)


def test_a_script_that_lies_among_installed_packages_owns_its_tree(tmp_path):
    root = tmp_path / "site-packages" / "program"
    root.mkdir(parents=True)
    assert _owns(root, "model", "model.py")
    assert not _owns(root, "lib", "venv/site-packages/lib.py")
    assert not _owns(root, "other", "../other/__init__.py")


def test_the_package_that_is_run_is_the_program(root):
    assert _owns(root, "package.train", "../site-packages/package/train.py", packages=["package"])
    assert not _owns(root, "other", "../site-packages/other/train.py", packages=["package"])


def test_a_directory_that_pip_installed_into_holds_installed_files(root, monkeypatch):
    target = root.parent / "target"
    (target / "library-1.0.dist-info").mkdir(parents=True)
    (target / "library-1.0.dist-info" / "RECORD").write_text("library/__init__.py,sha256=x,0\nsingle.py,,\n")
    monkeypatch.syspath_prepend(str(target))
    assert not _owns(root, "library.inner", "../target/library/inner.py")
    assert not _owns(root, "single", "../target/single.py")
    assert _owns(root, "mine", "../target/mine.py")


def test_a_linked_program(root, tmp_path):
    (root / "model.py").write_text("")
    (tmp_path / "link").symlink_to(root)
    assert Territory(str(root)).owns("model", str(tmp_path / "link" / "model.py"))
