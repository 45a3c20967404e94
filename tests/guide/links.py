"""Finds broken links: in the built site, and in the Markdown files as GitHub shows them.

`python -m tests.guide.links`, from the root of the repository, lists the links to other sites. They aren't fetched.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Iterator
from urllib.parse import unquote, urldefrag, urlsplit

from .site import BESIDE, GUIDE, ROOT


class PageLinks(HTMLParser):
    """A page of HTML: its anchors, and the addresses that it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Adds an element's id to the anchors, and its href or src to the links."""
        attributes = dict(attrs)
        self.anchors.update(filter(None, (attributes.get("id"), attributes.get("name") if tag == "a" else None)))
        if tag != "base":
            self.links += filter(None, (attributes.get("href"), attributes.get("src")))


def is_elsewhere(link: str) -> bool:
    """Returns True if a link leads away from the site and the repository."""
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def broken_on_site(site: Path) -> Iterator[str]:
    """Yields a sentence for each broken link between pages of a built site."""
    pages = {path: PageLinks(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for page, read in pages.items():
        name = page.relative_to(site)
        for link in read.links:
            if is_elsewhere(link):
                continue
            path, anchor = urldefrag(link)
            # 404.html is shown at any address, so its links begin with "/", the top of the site.
            base = site if path.startswith("/") else page.parent
            target = (base / unquote(urlsplit(path).path).lstrip("/")).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{name}: {link} is not there"
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors | {"__top"}:
                yield f"{name}: {link} has no {anchor!r}"


def markdown_pages() -> list[Path]:
    """Returns the Markdown files that GitHub shows: the guide's and `BESIDE`."""
    return [*sorted(GUIDE.rglob("*.md")), *(ROOT / name for name in BESIDE)]


def of_markdown(path: Path) -> tuple[set[str], list[str]]:
    """Returns the anchors that GitHub makes from the headings of a Markdown file, and the file's links."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(path.read_text(encoding="utf-8"))
    anchors: set[str] = set()
    links: list[str] = []
    for before, token in zip([tokens[0], *tokens], tokens):
        for child in token.children or ():
            links += filter(None, (str(child.attrGet(name) or "") for name in ("href", "src")))
            anchors |= PageLinks(child.content).anchors if child.type == "html_inline" else set()
        if before.type == "heading_open" and token.type == "inline":
            words = "".join(child.content for child in token.children or () if child.type in ("text", "code_inline"))
            anchors.add(_free(slug(words), anchors))
    return anchors, links


def slug(heading: str) -> str:
    """Returns the anchor of a heading: in lower case, with hyphens for spaces, and without punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _free(base: str, used: set[str]) -> str:
    number, name = 0, base
    while name in used:
        number += 1
        name = f"{base}-{number}"
    return name


def broken_in_markdown() -> Iterator[str]:
    """Yields a sentence for each broken link in the Markdown files."""
    for page in markdown_pages():
        for link in of_markdown(page)[1]:
            if is_elsewhere(link):
                continue
            path, anchor = urldefrag(link)
            target = (page.parent / unquote(path)).resolve() if path else page
            name = page.relative_to(ROOT)
            if not target.exists():
                yield f"{name}: {link} is not there"
            elif anchor and target.suffix == ".md" and unquote(anchor) not in of_markdown(target)[0]:
                yield f"{name}: {link} has no {anchor!r}"


def elsewhere() -> list[str]:
    """Returns the links of the Markdown files to other sites."""
    return sorted({link for page in markdown_pages() for link in of_markdown(page)[1] if is_elsewhere(link)})


if __name__ == "__main__":
    print("\n".join(elsewhere()))
