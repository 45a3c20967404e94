"""The stubs of tf1mem.v1 list the names that it has; tests/test_editors.py tests them in editors."""

from __future__ import annotations

import re

from tests.processes.environment import ROOT
from tf1mem.names import stubs
from tf1mem.names.contrib import TABLE

MADE = dict(stubs.all_stubs())


def test_every_name_of_contrib_has_its_line():
    for path in TABLE:
        namespace, _, name = path.rpartition(".")
        file = ROOT / "tf1mem" / "v1" / "contrib" / f"{namespace.replace('.', '/')}.py"
        if namespace and file.exists():
            continue  # a file's own source has its names
        stub = MADE["/".join(["contrib", *filter(None, namespace.split("."))])]
        assert re.search(rf"(^{name} = _{name}$)|( import {name} as {name}$)", stub, re.MULTILINE), path


def test_what_a_stub_takes_from_tf1mem_is_there():
    v1 = ROOT / "tf1mem" / "v1"
    for stub in MADE.values():
        for module, leaf in re.findall(r"^from tf1mem\.v1\.?(\S*) import (\S+)", stub, re.MULTILINE):
            path = module.replace(".", "/")
            file = v1 / f"{path}.py"
            if file.exists():
                assert re.search(rf"\b{leaf}\b", file.read_text("utf-8")), (module, leaf)
            else:
                assert path in MADE, (module, leaf)
                is_ours = f"{path}/{leaf}" in MADE or (v1 / path / f"{leaf}.py").exists()
                assert is_ours or not path.startswith("contrib"), (module, leaf)
