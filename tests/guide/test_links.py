"""Every link and anchor within the guide and the repository leads somewhere."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

import tf1mem.codemod
import tf1mem.gpusim

from . import links
from . import site as building


def test_links_and_anchors_of_the_site(site):
    assert list(links.broken_on_site(site)) == []


@pytest.mark.proof
def test_links_and_anchors_where_the_repository_is_shown():
    assert list(links.broken_in_markdown()) == []


def test_links_that_lead_elsewhere_are_whole():
    for link in links.elsewhere():
        assert urlsplit(link).scheme in ("https", "mailto"), link
        assert re.fullmatch(r"[^\s<>\"{}]+", link), link


def test_every_page_is_in_the_navigation(site):
    """The built navigation shows every page; mkdocs itself only warns of pages that are left out."""
    index = links.PageLinks((site / "index.html").read_text(encoding="utf-8")).links
    shown = {link.split("#")[0] for link in index}
    assert {name for name in building.pages(site) if name != "404.html"} <= shown | {"index.html"}


def test_every_public_name_is_on_the_page_of_the_api(site):
    anchors = links.PageLinks((site / "api.html").read_text(encoding="utf-8")).anchors
    for module in (tf1mem, tf1mem.codemod, tf1mem.gpusim):
        names = [name for name in module.__all__ if name != "__version__"]
        assert names
        assert [name for name in names if not {f"{module.__name__}.{name}", f"tf1mem.errors.{name}"} & anchors] == []


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("`tf1mem run`: nothing changed", "tf1mem-run-nothing-changed"),
        ("tf1/growth.py", "tf1growthpy"),
        ("a_b C", "a_b-c"),
    ],
)
def test_anchors_are_githubs_and_the_sites(tmp_path, heading, anchor):
    page = tmp_path / "page.md"
    page.write_text(f"# {heading}\n", encoding="utf-8")
    assert links.of_markdown(page)[0] == {anchor}
    from pymdownx.slugs import slugify

    assert slugify(case="lower")(heading.replace("`", ""), "-") == anchor


def test_a_link_that_leads_nowhere_is_reported(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="x"></h1><a href="b.html">b</a><a href="a.html#x"></a><a href="#y">', "utf-8"
    )
    assert sorted(links.broken_on_site(tmp_path)) == ["a.html: #y has no 'y'", "a.html: b.html is not there"]
