"""If a program can't be run, `tf1mem run` prints one line without a traceback, and ends with status 2."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

USES_IT = "import tensorflow as tf\nprint(tf.Session)\n"


def _refused(done, *words):
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("tf1mem: error: ")
    assert done.err.count("\n") == 1
    for word in words:
        assert word in done.err


def test_scripts(bench):
    bench.write({"empty/x.txt": "", "script.py": "print(1)"})
    (bench.directory / "binary.py").write_bytes(b"\x7fELF\0\0\1")
    (bench.directory / "nul.py").write_bytes(b"print(1)\0")
    (bench.directory / "umlaut.py").write_bytes(b"# caf\xe9\nprint(1)\n")
    _refused(bench.tf1mem("run", "nowhere.py"), "nowhere.py", "no such file")
    _refused(bench.tf1mem("run", "script.py/x.py"), "no such file")
    _refused(bench.tf1mem("run", "empty"), "directory without __main__.py")
    _refused(bench.tf1mem("run", "binary.py"), "binary")
    _refused(bench.tf1mem("run", "nul.py"), "binary")
    _refused(bench.tf1mem("run", "umlaut.py"), "# -*- coding:")
    (bench.directory / "klingon_e.py").write_bytes(b"# -*- coding: klingon -*-\n# caf\xe9")
    _refused(bench.tf1mem("run", "klingon_e.py"), "unknown encoding: klingon")
    _refused(bench.tf1mem("run", "-", stdin="print(1)\0"), "run -", "binary")
    _refused(bench.tf1mem("run"), "Nothing to run")
    _refused(bench.tf1mem("run", "--unknown", "script.py"), "--unknown")


def test_modules(bench):
    _refused(bench.tf1mem("run", "-m"), "-m")


def test_packages_that_cannot_be_taken_as_the_programs_own(bench):
    bench.write({"script.py": "print('must not run')"})
    site = bench.directory.parent / "site-packages"
    (site / "dm_sonnet-1.36.dist-info").mkdir(parents=True)
    (site / "dm_sonnet-1.36.dist-info" / "RECORD").write_text("sonnet/__init__.py,sha256=x,0\n../bin/x,,\n")
    for name, *words in [
        ("nowhere", "no such package", "Install it"),
        ("nowhere.inner", "--with-package nowhere"),
        ("dm-sonnet", "imported as: sonnet"),
        ("tensorflow", "TensorFlow's own"),
        ("collections", "loaded already"),
    ]:
        done = bench.tf1mem("run", "--with-package", name, "script.py", env={"PYTHONPATH": str(site)})
        _refused(done, f"--with-package {name}", *words)
    for name in ("", "  "):
        done = bench.tf1mem("run", "--with-package", name, "script.py")
        _refused(done, f"--with-package {name!r}", "names no package")
        assert "imported as" not in done.err


def test_a_program_that_exits_in_its_own_words_is_not_a_missing_module(bench):
    bench.write({"m.py": "import sys\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    sys.exit('my words')\n"})
    done = bench.tf1mem("run", "-m", "m")
    assert (done.code, done.err) == (1, "my words\n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.json", None, "c.json"),
        ("c.json", b"", "c.json"),
        ("c.json", b"\0\1\2", "c.json"),
        ("c.json", b"{", "c.json"),
        ("c.json", b"[1]", "c.json"),
        ("c.json", b'{"gpu_option": {}}', "gpu_options"),
        ("c.json", b'{"gpu_options": {"per_process_gpu_memory_fraction": -1}}', "per_process_gpu_memory_fraction"),
        ("c.yaml", b"a: [\n", "c.yaml"),
        ("c.pbtxt", b"gpu_options {", "c.pbtxt"),
        ("c.txt", b"x", "c.txt"),
        ("directory.json", "directory", "directory.json"),
    ],
)
def test_settings_files(bench, name, content, message):
    bench.write({"script.py": "print('must not run')"})
    if content == "directory":
        (bench.directory / name).mkdir()
    elif content is not None:
        (bench.directory / name).write_bytes(content)
    done = bench.tf1mem("run", "--config", name, "script.py")
    done.err = done.err[done.err.find("tf1mem: error") :]  # TensorFlow reads .pbtxt, and may log as it loads
    _refused(done, message)


def _without_site_packages(tmp_path: Path) -> dict:
    """Returns the environment for a `python -S` that has tf1mem and its dependencies, and no TensorFlow."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("tf1mem", "click", "packaging", "importlib_metadata", "zipp", "typing_extensions", "yaml"):
        spec = find_spec(name)
        if spec is not None:
            path = Path(spec.origin)
            path = path.parent if path.name == "__init__.py" else path
            (packages / path.name).symlink_to(path)
    return {"PYTHONPATH": str(packages)}


def test_no_tensorflow(bench, tmp_path):
    env = _without_site_packages(tmp_path)
    bench.write({"script.py": USES_IT, "c.json": '{"gpu_options": {"allow_growth": true}}'})
    bench.write({"careful.py": "try:\n    import tensorflow\nexcept ModuleNotFoundError as e:\n    print(e)\n"})
    bench.write({"deep.py": "import script\n", "plain.py": "print(1)\n"})
    _refused(bench.tf1mem("run", "script.py", flags=["-S"], env=env), "tensorflow", "pip install")
    _refused(bench.tf1mem("run", "deep.py", flags=["-S"], env=env), "pip install")
    _refused(bench.tf1mem("run", "--config", "c.json", "plain.py", flags=["-S"], env=env), "pip install")
    careful = bench.tf1mem("run", "careful.py", flags=["-S"], env=env)
    assert (careful.code, careful.out, careful.err) == (0, "No module named 'tensorflow'\n", "")
    assert bench.tf1mem("run", "plain.py", flags=["-S"], env=env).out == "1\n"


def test_a_tensorflow_older_than_1_13(bench, tmp_path):
    env = _without_site_packages(tmp_path)
    old = tmp_path / "packages" / "tensorflow"
    old.mkdir()
    (old / "__init__.py").write_text("__version__ = '1.12.0'\nSession = ConfigProto = object\n")
    (tmp_path / "packages" / "tensorflow-1.12.0.dist-info").mkdir()
    bench.write({"script.py": USES_IT, "plain.py": "print(1)\n"})
    _refused(bench.tf1mem("run", "script.py", flags=["-S"], env=env), "1.12.0", "1.13")
    assert bench.tf1mem("run", "plain.py", flags=["-S"], env=env).out == "1\n"


def test_the_command_without_click(bench, tmp_path):
    env = _without_site_packages(tmp_path)
    (tmp_path / "packages" / "click").unlink()
    for args in ([], ["run", "script.py"], ["--version"]):
        _refused(bench.tf1mem(*args, flags=["-S"], env=env), "pip install 'tf1mem[cli]'")


def test_a_module_of_the_program_named_tensorflow_is_not_replaced(bench):
    bench.write({"script.py": "import tensorflow as tf\nimport keras\nprint(tf.mine, keras.mine)\n"})
    bench.write({"tensorflow.py": "mine = 1\n", "keras/__init__.py": "mine = 2\n"})
    done = bench.tf1mem("run", "script.py")
    assert (done.code, done.out) == (0, "1 2\n"), done.err
