"""The site in a browser: no errors, nothing fetched from other sites, and every page readable and searchable."""

from __future__ import annotations

import os

import pytest

from tests.matrix.proof import in_ci_or_proof

from . import browser
from . import site as building

WIDTHS = (380, 1400)
SCHEMES = ("light", "dark")
# Each page is looked at in these: its layout depends on the width, and its contrast on the scheme.
LOOKS = tuple(zip(WIDTHS, SCHEMES))
# Every page that is served makes the index of the search, a quarter of its time, which only the tests of that need.
NO_INDEX = {"config": {"lang": ["en"], "separator": r"[\s\-]+", "pipeline": [], "fields": {}}, "docs": []}
# The least contrast for text of this size by the accessibility guidelines WCAG, level AA.
LEAST_CONTRAST = 4.5


@pytest.fixture(scope="module")
def served(site):
    if browser.executable() is None:
        assert not os.environ.get(browser.NEEDED), browser.MISSING
        pytest.skip(browser.MISSING)
    with browser.served(site) as address:
        yield address


@pytest.fixture(scope="module")
def chromium(served):
    with browser.chromium(browser.executable()) as started:
        yield started


class Visit:
    """A page in a browser, and a list of the errors on it."""

    def __init__(self, chromium, address):
        self.address, self.wrong = address, []
        self.page = chromium.new_page(viewport={"width": WIDTHS[-1], "height": 900})
        self.page.on("console", self._on_message)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("request", self._on_request)
        self.page.on("response", self._on_response)
        self.page.on("requestfailed", self._on_failure)

    def _on_message(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text}")

    def _on_request(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"fetched from elsewhere: {request.url}")

    def _on_failure(self, request):
        # The browser itself aborts what the next page makes needless, and preloads that it has requested twice.
        if request.failure != browser.ABORTED:
            self.wrong.append(f"{request.failure}: {request.url}")

    def _on_response(self, response):
        if response.status >= 400:
            self.wrong.append(f"{response.status}: {response.url}")


@pytest.fixture
def visit(chromium, served):
    visiting = Visit(chromium, served)
    yield visiting
    visiting.page.close()


@pytest.fixture
def from_disk(chromium, site):
    visiting = Visit(chromium, site.as_uri())
    yield visiting
    visiting.page.close()


def test_every_page_can_be_read_on_a_narrow_and_on_a_wide_screen(site, visit, pytestconfig):
    """In CI it's every third page: they differ by their tables and their code, which many have."""
    wrong = []
    visit.page.route("**/search/search_index.json", lambda route: route.fulfill(json=NO_INDEX))
    visit.page.emulate_media(reduced_motion="reduce")  # so that menus appear at once instead of sliding in
    for name in building.pages(site)[:: 1 if pytestconfig.getoption("--whole") else 3]:
        visit.page.goto(visit.address + name)
        visit.page.wait_for_function(browser.STYLED)
        visit.page.wait_for_function(browser.WRAPPED)
        for width, scheme in LOOKS:
            visit.page.emulate_media(color_scheme=scheme)
            visit.page.set_viewport_size({"width": width, "height": 900})
            where = f"{name}, {width} pixels, {scheme}: "
            wrong += [where + each for each in visit.page.evaluate(browser.LOOK, LEAST_CONTRAST)]
        wrong += [f"{name}: {each}" for each in visit.wrong]
        visit.wrong.clear()
    assert not wrong, "\n".join(wrong)


def test_light_and_dark_follow_the_system_until_a_reader_chooses(visit):
    page = visit.page
    shown = 'document.body.getAttribute("data-md-color-scheme") == {!r}'
    page.emulate_media(color_scheme="dark")
    page.goto(visit.address)
    page.wait_for_function(shown.format("slate"))
    page.emulate_media(color_scheme="light")
    page.wait_for_function(shown.format("default"))
    # The switch for colours: the system's, light, dark.
    for scheme in ("default", "slate"):
        page.locator("form[data-md-component=palette] label:visible").click()
        page.wait_for_function(shown.format(scheme))
    assert not visit.wrong


@pytest.mark.parametrize("word", in_ci_or_proof(["per_process_gpu_memory_fraction", "TFM110", "simulated"], ["TFM110"]))
def test_search_finds_a_word_and_opens_its_page(visit, word):
    page = visit.page
    page.goto(visit.address)
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type(word)
    # The first result is the whole page, whose link lacks the word; after it come the places in the page, with it.
    result = page.locator(f'.md-search-result__link[href*="h={word.lower()}"]').first
    result.wait_for(state="visible")
    result.click()
    page.locator("article mark").first.wait_for()
    assert word.lower() in page.locator("article").inner_text().lower()
    assert not visit.wrong


# What people type -> the title of the page that comes first.
_PAGES_BY_WORDS = {
    "no attribute ConfigProto": "module 'tensorflow' has no attribute 'ConfigProto'",
    "no module named tensorflow.contrib": "No module named 'tensorflow.contrib'",
    "has no attribute placeholder": "module 'tensorflow' has no attribute 'placeholder'",
    "flags": "module 'tensorflow' has no attribute 'flags'",
    "Keras 1": "Keras 1: names and arguments",
    "OOM": "Out of memory (OOM), explained",
    "Colab": "Colab and Jupyter",
    "Windows": "Windows and macOS",
    "Horovod": "Horovod: a GPU for each rank",
}


@pytest.mark.parametrize("words", in_ci_or_proof(_PAGES_BY_WORDS, ["no attribute ConfigProto", "OOM"]))
def test_search_shows_the_page_for_what_people_type_in_a_site_opened_from_a_disk(site, from_disk, words):
    page, title = from_disk.page, _PAGES_BY_WORDS[words]
    page.goto(f"{site.as_uri()}/index.html")
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type(words)
    first = page.locator(".md-search-result__item").first
    first.locator(f'.md-search-result__link:has-text("{title}")').first.wait_for(state="visible")
    assert not from_disk.wrong


def test_the_first_command_is_above_the_fold(visit):
    for width in WIDTHS:
        visit.page.set_viewport_size({"width": width, "height": 700})
        visit.page.goto(visit.address)
        box = visit.page.locator("article pre").first.bounding_box()
        assert box["y"] + box["height"] < 700, width


def test_commands_are_copied_by_a_button_without_what_they_print(visit):
    page = visit.page
    page.goto(visit.address + "start.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = page.locator("div.highlight", has_text="1 file looked at").first
    block.hover()
    block.locator("button[data-md-type=copy], button.md-clipboard").first.click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == "tf1mem codemod --write train.py"
