"""The stubs of tf1mem.v1 list the names that it has; tests/test_editors.py tests them in editors."""

from __future__ import annotations

import re

from tests.processes.environment import ROOT
from tf1mem.names import stubs
from tf1mem.names.contrib import TABLE

MADE = dict(stubs.all_stubs())


def source_of(path):
    """Returns the source of a module of tf1mem.v1 that is a file, or a package with names in its `__init__.py`."""
    files = [ROOT / "tf1mem" / "v1" / end for end in (f"{path}.py", f"{path}/__init__.py")]
    return next((file.read_text("utf-8") for file in files if path and path not in MADE and file.exists()), "")


def test_every_name_of_contrib_has_its_line():
    for path in TABLE:
        namespace, _, name = path.rpartition(".")
        if namespace and source_of("contrib/" + namespace.replace(".", "/")):
            continue  # a file's own source has its names
        stub = MADE["/".join(["contrib", *filter(None, namespace.split("."))])]
        assert re.search(rf"(^{name} = _{name}$)|( import {name} as {name}$)", stub, re.MULTILINE), path


def test_names_that_a_stub_imports_from_tf1mem_exist():
    for stub in MADE.values():
        for module, leaf in re.findall(r"^from tf1mem\.v1\.?(\S*) import (\S+)", stub, re.MULTILINE):
            path = module.replace(".", "/")
            source = source_of(path)
            if source:
                assert re.search(rf"\b{leaf}\b", source), (module, leaf)
            else:
                assert path in MADE, (module, leaf)
                is_ours = f"{path}/{leaf}" in MADE or source_of(f"{path}/{leaf}")
                assert is_ours or not path.startswith("contrib"), (module, leaf)
