"""Under `tf1mem run` a module in a package can import its neighbours by name (implicit relative imports of Python 2).

This holds only if no other module has that name.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.processes.environment import LIMIT_S, clean
from tf1mem.runner.program_imports import compile_rewritten

NAME = "name = __name__\n"
TREE = {
    "main.py": """
        from pkg import a, own
        print(a.b.name, a.value, a.sub.mod.name, a.again.name, a.j.dumps([1]))
        print(a.other.name, a.late(), own.b, a.data.name)
        from pkg import bad
        """,
    "other.py": NAME,
    "data/table.csv": "",
    "tools/helpers.py": NAME,
    "pkg/__init__.py": "",
    "pkg/a.py": """
        import os, b, other, data
        from c import value
        import sub.mod
        import sub.mod as again
        import json as j


        def late():
            from late_one import name
            return name
        """,
    **{f"pkg/{name}.py": NAME for name in ("b", "data", "json", "late_one", "other", "sub/mod")},
    "pkg/c.py": "value = 7\n",
    "pkg/sub/__init__.py": "",
    "pkg/own.py": "try:\n    import b\nexcept ImportError:\n    b = 'its own answer'\n",
    "pkg/new.py": "from __future__ import absolute_import\nimport b\n",
    "pkg/tools.py": "",
    "pkg/of_python3.py": "import tools.helpers\nprint(tools.helpers.name)\n",
    "pkg/lacking.py": "import lacking\n",
    "pkg/bad.py": "import lacks\n",
    "pkg/lacks.py": "import nothing_there\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beside")
    for name, text in TREE.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return folder


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "tf1mem", "run", *arguments], cwd=str(folder), env=clean(), capture_output=True,
        encoding="utf-8", check=False, timeout=LIMIT_S,
    )  # fmt: skip


def test_a_module_beside_the_file_is_imported_and_reported_if_no_other_has_its_name(folder):
    done = run(folder, "--report", "main.py")
    assert done.stdout == "pkg.b 7 pkg.sub.mod pkg.sub.mod [1]\nother pkg.late_one its own answer pkg.data\n", (
        done.stderr
    )
    where = str(Path("pkg") / "a.py")
    assert [line for line in done.stderr.splitlines() if line.startswith("repaired")] == [
        f"repaired: import {name} at {place}, which Python 3.0 looks for only outside pkg"
        for name, place in (
            *(("b", f"{where}:1"), ("data", f"{where}:1"), ("c", f"{where}:2"), ("sub.mod", f"{where}:3")),
            *(("late_one", f"{where}:9"), ("lacks", f"{Path('pkg') / 'bad.py'}:1")),
        )
    ]
    assert "No module named 'nothing_there'" in done.stderr
    assert "During handling" not in done.stderr


def test_as_is_and_absolute_import_raise_pythons_own_error(folder):
    for arguments in (["--as-is", "main.py"], ["-m", "pkg.new"]):
        done = run(folder, *arguments)
        assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'b'"


def test_a_module_elsewhere_comes_first_and_a_file_never_imports_itself(folder):
    done = run(folder, "-m", "pkg.of_python3")
    assert done.stdout == "tools.helpers\n", done.stderr
    done = run(folder, "-m", "pkg.lacking")
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'lacking'"


def test_a_file_that_imports_nothing_from_beside_is_left_to_python(folder):
    path = str(folder / "pkg" / "made.py")
    for source in (b"import os, sys\nimport collections.abc\n", b"from pkg import b\n", b"from . import b\n"):
        assert compile_rewritten(source, path, frozenset, True, is_known=True) is None
    assert compile_rewritten(b"import b\n", str(folder / "made.py"), frozenset, True, is_known=True) is None
    for source in (b"import b\n", b"from __future__ import division  # no absolute_import\nimport b\n"):
        assert compile_rewritten(source, path, frozenset, True, is_known=True) is not None
