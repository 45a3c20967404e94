"""Hooks of the site: what the pages link to in the repository comes along, as text.

Pages link to `../examples/…` and the like, so that the links hold where the repository is shown. On the site such a
file stands under `source/`, with ".txt" at the end, so that a browser shows it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

# A link in Markdown that leaves the guide's folder: [words](../path#anchor).
_LEAVES = re.compile(r"(?<=\]\()\.\./([^)\s#]+)(#[^)\s]*)?(?=\))")


def on_files(files: Any, config: Any) -> Any:
    """Adds the files that pages link to."""
    root = Path(config.config_file_path).parent
    wanted = set()
    for page in files.documentation_pages():
        for found in _LEAVES.finditer(page.content_string):
            wanted.add(found.group(1))
    for path in sorted(wanted):
        if (root / path).is_file():
            files.append(File.generated(config, _on_site(path), abs_src_path=str(root / path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Points links that leave the guide's folder to those files. What is not there stays, and is an error."""
    folder = os.path.dirname(page.file.src_uri)

    def on_site(found: re.Match[str]) -> str:
        target = _on_site(found.group(1))
        if files.get_file_from_path(target) is None:
            return found.group(0)
        return os.path.relpath(target, folder or os.curdir)

    return _LEAVES.sub(on_site, markdown)


def _on_site(path: str) -> str:
    return f"source/{path}.txt"
