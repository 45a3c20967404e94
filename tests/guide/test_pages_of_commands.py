"""The pages that commands write (`--html`), opened from disk: no script runs, nothing is fetched, all can be read."""

from __future__ import annotations

import json
import os

import pytest

from tests.codemod.trees import build
from tests.matrix.proof import in_ci_or_proof
from tf1mem.checking.here import here
from tf1mem.checking.report import as_html
from tf1mem.checking.trees import check
from tf1mem.gpusim import page as sim_page
from tf1mem.gpusim import trace
from tf1mem.gpusim.gpus import lineup
from tf1mem.gpusim.histories import histories
from tf1mem.verifying import page as verify_page

from . import browser
from .test_browser import LEAST_CONTRAST, SCHEMES, WIDTHS
from .test_tables_in_a_notebook import HOSTILE

GIB = 2**30
SHOWN = """
() => ({title: document.title, run: document.querySelectorAll("img, script, a[href^=http]").length,
        text: document.body.innerText})
"""


def sim(folder):
    """Returns the page of a simulation with eight processes, one of them refused memory, whose names are hostile."""
    lines = []
    for pid in range(8):
        command = HOSTILE[pid % 2] + f" python train.py --rank {pid}"
        start = {"time": pid, "pid": pid, "event": "start", "command": command, "where": HOSTILE[1]}
        memory = {"pid": pid, "gpu": 0, "bytes": GIB // 2, "total": GIB // 2, "in_use": GIB, "where": HOSTILE[0]}
        lines += [start, {**memory, "time": pid + 0.5, "event": "reserve"}]
    lines.append({**memory, "time": 9, "event": "refuse", "bytes": 8 * GIB, "free": GIB})
    lines.append({"time": 9, "pid": 7, "event": "not_computed", "op": HOSTILE[2]})
    lines.append({"time": 9, "pid": 7, "event": "op", "op": "MatMul", "launches": 2_000_000, "computed": 1_999_999})
    events = trace.parse(json.dumps(line).encode() + b"\n" for line in lines)
    gpus = lineup(["8GiB", "80GiB,name=<b>"], ["1GiB", 0])
    return sim_page.as_page(HOSTILE[0], -9, gpus, histories(events))


def checked(folder):
    """Returns the page of a check of two repositories: one has files with hostile names, the other no program."""
    source = b"import tensorflow as tf\nimport surely_absent\ntf.contrib.gan.x(1)\nnp.bool\nfor _ in range(3): pass\n"
    names = [name.replace("/", "_").replace("\0", "")[:80] + ".py" for name in HOSTILE]
    build(folder, {**{f"repository/{name}": source for name in names}, "none/a.md": b""})
    return as_html.document(list(check([str(folder / "repository"), str(folder / "none")], here())), here())


def verified(folder):
    """Returns the page of a certificate with a difference: the loss became infinite."""
    side = {"versions": {name: name for name in HOSTILE}, "steps": 3, "seconds": 1.5, "settings": HOSTILE}
    difference = {"message": HOSTILE[0], "source": HOSTILE[1], "reason": HOSTILE[2], "details": {"names": HOSTILE}}
    figures = dict.fromkeys(("values", "equal", "rounding", "different", "beyond_rounding", "largest_multiple"), 1)
    sides = {"old": [3, 2, 1.5], "new": [3, 9, float("inf")]}
    curve = {"name": HOSTILE[4], "steps": [1, 2, 3], **sides, "limit": [0.1] * 3}
    words = dict.fromkeys(("program", "reason"), HOSTILE[0])
    return verify_page.as_page({
        **words, "verdict": "different", "first_difference": difference, "old": side, "new": side, "compared": figures,
        "thresholds": {"multiple": 4, "units": 8, "until": None}, "curves": [curve], "notes": HOSTILE,
        "settled": {HOSTILE[1]: HOSTILE[3]}, "files": {HOSTILE[3]: "f" * 64}, "memory": {"old": [1, 2]},
    })  # fmt: skip


@pytest.fixture(scope="module")
def chromium():
    if browser.executable() is None:
        assert not os.environ.get(browser.NEEDED), browser.MISSING
        pytest.skip(browser.MISSING)
    with browser.chromium(browser.executable()) as started:
        yield started


@pytest.mark.parametrize("written", in_ci_or_proof([sim, checked, verified], [sim]))
def test_a_page_of_hostile_names(tmp_path, chromium, written):
    file = tmp_path / "page.html"
    file.write_text(written(tmp_path), encoding="utf-8")
    shown = chromium.new_page()
    wrong = []
    shown.on("console", lambda message: wrong.append(f"console: {message.text}"))
    shown.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    shown.on("request", lambda request: wrong.extend([request.url] * (request.url != file.as_uri())))
    shown.goto(file.as_uri())
    shown.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")
    for scheme in SCHEMES:
        shown.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            shown.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{width}, {scheme}: {each}" for each in shown.evaluate(browser.LOOK, LEAST_CONTRAST)]
    contents = shown.evaluate(SHOWN)
    assert wrong == []
    assert (contents["title"] != "run", contents["run"]) == (True, 0)
    assert HOSTILE[0][:8] in contents["text"]
    assert not set("\u202e\u202c\x1b\x00") & set(contents["text"])
