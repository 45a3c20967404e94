"""Tables as a notebook shows them, in a browser: no script runs, nothing is fetched, and none widens the page."""

from __future__ import annotations

import os

import pytest

from tf1mem.estimating.figures import OpRow
from tf1mem.estimating.result import Estimate

from . import browser

HOSTILE = [
    "<script>document.title = 'run'</script>",
    "<img src='http://elsewhere.test/x' onerror='document.title = \"run\"'>",
    "</td></tr></table><h1>out</h1>",
    "\u202egpj.op\u202c\x1b[2J\x00&lt;\"'",
    "gradients/a/very/long/name/" * 20,
]
SHOWN = """
(dark) => ({title: document.title, headings: document.querySelectorAll("h1, img, script").length,
            wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            tables: [...document.querySelectorAll("table")].map(it => getComputedStyle(it).color),
            text: document.body.innerText})
"""


def estimate():
    figures = {name: 2**30 if name.endswith("_bytes") else 1 for name in OpRow.__dataclass_fields__}
    rows = tuple(OpRow(**{**figures, "op": name, "workspace_algorithm": name}) for name in HOSTILE)
    numbers = dict.fromkeys(Estimate.__dataclass_fields__, 2**30)
    words = {
        "step": HOSTILE[0],
        "tensorflow": "2",
        "device": "gpu",
        "why_cpu": "",
        "rows": rows,
        "notes": tuple(HOSTILE),
    }
    return Estimate(**{**numbers, **words})


@pytest.mark.proof
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_estimate_of_hostile_names(tmp_path, scheme):
    if browser.executable() is None:
        assert not os.environ.get(browser.NEEDED), browser.MISSING
        pytest.skip(browser.MISSING)
    style = "<style>:root { color-scheme: light dark }</style>"  # as in a notebook, whose theme sets the colours
    page = f"<!DOCTYPE html><meta charset=utf-8><title>still</title>{style}{estimate()._repr_html_()}"
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    with browser.served(tmp_path) as address, browser.chromium(browser.executable()) as chromium:
        for width in (380, 1400):
            shown = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            requests = []
            shown.on("request", lambda request, requests=requests: requests.append(request.url))
            shown.goto(address)
            contents = shown.evaluate(SHOWN, scheme == "dark")
            assert (contents["title"], contents["headings"], contents["wide"]) == ("still", 0, 0)
            assert [url for url in requests if not url.startswith(address)] == []
            assert set(contents["tables"]) == {"rgb(255, 255, 255)" if scheme == "dark" else "rgb(0, 0, 0)"}
            assert "</td></tr></table><h1>out</h1>" in contents["text"]
            assert not set("\u202e\u202c\x1b\x00") & set(contents["text"])
