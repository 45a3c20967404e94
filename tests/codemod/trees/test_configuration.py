"""Configuration of the codemod is read from the nearest pyproject.toml or setup.cfg, and mistakes in it are named."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.codemod.trees import build
from tf1mem.codemod.trees.configuration import Configuration, find
from tf1mem.errors import ConfigFileError, Tf1memError

TOML = """
[project]
name = "mine"

[tool.tf1mem.codemod]
to = "apply"
only = ["TFM101", "TFM201"]
skip = ["TFM120"]
exclude = ["vendored/", "*_pb2.py"]
docs = true
gpu-memory-mib = 8192
"""
INI = """
[metadata]
name = mine
percent = 100%

[tf1mem:codemod]
to = apply
only = TFM101, TFM201
skip =
    TFM120
exclude =
    vendored/
    *_pb2.py
docs = yes
gpu-memory-mib = 8192
"""
WHOLE = Configuration(
    to="apply", only=("TFM101", "TFM201"), skip=("TFM120",), exclude=("vendored/", "*_pb2.py"), docs=True,
    gpu_memory_mib=8192,
)  # fmt: skip


def of(root, *paths: str) -> Configuration:
    return find([str(root / path) for path in paths or (".",)])


def without_file(configuration: Configuration) -> Configuration:
    return Configuration(**{**configuration.__dict__, "file": ""})


@pytest.mark.parametrize(("name", "text"), [("pyproject.toml", TOML), ("setup.cfg", INI)])
def test_every_key(tmp_path, name, text):
    build(tmp_path, {name: text.encode(), "src/a.py": b""})
    configuration = of(tmp_path, "src/a.py")
    assert without_file(configuration) == WHOLE
    assert (configuration.file, configuration.folder) == (os.path.realpath(tmp_path / name), os.path.realpath(tmp_path))


def test_no_configuration(tmp_path):
    assert of(tmp_path).to is None
    assert of(tmp_path, "not", "there").exclude == ()


@pytest.mark.parametrize(
    ("paths", "to"),
    [
        (["."], "shim"), (["a"], "apply"), (["a/b"], "native"), (["a/b/c.py"], "native"),
        (["a/b/c.py", "a/b"], "native"), (["a/b/c.py", "a/d.py"], "apply"), (["a/b", "e"], "shim"),
        (["e/f/g.py"], "shim"), (["a/b/nothing.py"], "native"),
    ],
)  # fmt: skip
def test_the_nearest_one_above(tmp_path, paths, to):
    build(
        tmp_path,
        {
            "pyproject.toml": b'[tool.tf1mem.codemod]\nto = "shim"\n',
            "a/setup.cfg": b"[tf1mem:codemod]\nto = apply\n",
            "a/b/pyproject.toml": b'[tool.tf1mem.codemod]\nto = "native"\n',
            "a/b/c.py": b"",
            "a/d.py": b"",
            "e/f/g.py": b"",
            "e/pyproject.toml": b'[tool.ruff]\nname = "tf1mem"\n',
        },
    )
    assert of(tmp_path, *paths).to == to


def test_pyproject_comes_before_setup_cfg(tmp_path):
    build(tmp_path, {"pyproject.toml": TOML.encode(), "setup.cfg": b"[tf1mem:codemod]\nto = native\n"})
    assert of(tmp_path).to == "apply"
    (tmp_path / "pyproject.toml").write_bytes(b"[tool.black]\n")
    assert of(tmp_path).to == "native"


def test_no_paths_are_the_working_folder(tmp_path, monkeypatch):
    build(tmp_path, {"setup.cfg": INI.encode()})
    monkeypatch.chdir(tmp_path)
    assert without_file(find([])) == WHOLE


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("too = 'apply'", "too in"), ("to = 'tf2'", "one of shim, apply, native"),
        ("docs = 'perhaps'", "true or false"),
        ("gpu-memory-mib = 0", "above 0"), ("gpu-memory-mib = -1", "above 0"), ("gpu-memory-mib = 'much'", "above 0"),
        ("gpu_memory_mib = 1", "gpu_memory_mib in"), ("jobs = 2", "jobs in"),
    ],
)  # fmt: skip
def test_unknown_keys_and_wrong_values(tmp_path, name, line, message):
    heads = {"pyproject.toml": "[tool.tf1mem.codemod]\n", "setup.cfg": "[tf1mem:codemod]\n"}
    build(tmp_path, {name: (heads[name] + (line if "toml" in name else line.replace("'", ""))).encode()})
    with pytest.raises(ConfigFileError) as raised:
        of(tmp_path)
    assert isinstance(raised.value, Tf1memError)
    assert message in str(raised.value)
    assert str(tmp_path / name) in str(raised.value)


@pytest.mark.parametrize(
    "line", ["to = 1", "to = ['shim']", "only = 'TFM101'", "only = [1]", "exclude = ['']", "docs = 1",
             "gpu-memory-mib = true", "gpu-memory-mib = 1.5"],
)  # fmt: skip
def test_wrong_types_in_toml(tmp_path, line):
    build(tmp_path, {"pyproject.toml": b"[tool.tf1mem.codemod]\n" + line.encode()})
    with pytest.raises(ConfigFileError, match="{} in .*pyproject.toml".format(line.split(" ")[0])):
        of(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("pyproject.toml", b"[tool.tf1mem.codemod]\nto = shim\n", "is not TOML"),
        ("pyproject.toml", b"[tool.tf1mem]\ncodemod = 1\n", "is not a table"),
        ("pyproject.toml", b"# tf1mem \xff\n", "is not UTF-8"),
        ("setup.cfg", b"[tf1mem:codemod]\nto\n", "is not a setup.cfg"),
        ("setup.cfg", b"[tf1mem:codemod]\nto = shim\nto = shim\n", "is not a setup.cfg"),
    ],
)
def test_broken_files(tmp_path, name, text, words):
    build(tmp_path, {name: text})
    with pytest.raises(ConfigFileError, match=words) as raised:
        of(tmp_path)
    assert str(raised.value).startswith(("tool.tf1mem.codemod in " if "table" in words else "") + str(tmp_path / name))


def test_broken_files_without_a_section_are_ignored(tmp_path):
    build(tmp_path, {"pyproject.toml": b"{{ cookiecutter }}\n", "setup.cfg": b"no section\n", "a/b.py": b""})
    assert of(tmp_path, "a/b.py").to is None


def test_a_byte_order_mark(tmp_path):
    build(tmp_path, {"pyproject.toml": b"\xef\xbb\xbf" + TOML.encode()})
    assert of(tmp_path).to == "apply"


def test_toml_is_imported_only_for_a_toml_file(tmp_path):
    code = (
        "import sys\nfrom tf1mem.codemod.trees.configuration import find\nfind([sys.argv[1]])\n"
        "print('tomllib' in sys.modules or 'tomli' in sys.modules)"
    )
    build(tmp_path, {"pyproject.toml": b"[tool.black]\n"})
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True)
    assert done.stdout == b"False\n"


def test_a_pipe_or_folder_as_configuration_is_an_error(tmp_path):
    def error_of(make):
        path = tmp_path / "pyproject.toml"
        make(path)
        with pytest.raises(ConfigFileError) as caught:
            find([str(tmp_path)])
        path.unlink()
        return str(caught.value)

    assert "is not a file" in error_of(os.mkfifo)
    assert "is not a file" in error_of(lambda path: os.symlink("/dev/zero", path))
    assert "is larger than 1 MiB" in error_of(lambda path: path.write_text("#" * (2 << 20)))
    assert "nested too deeply" in error_of(lambda path: path.write_text("tf1mem = " + "[" * 100_000))
    assert "is not TOML" in error_of(lambda path: path.write_text("tf1mem = " + "9" * 10_000))
    (tmp_path / "pyproject.toml").mkdir()
    os.symlink("setup.cfg", str(tmp_path / "setup.cfg"))
    assert find([str(tmp_path)]) == Configuration()
