"""Hooks of the site: what pages link to in the repository comes along, as text, and tables fit narrow windows.

Pages link to `../examples/…` and the like, so that the links hold where the repository is shown. On the site such a
file stands under `source/`, with ".txt" at the end, so that a browser shows it.
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
# Tables of so many columns stand as a list of their rows on a phone (guide.css).
_STACKED = 5
_LONG = 24  # characters of code in a table, from which on it may be broken after its points
_CODE = re.compile(r"<code>[^<]*</code>")  # in a sentence: a block's code has spans
_OPTION = re.compile(r"(?<![\w-])--\w[\w-]*")


def on_files(files: Any, config: Any) -> Any:
    """Adds the files that pages link to."""
    root = Path(config.config_file_path).parent
    wanted = set()
    for page in files.documentation_pages():
        for found in _AWAY.finditer(page.content_string):
            wanted.add(_in_repository(found.group(1), page, config))
    for path in sorted(wanted):
        if not path.startswith(_guide(config)) and (root / path).is_file():
            files.append(File.generated(config, _on_site(path), abs_src_path=str(root / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Points links that leave the guide's folder to those files. What is not there stays, and is an error."""
    folder = posixpath.dirname(page.file.src_uri)

    def on_site(found: re.Match[str]) -> str:
        target = _on_site(_in_repository(found.group(1), page.file, config))
        if files.get_file_from_path(target) is None:
            return found.group(0)
        return posixpath.relpath(target, folder or posixpath.curdir)

    return _AWAY.sub(on_site, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Has each cell of a table say its column, and lets long code in it be broken; an option stays on its line."""
    html = re.sub(r"<table>.*?</table>", lambda found: _narrow(found.group(0)), html, flags=re.DOTALL)
    return _CODE.sub(lambda code: _OPTION.sub(r'<span class="option">\g<0></span>', code.group(0)), html)


def _narrow(table: str) -> str:
    heads = [re.sub("<[^>]*>", "", head) for head in re.findall(r"<th[^>]*>(.*?)</th>", table, re.DOTALL)]
    if len(heads) <= _STACKED:
        columns = cycle(heads)
        table = re.sub("<td", lambda found: f'<td data-label="{next(columns)}"', table)
        table = table.replace("<table>", "<table data-stacked>", 1)
    return re.sub(r"(?<=<code>)[^<]{%d,}(?=</code>)" % _LONG, lambda found: _breakable(found.group(0)), table)


def _breakable(code: str) -> str:
    return re.sub(r"(?<=[\w)])([._=/(,])(?=\w)", r"\1<wbr>", code)


def _guide(config: Any) -> str:
    return Path(config.docs_dir).name + "/"


def _in_repository(link: str, file: Any, config: Any) -> str:
    """Where a page's link leads, from the root of the repository."""
    return posixpath.normpath(posixpath.join(_guide(config), posixpath.dirname(file.src_uri), link))


def _on_site(path: str) -> str:
    return f"source/{path}.txt"
