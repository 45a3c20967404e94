"""The cells of the page on notebooks, in a real kernel with a simulated GPU."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from tests.processes.environment import LIMIT_S, clean
from tf1mem.gpusim.launching import simulation

from . import blocks
from .site import GUIDE

PAGE = GUIDE / "notebooks.md"


@pytest.fixture(scope="module")
def shown():
    return [block for block in blocks.read(PAGE) if block.language == "python" and block.is_run]


def test_the_cells_run_and_print_what_the_page_shows(shown, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(block.text) for block in shown])
    for block, cell in zip(shown, notebook.cells):
        cell.metadata["tags"] = ["raises-exception"] if "raises" in block.marks else []
    client = NotebookClient(
        notebook, timeout=LIMIT_S, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    with simulation(("8GiB",)) as simulated:
        client.execute(env=clean(**simulated.environment))
    outputs_of = {block.line: cell.outputs for block, cell in zip(shown, notebook.cells)}
    for block in shown:
        raised = [output.ename for output in outputs_of[block.line] if output.output_type == "error"]
        assert raised == [block.marks[name] for name in ("raises",) if name in block.marks], outputs_of[block.line]
    above = 0
    for block in blocks.read(PAGE):
        above = block.line if block in shown else above
        if block.language == "text":
            printed = "\n".join(_text(output) for output in outputs_of[above])
            line = blocks.missing(block.text.splitlines(), printed)
            assert line is None, f"{PAGE.name}:{block.line}: not printed: {line!r}\n{printed}"


def _text(output):
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return output.get("text") or output.data.get("text/plain", "")
