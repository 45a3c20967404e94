"""Hooks for building the site: they add linked files as text, make tables fit narrow windows, and rank search results.

Pages link to `../examples/…` and the like, so that the links work on the repository's host. On the site such a file is
under `source/`, with ".txt" at the end, so that a browser shows it.
"""

from __future__ import annotations

import posixpath
import re
from itertools import cycle
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

# A link in Markdown to another folder: [words](../path#anchor).
_AWAY = re.compile(r"(?<=\]\()((?:\.\./)+[^)\s#]+)(#[^)\s]*)?(?=\))")
# In the search errors and questions come before other pages, and pages that only prove something come after them.
_BOOSTS = {
    "complaints.md": 1.5,
    **dict.fromkeys(("benchmarks.md", "conformance.md", "contrib.md", "contrib_reasons.md", "programs.md"), 0.5),
    **dict.fromkeys(("seeds.md", "values.md"), 0.5),
}
# Tables with more columns aren't shown as a list of their rows on a phone (guide.css).
_STACKED = 5
_LONG = 18  # the length from which code in a table may be broken after its dots and underscores
_CODE = re.compile(r"<code>[^<]*</code>")  # inline code: a block's code has spans
_OPTION = re.compile(r"(?<![\w-])--\w[\w-]*")


def on_files(files: Any, config: Any) -> Any:
    """Adds the files that pages link to."""
    root = Path(config.config_file_path).parent
    linked = set()
    for page in files.documentation_pages():
        for match in _AWAY.finditer(page.content_string):
            linked.add(_in_repository(match.group(1), page, config))
    for path in sorted(linked):
        if not path.startswith(_guide(config)) and (root / path).is_file():
            files.append(File.generated(config, _on_site(path), abs_src_path=str(root / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Redirects links that leave the guide's folder to the added files; a link to a missing file stays: an error."""
    folder = posixpath.dirname(page.file.src_uri)
    page.meta["search"] = {"boost": _BOOSTS.get(page.file.src_uri, 1.0)}

    def on_site(match: re.Match[str]) -> str:
        target = _on_site(_in_repository(match.group(1), page.file, config))
        if files.get_file_from_path(target) is None:
            return match.group(0)
        return posixpath.relpath(target, folder or posixpath.curdir)

    return _AWAY.sub(on_site, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Labels each cell of a table with its column, and allows breaks in long code, but not in an option."""
    html = re.sub(r"<table>.*?</table>", lambda match: _narrow(match.group(0)), html, flags=re.DOTALL)
    return _CODE.sub(lambda code: _OPTION.sub(r'<span class="option">\g<0></span>', code.group(0)), html)


def _narrow(table: str) -> str:
    heads = [re.sub("<[^>]*>", "", head) for head in re.findall(r"<th[^>]*>(.*?)</th>", table, re.DOTALL)]
    if len(heads) <= _STACKED:
        columns = cycle(heads)
        table = re.sub("<td", lambda match: f'<td data-label="{next(columns)}"', table)
        table = table.replace("<table>", "<table data-stacked>", 1)
    return re.sub(r"(?<=<code>)[^<]{%d,}(?=</code>)" % _LONG, lambda match: _breakable(match.group(0)), table)


def _breakable(code: str) -> str:
    return re.sub(r"(?<=[\w)])([._=/(,])(?=\w)", r"\1<wbr>", code)


def _guide(config: Any) -> str:
    return Path(config.docs_dir).name + "/"


def _in_repository(link: str, file: Any, config: Any) -> str:
    """Returns the target of a page's link, from the root of the repository."""
    return posixpath.normpath(posixpath.join(_guide(config), posixpath.dirname(file.src_uri), link))


def _on_site(path: str) -> str:
    return f"source/{path}.txt"
