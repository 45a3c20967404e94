"""Text from outside, such as file names, is escaped everywhere on a page: it can't run a script or load anything."""

from __future__ import annotations

import re

import pytest

from tf1mem import pages

HOSTILE = "</title></td><script>x</script>\" onload='x' \u202egpj\x1b[2J"
ESCAPED = "&lt;/title&gt;&lt;/td&gt;&lt;script&gt;x&lt;/script&gt;&quot; onload=&#x27;x&#x27; \\u202egpj\\x1b[2J"
LINE = pages.Shape("first", [(0, 0), (1, 1)], label=HOSTILE)


@pytest.mark.parametrize(
    "part",
    [
        pages.page(HOSTILE),
        pages.page("", HOSTILE),
        pages.text(HOSTILE),
        pages.tag("p", HOSTILE),
        pages.tag("a", href=HOSTILE),
        pages.paragraphs([HOSTILE]),
        pages.lines(HOSTILE),
        pages.items([HOSTILE]),
        pages.spans(HOSTILE)[0],
        pages.table([HOSTILE], []),
        pages.table([], [[HOSTILE]]),
        pages.section(HOSTILE, "x"),
        pages.section("x", HOSTILE),
        pages.details(HOSTILE),
        pages.details("x", HOSTILE),
        pages.verdict(pages.GOOD, HOSTILE),
        pages.chart([LINE], (0, 1), (0, 1), "0101", "x"),
        pages.chart([], (0, 1), (0, 1), [HOSTILE, "", "", ""], "x"),
        pages.chart([], (0, 1), (0, 1), "0101", HOSTILE),
        pages.keys([("first", HOSTILE)]),
    ],
)
def test_text_is_escaped(part):
    assert part.count(ESCAPED) == 1
    assert "<script" not in part


def test_a_page_may_load_and_run_nothing():
    page = pages.page("title", pages.section("a", "b"))
    assert "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"" in page
    assert not re.search(r"\bsrc=|https?:|url\(|@import", page)
