"""A headless Chromium that looks at the site, which is served on this machine and on nothing else.

It wants Debian's package chromium, or any Chromium or Chrome on the PATH, and Playwright to speak to it.
"""

from __future__ import annotations

import functools
import os
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Iterator

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    # Whatever would leave this machine finds nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
NEEDED = "GUIDE_NEEDS_CHROMIUM"
MISSING = "no Chromium on the PATH: install one (Debian: apt install chromium)"


def executable() -> str | None:
    """The Chromium on the PATH."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serves a folder; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


@contextmanager
def chromium(path: str) -> Iterator[Any]:
    """A browser of Playwright's."""
    from playwright.sync_api import sync_playwright

    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


# Material wraps tables when a page is loaded.
WRAPPED = """
() => [...document.querySelectorAll("article table:not([class])")].every(it => it.closest(".md-typeset__scrollwrap"))
"""

# What there is to complain about a page as it is shown: sentences.
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
