"""Opens the site in a headless Chromium, which can reach only this machine.

It needs Debian's package chromium, or any Chromium or Chrome on the PATH, and Playwright to control it.
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
    # No name except this machine's address resolves, so a page can't fetch anything from elsewhere.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
NEEDED = "GUIDE_NEEDS_CHROMIUM"
# Chromium's reason for a request that it gave up by itself; whatever a server or a network does has another one.
ABORTED = "net::ERR_ABORTED"
MISSING = "no Chromium on the PATH: install one (Debian: apt install chromium)"


def executable() -> str | None:
    """Returns the path of the Chromium on the PATH, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Prints nothing, where the base class would log each request."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serves a folder by HTTP; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


@contextmanager
def chromium(path: str) -> Iterator[Any]:
    """Yields a browser of Playwright."""
    from playwright.sync_api import sync_playwright

    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


# JavaScript that is true once every style sheet of the page has its rules.
STYLED = """
() => [...document.querySelectorAll("link[rel=stylesheet]")].every(it => it.sheet && it.sheet.cssRules.length)
"""

# JavaScript that is true once Material, the site's theme, has wrapped the page's tables, which it does after loading.
WRAPPED = """
() => [...document.querySelectorAll("article table:not([class])")].every(it => it.closest(".md-typeset__scrollwrap"))
"""

# JavaScript that returns sentences about what is wrong with a page as it is shown.
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
