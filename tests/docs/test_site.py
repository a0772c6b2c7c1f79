"""The built site in a real browser. Build it first: ``make docs-quick``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("PARZEN_SITE", ROOT / "build" / "site"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PAGES = (
    "index.html",
    "get_started.html",
    "choose.html",
    "guide/plug_in.html",
    "guide/auto.html",
    "guide/papers/index.html",
    "auto_examples/index.html",
    "auto_examples/first_steps/quickstart.html",
    "reference/index.html",
    "reference/generated/parzen.ParzenClassifier.html",
    "reference/command_line.html",
    "extend/kernel.html",
    "architecture.html",
)
PHONE, DESKTOP = {"width": 390, "height": 800}, {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def browser():
    if not (SITE / "index.html").is_file():
        pytest.skip(f"no site in {SITE}; build it with 'make docs-quick'")
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium here; on Debian: apt-get install chromium")
    with sync.sync_playwright() as tool:
        started = tool.chromium.launch(executable_path=path, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def window(browser):
    """A window that keeps what was requested and what the console complained about."""
    page = browser.new_page(viewport=DESKTOP)
    page.complaints, page.requests = [], []
    page.on("console", lambda m: m.type == "error" and page.complaints.append(m.text))
    page.on("pageerror", lambda e: page.complaints.append(str(e)))
    page.on("request", lambda r: page.requests.append(r.url))
    yield page
    page.close()


def outside(window):
    """Requests that leave the folder of the site."""
    return [u for u in window.requests if not u.startswith(("file:", "data:", "blob:"))]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_from_the_file_system_without_errors_and_without_a_network(window, name):
    window.goto((SITE / name).as_uri())
    window.wait_for_load_state("load")
    assert window.locator("h1").first.inner_text().strip()
    assert window.complaints == []
    assert outside(window) == []


@pytest.mark.parametrize("name", PAGES)
def test_all_images_of_a_page_load(window, name):
    window.goto((SITE / name).as_uri())
    for image in window.locator("article img").all():
        image.scroll_into_view_if_needed()
    window.wait_for_function("[...document.images].every(i => i.complete)")
    broken = window.evaluate(
        "[...document.querySelectorAll('article img')].filter(i => !i.naturalWidth).map(i => i.src)"
    )
    assert broken == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_no_wider_than_a_phone(window, name):
    window.set_viewport_size(PHONE)
    window.goto((SITE / name).as_uri())
    assert window.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_search_finds_bandwidth(window):
    window.goto((SITE / "search.html").as_uri() + "?q=bandwidth")
    window.wait_for_selector("#search-results li a")
    found = window.locator("#search-results li a").all_inner_texts()
    assert any("bandwidth" in text.lower() for text in found)
    assert window.complaints == []
    assert outside(window) == []


def test_the_gallery_has_every_example_with_a_picture(window):
    window.goto((SITE / "auto_examples/index.html").as_uri())
    examples = [p for p in (ROOT / "examples").glob("*/*.py") if p.name[0] != "_"]
    assert window.locator(".sphx-glr-thumbcontainer img").count() == len(examples)


def test_the_pictures_of_the_gallery_differ():
    pictures = [p.read_bytes() for p in (SITE / "_images").glob("sphx_glr_*_thumb.png")]
    if len(set(pictures)) <= 1:
        pytest.skip("the gallery was not run; 'make docs' runs it")
    assert len(set(pictures)) == len(pictures)


def test_the_page_of_the_command_line_lists_every_command(window):
    window.goto((SITE / "reference/command_line.html").as_uri())
    titles = window.locator("article h3").all_inner_texts()
    assert any("parzen compare" in title for title in titles)
    assert any("parzen predict" in title for title in titles)


def test_the_index_of_the_reference_lists_names_but_not_their_methods(window):
    window.goto((SITE / "reference/index.html").as_uri())
    entries = window.locator("article .toctree-wrapper a").all_inner_texts()
    assert "parzen.ParzenClassifier" in entries
    assert not any(entry.startswith("ParzenClassifier.") for entry in entries)


def test_both_themes_are_there(window):
    window.goto((SITE / "index.html").as_uri())
    seen = set()
    for theme in ("light", "dark"):
        window.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        seen.add(window.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(seen) == 2
